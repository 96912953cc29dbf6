import { parseRange, type Range } from '../../server/model/range.ts';
import { RangeIndex } from '../../server/state/ids/range-index.ts';
import { rangesOf, type FileRecord } from './file-record.ts';
import type { ImportedTable } from './imported-workbook.ts';

/** Leaves out merged areas that overlap a table or an earlier merged area. */
export function mergesApart(
  records: readonly FileRecord[],
  tables: readonly Pick<ImportedTable, 'range'>[],
): FileRecord[] {
  if (!records.some(({ type }) => type === 'cellmerge')) return [...records];
  const taken = new RangeIndex();
  for (const [at, { range }] of tables.entries()) taken.add(`table ${at}`, parsed(range));
  return records.filter((record, at) => {
    if (record.type !== 'cellmerge') return true;
    const ranges = rangesOf(record);
    if (ranges.some((range) => taken.meeting(range).length > 0)) return false;
    taken.add(`merge ${at}`, ranges);
    return true;
  });
}

function parsed(text: string): Range[] {
  const range = parseRange(text);
  return range ? [range] : [];
}
