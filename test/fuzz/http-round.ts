import * as fc from 'fast-check';

import { functionNames } from '../../workers/files/function-names.ts';
import { nastyFormula } from '../support/nasty-formulas.ts';
import type { Choice } from './choice.ts';
import type { FormulaMaker } from './formula-maker.ts';
import { textOf } from './tree.ts';

/** Values of a workbook's cells by one way of reading, in the order of the cells. */
export interface Reading {
  readonly from: string;
  readonly texts: readonly string[];
  readonly values: readonly string[];
}

const formulasPerWorkbook = 60;
/** They are something else at each calculation, or ask about what differs between workbooks. */
const fleeting = /\b(?:RAND|RANDBETWEEN|RANDARRAY|NOW|TODAY|INFO|CELL|SHEET|SHEETS)\b/iu;
/** References into other files and to pivot tables, of which the values alone are imported. */
const external = /\[\d+\]|GETPIVOTDATA/iu;
/** Texts and names in a formula; of the names those of functions are capitals in a file. */
const words = /"(?:[^"]|"")*"|[\p{L}_][\p{L}\d_.]*/gu;
/** The edge refuses a request with U+0000 in it whole. */
const refused = '\u0000';

/** Formulas of both grammars: of all functions, and of names that look like something else. */
export function formulasOf(choice: Choice, maker: FormulaMaker): string[] {
  const texts: string[] = [];
  const nasty = fc.sample(nastyFormula, {
    numRuns: formulasPerWorkbook,
    seed: choice.below(2 ** 30),
  });
  for (const text of nasty) {
    const made = choice.oneIn(2) ? text : `=${textOf(maker.make())}`;
    if (fleeting.test(made) || external.test(made) || made.includes(refused)) continue;
    if (made.length < 4_000) texts.push(made);
  }
  return texts;
}

/** The formula with its functions as files spell them, also those that nothing calls. */
function spelled(json = 'null'): string | undefined {
  const formula = JSON.parse(json) as string | null;
  return formula?.replaceAll(words, (word) => {
    const name = word.toUpperCase();
    return functionNames.has(name) ? name : word;
  });
}

/** Where readings do not say the same as the first one. */
export function* differencesOf(readings: readonly Reading[]): Generator<string> {
  const [first, ...others] = readings;
  if (first === undefined) return;
  for (const other of others) {
    for (const [index, text] of first.texts.entries()) {
      const [was, is] = [first.values[index], other.values[index]];
      const now = other.texts[index];
      if (spelled(text) !== spelled(now)) yield `${text} reads ${String(now)} from ${other.from}`;
      else if (was !== is) yield `${text} is ${String(was)}, from ${other.from} ${String(is)}`;
    }
  }
}
