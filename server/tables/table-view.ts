import { z } from 'zod';

import { tableMembers } from '../model/table-members.ts';
import type { BranchState } from '../state/branch-state.ts';
import { TableList, type StoredTable, type TableSummary } from '../state/structure/tables.ts';
import { extentOf } from '../state/tables/table-extent.ts';

export const refSchema = z.strictObject({ branch: z.string(), seq: z.int() });

export const tableSchema = z
  .strictObject({
    ...tableMembers,
    rowCount: z.int().describe('Rows between header and totals'),
  })
  .meta({ id: 'Table' });

export interface TableView extends TableSummary {
  readonly rowCount: number;
}

export function viewOf(table: StoredTable, state: BranchState): TableView {
  const [summary] = new TableList([table]).summaries(state.structure);
  if (!summary) throw new Error(`the table ${table.id} has no summary`);
  return { ...summary, rowCount: extentOf(table, state).rowCount };
}
