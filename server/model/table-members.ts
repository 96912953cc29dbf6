import { z } from 'zod';

import { payloadSchemas } from './operation.ts';
import { tableStyle } from './payload-tables.ts';

/** Members that describe a table in answers. */
export const tableMembers = {
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
};
