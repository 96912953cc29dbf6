import { columnCount, inputAt } from '../state/plan-workbook.ts';
import type { Edit } from './scattered-edits.ts';

/**
 * Keyed rows in chunks that versions share until one writes: a three-way merge like Dolt's, row by
 * row and then cell by cell. It has no order of rows, and formulas are plain texts.
 */

type Cell = string | number | null;
type Row = readonly Cell[];
type Chunk = ReadonlyMap<string, Row>;
export type KeyedRows = readonly Chunk[];

const rowsPerChunk = 1_024;
const firstLetter = 'A'.charCodeAt(0);

export function builtRows(rowCount: number): KeyedRows {
  const chunks: Map<string, Row>[] = [];
  for (let row = 0; row < rowCount; row++) {
    const at = Math.floor(row / rowsPerChunk);
    const chunk = chunks[at] ?? new Map<string, Row>();
    chunks[at] = chunk;
    chunk.set(keyOf(row), rowAt(row));
  }
  return chunks;
}

/** The same row with the formulas that bench/state/plan-workbook.ts fills it with. */
export function rowAt(row: number): Cell[] {
  return Array.from({ length: columnCount }, (_, column) =>
    column < 8 ? inputAt(row, column) : column === 8 ? '=A#*2+C#' : '=B#*2+D#',
  );
}

export function columnIndex({ column }: Edit): number {
  return column.charCodeAt(0) - firstLetter;
}

function keyOf(row: number): string {
  return String(inputAt(row, 1));
}

export function editedRows(rows: KeyedRows, edits: Iterable<Edit>): KeyedRows {
  const chunks = [...rows];
  const own = new Set<number>();
  for (const edit of edits) {
    const at = Math.floor(edit.row / rowsPerChunk);
    const chunk = own.has(at) ? chunks[at] : new Map(chunks[at]);
    if (!chunk) throw new Error(`there is no row ${edit.row}`);
    own.add(at);
    chunks[at] = chunk;
    const row = [...(chunk.get(keyOf(edit.row)) ?? [])];
    row[columnIndex(edit)] = edit.input;
    (chunk as Map<string, Row>).set(keyOf(edit.row), row);
  }
  return chunks;
}

export interface RowMerge {
  readonly rows: KeyedRows;
  readonly changed: number;
  readonly conflicts: readonly string[];
}

interface Versions<Value> {
  readonly base: Value;
  readonly ours: Value;
  readonly theirs: Value;
}

export type RowVersions = Versions<KeyedRows>;

/** Merges rows; chunks and rows that are the same objects are skipped. */
export function mergeRows({ base, ours, theirs }: RowVersions): RowMerge {
  const conflicts: string[] = [];
  let changed = 0;
  const rows = theirs.map((chunk, at) => {
    const [then, now] = [base[at] ?? new Map<string, Row>(), ours[at] ?? new Map<string, Row>()];
    if (chunk === then) return now;
    const merged = new Map(now);
    for (const key of new Set([...chunk.keys(), ...then.keys()])) {
      const sides = { base: then.get(key), ours: now.get(key), theirs: chunk.get(key) };
      if (sides.theirs === sides.base) continue;
      changed++;
      const row = mergeRow(sides, () => conflicts.push(key));
      if (row) merged.set(key, row);
      else merged.delete(key);
    }
    return merged;
  });
  return { rows, changed, conflicts };
}

function mergeRow(
  { base, ours, theirs }: Versions<Row | undefined>,
  contest: () => void,
): Row | undefined {
  if (ours === base) return theirs;
  if (!ours || !theirs || !base) {
    contest();
    return ours;
  }
  return ours.map((cell, column) => {
    if (theirs[column] === base[column]) return cell;
    if (cell !== base[column] && cell !== theirs[column]) contest();
    return cell === base[column] ? (theirs[column] ?? null) : cell;
  });
}
