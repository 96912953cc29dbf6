import type { Input } from '../../server/model/cell-value.ts';
import { parseAddress } from '../../server/model/address.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { parseRange, type Range } from '../../server/model/range.ts';
import { valueForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import type { CorpusCase, CorpusCell } from './corpus.ts';
import { outcomesOf, type Outcome, type Refusal } from './outcome.ts';

/** 2026-01-15 14:30 UTC; no expectation depends on it. */
const now = { clockSerial: 46_037 + 14.5 / 24, seedHigh: 1, seedLow: 2 };
const fuelSteps = 1e9;
const formulas = new Formulas();

/** Builds the workbook of a case in a kernel of this process, and compares what is expected. */
export function runCase(corpusCase: CorpusCase): Outcome[] {
  const keys = sheetKeys(corpusCase);
  const kernel = Kernel.create();
  const refusals = new Map<string, Refusal>();
  kernel.apply(mutationsOf(withoutRefused(corpusCase, refusals), keys));
  while (!kernel.recalculate(now, fuelSteps));
  return outcomesOf(corpusCase, (sheet, cell) => {
    const refusal = refusals.get(`${sheet}!${cell}`);
    if (refusal !== undefined) return refusal;
    const { row, column } = cellOf(cell);
    const area = { row0: row, row1: row, column0: column, column1: column };
    const lens = { lens: 'value', form: valueForm } as const;
    return kernel.readRange(keys.get(sheet) ?? 0, area, lens)[0]?.[0] ?? null;
  });
}

/**
 * The case with blank cells where a formula is none, or cannot be typed if its case is no file;
 * `refusals` takes these by `sheet!cell`.
 */
function withoutRefused(corpusCase: CorpusCase, refusals: Map<string, Refusal>): CorpusCase {
  const sheets: Record<string, Record<string, CorpusCell>> = {};
  const origin = isOfFile(corpusCase) ? 'file' : 'person';
  for (const [sheet, cells] of Object.entries(corpusCase.sheets)) {
    const kept: Record<string, CorpusCell> = {};
    for (const [cell, content] of Object.entries(cells)) {
      const check = content.f === undefined ? undefined : formulas.check(content.f, origin);
      if (check === undefined || check.ok) kept[cell] = content;
      else refusals.set(`${sheet}!${cell}`, { refused: check.message });
    }
    sheets[sheet] = kept;
  }
  return { ...corpusCase, sheets };
}

/** The key of each sheet, by its name. */
export function sheetKeys({ sheets }: CorpusCase): Map<string, number> {
  return new Map(Object.keys(sheets).map((name, index) => [name, index + 1]));
}

/** Yields the mutations that build the workbook of a case. */
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
  const isLegacy = isOfFile({ source, dialect });
  for (const [name, cells] of Object.entries(sheets)) {
    for (const [address, cell] of Object.entries(cells)) {
      const input = inputOf(cell, address, isLegacy);
      yield { kind: 'cell', sheet: keyOf(name), ...cellOf(address), input };
    }
  }
}

/** In files of Excel and LibreOffice a formula that is no array intersects ranges implicitly. */
export function isOfFile({ source, dialect }: Pick<CorpusCase, 'source' | 'dialect'>): boolean {
  return /xlsx/u.test(source) || dialect === 'calc';
}

export function inputOf(cell: CorpusCell, address: string, isLegacy: boolean): Input {
  const { f: formula, v: value = null, array, dynamic } = cell;
  // An empty text in a file is one; `""` that a client writes makes the cell blank.
  if (formula === undefined) return value === '' && !isLegacy ? null : value;
  if (array !== undefined && dynamic !== true) {
    return { formula, array: array.includes(':') ? array : `${address}:${address}` };
  }
  return isLegacy && array === undefined ? { formula, legacy: true } : { formula };
}

export function cellOf(address: string): { row: number; column: number } {
  const cell = parseAddress(address.replaceAll('$', ''));
  if (!cell) throw new Error(`${address} is no cell`);
  return cell;
}

export function rangeOf(text: string): Range {
  const range = parseRange(text.replaceAll('$', ''));
  if (!range) throw new Error(`${text} is no range`);
  return range;
}

function blockOf({ row0, row1, column0, column1 }: Range) {
  const size = { rowCount: row1 - row0 + 1, columnCount: column1 - column0 + 1 };
  return { row: row0, column: column0, ...size };
}
