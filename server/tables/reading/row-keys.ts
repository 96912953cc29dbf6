import { Failure } from '../../model/failure.ts';
import { readColumnValue } from '../../model/table-column.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { CodedCell } from '../../state/cells/cell-coding.ts';
import { keyColumnOf, type StoredColumn, type StoredTable } from '../../state/structure/tables.ts';
import type { TableExtent } from '../../state/tables/table-extent.ts';
import { findRow } from '../../state/tables/table-rows.ts';

const keysBetweenPauses = 256;

/**
 * Finds rows by keys in a query. A key that looks like a number means the number if a row has it,
 * otherwise the text; a key in double quotes is a text, spelled as in JSON.
 */
export function* findKeys(
  state: BranchState,
  { table, extent }: { table: StoredTable; extent: TableExtent },
  keys: readonly string[],
): Generator<void, (number | undefined)[]> {
  const key = keyColumnOf(table);
  if (!key) throw keyless(table);
  const { sheet, data } = extent;
  const context = state.contextAt(state.structure);
  const lookUp = yield* context.keys.of(sheet, key.line, state.cellsOf(sheet));
  const positions: (number | undefined)[] = [];
  for (const [at, text] of keys.entries()) {
    if (at % keysBetweenPauses === 0) yield;
    const coded = meanings(text, key, state);
    const rows = coded.map((one) => findRow(lookUp(one), { sheet, data }));
    positions.push(rows.find((row) => row !== undefined)?.position);
  }
  return positions;
}

function meanings(text: string, key: StoredColumn, { coding, settings }: BranchState): CodedCell[] {
  const date1904 = settings.get('dateSystem') === 1904;
  const number = numberIn(text);
  const quoted = textIn(text);
  const wires = [quoted, number, text].filter((wire) => wire !== undefined);
  return wires.flatMap((wire): CodedCell[] => {
    const read = readColumnValue(wire, { ...key, enum: undefined }, { raw: true, date1904 });
    if (typeof read === 'string') return [];
    if (typeof read.input === 'number') return [{ tag: cellTag.number, number: read.input }];
    const known =
      typeof read.input === 'string' ? coding.dictionary.knownText(read.input) : undefined;
    return known === undefined ? [] : [{ tag: cellTag.text, number: known }];
  });
}

/** Spells a key for a query without ambiguity. */
export function keySpelling(key: string | number): string {
  if (typeof key === 'number') return String(key);
  const isPlain = numberIn(key) === undefined && textIn(key) === undefined;
  return isPlain ? key : JSON.stringify(key);
}

function numberIn(text: string): number | undefined {
  const number = text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function textIn(text: string): string | undefined {
  if (!text.startsWith('"') || !text.endsWith('"')) return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function keyless({ name }: StoredTable): Failure {
  const message = `${name} has no key column.`;
  return new Failure('tableRefused', {
    detail: message,
    hint: 'Page with offset, or PATCH the table with keyColumn.',
    errors: [{ pointer: '', code: 'key_needed', message }],
  });
}

export function noSuchKey({ name }: StoredTable, key: string): Failure {
  const message = `${name} has no row with the key ${key.slice(0, 100)}.`;
  return new Failure('tableRefused', {
    detail: message,
    hint: 'Begin without after, or go on from a key of this table.',
    errors: [{ pointer: '?after', code: 'key_not_found', message }],
  });
}
