import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Value } from '../../server/model/cell-value.ts';
import { writeInput } from '../../server/model/input.ts';
import type { Client, SentOperation } from './client.ts';
import { agrees, type Outcome } from './outcome.ts';

/** By file, sheet and cell: the formula, and the value that the file keeps of it. */
type Cached = Record<string, Record<string, Record<string, readonly [string, Value]>>>;

/** Numbers in files have 15 to 17 digits, and what they come from was summed in another order. */
const relativeTolerance = 1e-9;

/** Functions that read the clock. */
const clock = /\b(?:TODAY|NOW)\(/u;

/**
 * Imports each file of a folder and compares all formulas with their cached values. A formula that
 * reads the clock gets the value that the file keeps, as on the day when it was saved. Such a
 * formula is not counted, and formulas that depend on it are.
 */
export async function* runRealFiles(client: Client, folder: string): AsyncGenerator<Outcome> {
  const cached = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Cached;
  for (const [file, sheets] of Object.entries(cached)) {
    const book = await client.import(readFileSync(join(folder, file)));
    const cells = [...cellsOf(sheets)];
    const operations = cells.filter(({ formula }) => clock.test(formula)).map(operationOf);
    if (operations.length > 0) await client.submit(book, operations);
    const values = await client.values(book);
    for (const { sheet, cell, formula, value } of cells) {
      if (clock.test(formula)) continue;
      const tolerance = typeof value === 'number' ? Math.abs(value) * relativeTolerance : 0;
      const found = values.get(`${sheet}!${cell}`) ?? null;
      const expectation = { sheet, cell, value, tolerance, fn: functionOf(formula) };
      const passes = agrees(found, expectation) || (value === '' && found === null);
      yield { id: `files/${file}`, expectation, found, formula: `=${formula}`, passes };
    }
  }
}

interface CachedCell {
  readonly sheet: string;
  readonly cell: string;
  readonly formula: string;
  readonly value: Value;
}

function* cellsOf(sheets: Cached[string]): Generator<CachedCell> {
  for (const [sheet, cells] of Object.entries(sheets)) {
    for (const [cell, [formula, value]] of Object.entries(cells)) {
      yield { sheet, cell, formula, value };
    }
  }
}

function operationOf({ sheet, cell, value }: CachedCell): SentOperation {
  const cells = [{ a1: cell, input: writeInput(value) }];
  return { id: `${sheet}!${cell}`, kind: 'cells.set', payload: { sheet, cells } };
}

/** The first function of a formula, as the corpora name it. */
function functionOf(formula: string): string {
  const name = /([A-Z][A-Z0-9.]*)\(/u.exec(formula.replaceAll(/_xl\w+\./gu, ''))?.[1];
  return name ?? '(operator)';
}
