import * as fc from 'fast-check';

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
/** References into other files, whose values alone are imported. */
const external = /\[\d+\]/u;
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

/** Where readings do not say the same as the first one. */
export function* differencesOf(readings: readonly Reading[]): Generator<string> {
  const [first, ...others] = readings;
  if (first === undefined) return;
  for (const other of others) {
    for (const [index, text] of first.texts.entries()) {
      const [was, is] = [first.values[index], other.values[index]];
      const now = other.texts[index];
      if (text !== now) yield `${text} reads ${String(now)} from ${other.from}`;
      else if (was !== is) yield `${text} is ${String(was)}, from ${other.from} ${String(is)}`;
    }
  }
}
