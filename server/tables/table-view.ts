import { z } from 'zod';

import { payloadSchemas } from '../model/operation.ts';
import { tableStyle } from '../model/payload-tables.ts';
import type { BranchState } from '../state/branch-state.ts';
import { TableList, type StoredTable, type TableSummary } from '../state/structure/tables.ts';
import { extentOf } from '../state/tables/table-extent.ts';

export const refSchema = z.strictObject({ branch: z.string(), seq: z.int() });

export const tableSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    sheet: z.string().describe('Name of its sheet'),
    sheetId: z.string(),
    range: z.string().describe('With header and totals'),
    keyColumn: z.string().nullable(),
    schema: payloadSchemas['table.create'].shape.schema.unwrap(),
    headerRow: z.boolean(),
    totalsRow: z.boolean(),
    style: tableStyle.optional(),
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
