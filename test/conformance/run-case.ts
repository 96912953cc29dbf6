import type { Input, Value } from '../../server/model/cell-value.ts';
import { parseAddress } from '../../server/model/address.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { parseRange, type Range } from '../../server/model/range.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import type { CorpusCase, CorpusCell, Expectation } from './corpus.ts';

/** 2026-01-15 14:30 UTC; no expectation depends on it. */
export const now = { clockSerial: 46_037 + 14.5 / 24, seedHigh: 1, seedLow: 2 };
export const fuelSteps = 1e9;

export interface Outcome {
  readonly expectation: Expectation;
  readonly found: Value;
  readonly formula: string;
  readonly passes: boolean;
}

/** Builds the workbook of a case, evaluates it once and compares what is expected. */
export function runCase(corpusCase: CorpusCase): Outcome[] {
  const keys = sheetKeys(corpusCase);
  const kernel = Kernel.create();
  kernel.apply(mutationsOf(corpusCase, keys));
  while (!kernel.recalculate(now, fuelSteps));
  return corpusCase.expect.map((expectation) => {
    const { sheet, cell } = expectation;
    const place = cellOf(cell);
    const area = { row0: place.row, row1: place.row, column0: place.column, column1: place.column };
    const read = (lens: 'value' | 'formula') =>
      kernel.readRange(keys.get(sheet) ?? 0, area, { lens, form: valueForm })[0]?.[0] ?? null;
    const found = read('value');
    const entered = read('formula');
    const formula = typeof entered === 'string' ? entered : '';
    return { expectation, found, formula, passes: agrees(found, expectation) };
  });
}

/** The key of each sheet, by its name. */
export function sheetKeys({ sheets }: CorpusCase): Map<string, number> {
  return new Map(Object.keys(sheets).map((name, index) => [name, index + 1]));
}

/** What builds the workbook of a case. */
export function* mutationsOf(
  { sheets, tables = [], names = [], epoch, source, dialect }: CorpusCase,
  keys: ReadonlyMap<string, number>,
): Generator<Mutation> {
  const keyOf = (name: string) => keys.get(name) ?? 0;
  if (epoch === '1904') yield { kind: 'setting', name: 'date1904', value: true };
  for (const [name, key] of keys) yield { kind: 'sheetAdd', sheet: key, name, index: key - 1 };
  for (const { name, sheet, ref, columns, headerRow, totalsRow } of tables) {
    const { row, column, rowCount, columnCount } = blockOf(rangeOf(ref));
    const place = { sheet: keyOf(sheet), row, column, rowCount, columnCount };
    yield { kind: 'tableSet', name, ...place, columns, headerRow, totalsRow };
  }
  for (const { name, ref, scope } of names) {
    const formula = ref.startsWith('=') ? ref : `=${ref}`;
    yield { kind: 'nameSet', name, formula, scope: scope === undefined ? undefined : keyOf(scope) };
  }
  // In files of Excel and LibreOffice a formula that is no array intersects ranges implicitly.
  const isLegacy = /xlsx/u.test(source) || dialect === 'calc';
  for (const [name, cells] of Object.entries(sheets)) {
    for (const [address, cell] of Object.entries(cells)) {
      const input = inputOf(cell, address, isLegacy);
      yield { kind: 'cell', sheet: keyOf(name), ...cellOf(address), input };
    }
  }
}

function inputOf(cell: CorpusCell, address: string, isLegacy: boolean): Input {
  const { f: formula, v: value = null, array, dynamic } = cell;
  if (formula === undefined) return value;
  if (array !== undefined && dynamic !== true) {
    return { formula, array: array.includes(':') ? array : `${address}:${address}` };
  }
  return isLegacy && array === undefined ? { formula, legacy: true } : { formula };
}

function cellOf(address: string): { row: number; column: number } {
  const cell = parseAddress(address.replaceAll('$', ''));
  if (!cell) throw new Error(`${address} is no cell`);
  return cell;
}

function rangeOf(text: string): Range {
  const range = parseRange(text.replaceAll('$', ''));
  if (!range) throw new Error(`${text} is no range`);
  return range;
}

function blockOf({ row0, row1, column0, column1 }: Range) {
  const size = { rowCount: row1 - row0 + 1, columnCount: column1 - column0 + 1 };
  return { row: row0, column: column0, ...size };
}

function agrees(found: Value, { value: expected, tolerance = 0 }: Expectation): boolean {
  if (typeof found === 'number' && typeof expected === 'number') {
    const allowed = Math.max(tolerance, Math.abs(expected) * 1e-12);
    return Math.abs(found - expected) <= allowed;
  }
  const foundError = errorOf(found);
  const expectedError = errorOf(expected);
  if (expectedError === '*') return foundError !== undefined;
  if (expectedError !== undefined) return foundError === expectedError;
  if (expected === null) return found === null || found === 0 || found === '';
  return found === expected;
}

function errorOf(value: Value): string | undefined {
  return typeof value === 'object' && value !== null ? value.error : undefined;
}
