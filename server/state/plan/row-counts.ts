import type { WireInput } from '../../model/input.ts';

/** Codes of faults in a submitted table row. */
export type RowFaultCode =
  | 'key_blank'
  | 'key_repeated'
  | 'key_not_found'
  | 'bad_key'
  | 'bad_value'
  | 'value_missing'
  | 'too_many_values'
  | 'column_calculated';

/** A row that was left out. */
export interface RejectedRow {
  /** Index in what was sent, from 0. */
  readonly row: number;
  /** The key as sent; null without one. */
  readonly key: WireInput;
  /** The column at fault; null when it is not a single one. */
  readonly column: string | null;
  readonly code: RowFaultCode;
  readonly message: string;
}

/** Numbers of rows of one operation by outcome. */
export interface RowCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** The first rejected rows. */
  readonly rejected: readonly RejectedRow[];
  readonly rejectedCount: number;
}

export const rejectedRowsMost = 1_000;

/** Returns the counts as the journal stores them. */
export function writeCounts(counts: RowCounts): readonly number[] {
  const { inserted, updated, unchanged, deleted, rejectedCount } = counts;
  return [inserted, updated, unchanged, deleted, rejectedCount];
}

export function readCounts([
  inserted = 0,
  updated = 0,
  unchanged = 0,
  deleted = 0,
  rejectedCount = 0,
]: readonly number[]): RowCounts {
  return { inserted, updated, unchanged, deleted, rejected: [], rejectedCount };
}

export const noRows: RowCounts = readCounts([]);

export function addCounts(a: RowCounts, b: RowCounts): RowCounts {
  return {
    inserted: a.inserted + b.inserted,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    deleted: a.deleted + b.deleted,
    rejected: [...a.rejected, ...b.rejected].slice(0, rejectedRowsMost),
    rejectedCount: a.rejectedCount + b.rejectedCount,
  };
}
