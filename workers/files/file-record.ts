import type { JsonObject } from '../../server/model/plain-json.ts';
import { parseRange, type Range } from '../../server/model/range.ts';
import type { RecordType } from '../../server/model/record.ts';

/** A record of a sheet, in the words of operations, that comes from a file or goes into one. */
export interface FileRecord {
  readonly type: RecordType;
  /** Areas of the record; null if it belongs to the whole sheet. */
  readonly ranges: readonly string[] | null;
  readonly value: JsonObject;
}

/**
 * Returns the cell to which a file's formulas are relative: the corner of the box around all
 * ranges.
 */
export function cornerOf(ranges: readonly Range[]): { row: number; column: number } {
  let [row, column] = [Infinity, Infinity];
  for (const range of ranges) {
    row = Math.min(row, range.row0);
    column = Math.min(column, range.column0);
  }
  return ranges.length === 0 ? { row: 0, column: 0 } : { row, column };
}

export function rangesOf({ ranges }: FileRecord): Range[] {
  return (ranges ?? []).flatMap((text) => parseRange(text) ?? []);
}
