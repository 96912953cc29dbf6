import type { WireInput } from '../../model/input.ts';

/** The faults that a row sent for a table can have. */
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
  /** Place in what was sent. */
  readonly row: number;
  /** As sent; null where there is none. */
  readonly key: WireInput;
  /** Null where no single column is at fault. */
  readonly column: string | null;
  readonly code: RowFaultCode;
  readonly message: string;
}

/** Counts of the outcomes of the rows of one operation. */
export interface RowCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** The first of them. */
  readonly rejected: readonly RejectedRow[];
  readonly rejectedCount: number;
}

export const rejectedRowsMost = 1_000;

/** As the journal has them. */
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
