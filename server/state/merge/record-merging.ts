import type { SheetOutline } from '../structure/structure.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import type { ContestPlace, Side } from './judge.ts';
import { stateOf, type Merging } from './merging.ts';
import type { MergedEnds } from './merged-ends.ts';
import type { RestoredRecord } from './restoration.ts';

/** The merge of the records of one sheet, with the changes collected so far. */
export interface SheetMerging {
  readonly merging: Merging;
  /** The sheet in theirs. */
  readonly was: SheetOutline;
  /** The sheet with merged lines. */
  readonly sheet: SheetOutline;
  readonly put: RestoredRecord[];
  readonly deletes: string[];
  /** Ids of tables that make room for merged cells. */
  readonly drops: string[];
  /** Carries areas of each side into the merged state. */
  readonly ends: Readonly<Record<Side, MergedEnds>>;
}

export function contestKind(record: StoredRecord | undefined): 'cell.note' | 'rule.edit' {
  return record?.type === 'note' ? 'cell.note' : 'rule.edit';
}

export function cellOf(record: StoredRecord | undefined): Pick<ContestPlace, 'row' | 'column'> {
  const area = record?.areas[0];
  const row = area?.rows?.first;
  const column = area?.columns?.first;
  return { ...(row && { row }), ...(column && { column }) };
}

export function nameOf({ merging, sheet }: SheetMerging, record: StoredRecord | undefined): string {
  if (!record) return 'a record';
  if (record.id !== '') return `${record.type} ${record.id}`;
  const held = stateOf(merging).records.get(recordKey(record));
  const range = held && stateOf(merging).records.rangesOf(held, sheet)[0];
  return range ? `${record.type} at ${sheet.name}!${range.row0 + 1}` : `a ${record.type}`;
}
