import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

/** Two columns, and the rows that mean the same thing. */
export interface DataSet {
  readonly name: string;
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** Pairs of rows: left, right. */
  readonly truth: readonly (readonly [left: number, right: number])[];
}

/**
 * Reads the sets of a folder, each a folder with left.csv, right.csv (`id,title`) and gt.csv. The
 * sides are swapped: the files call those rows right that are searched for among the left ones.
 */
export async function readDataSets(folder: string): Promise<DataSet[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(names.toSorted().map((name) => readDataSet(folder, name)));
}

async function readDataSet(folder: string, name: string): Promise<DataSet> {
  const rowsOf = async (file: string): Promise<Record<string, string>[]> =>
    parse(await readFile(join(folder, name, file), 'utf8'), { columns: true, bom: true });
  const [left, right, pairs] = await Promise.all(['right.csv', 'left.csv', 'gt.csv'].map(rowsOf));
  if (!left || !right || !pairs) throw new Error(`${name} lacks a file`);
  const [leftIds, rightIds] = [numbered(left), numbered(right)];
  return {
    name,
    left: left.map((row) => row['title'] ?? ''),
    right: right.map((row) => row['title'] ?? ''),
    truth: pairs.flatMap((row) => {
      const [a, b] = [leftIds.get(row['id_r'] ?? ''), rightIds.get(row['id_l'] ?? '')];
      return a === undefined || b === undefined ? [] : [[a, b] as const];
    }),
  };
}

function numbered(rows: readonly Record<string, string>[]): Map<string, number> {
  return new Map(rows.map((row, index) => [row['id'] ?? '', index]));
}

/** Returns a set with unmatched rows: every second matching row is removed from the right side. */
export function orphaned(set: DataSet): DataSet {
  const matched = [...new Set(set.truth.map(([, row]) => row))].toSorted((a, b) => a - b);
  return without(new Set(matched.filter((_, index) => index % 2 === 1)), set);
}

/** Returns a set with only half of the right side. */
export function halved(set: DataSet): DataSet {
  const places = set.right.map((_, row) => row);
  return without(new Set(places.filter((row) => ((row * 7919) % 1009) % 2 === 1)), set);
}

function without(gone: ReadonlySet<number>, set: DataSet): DataSet {
  const kept = set.right.flatMap((_, row) => (gone.has(row) ? [] : [row]));
  const places = new Map(kept.map((row, place) => [row, place]));
  return {
    name: set.name,
    left: set.left,
    right: kept.map((row) => set.right[row] ?? ''),
    truth: set.truth.flatMap(([row, other]) => {
      const place = places.get(other);
      return place === undefined ? [] : [[row, place] as const];
    }),
  };
}
