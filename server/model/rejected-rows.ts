import { z } from 'zod';

import { valueSchema } from './value-schema.ts';

/** Rows that a write to a table left out, in its answer. */
export const rejectedRows = z
  .array(
    z.strictObject({
      row: z.int().describe('Place in what was sent, from 0'),
      key: valueSchema,
      column: z.string().nullable(),
      code: z.string(),
      message: z.string(),
    }),
  )
  .describe('Rows left out, the first thousand');
