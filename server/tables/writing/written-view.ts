import { z } from 'zod';

import { referenceName } from '../../model/reference.ts';
import { rejectedRows } from '../../model/rejected-rows.ts';
import type { RowsWritten } from './run.ts';

export const writtenSchema = z
  .strictObject({
    branch: z.string(),
    ref: z.string().describe('Where all of it can be read'),
    status: z.enum(['applied', 'partial', 'duplicate', 'unchanged']),
    firstSeq: z.int().nullable(),
    lastSeq: z.int().nullable(),
    requestId: z.string().optional().describe('Where some rows were left out'),
    operations: z.int().describe('More than one where it was too much for one'),
    inserted: z.int(),
    updated: z.int(),
    unchanged: z.int().describe('Rows that held all that was sent: nothing is written of them'),
    deleted: z.int(),
    rejected: rejectedRows,
    rejectedMore: z.int().describe('How many are not listed'),
    refused: z
      .array(
        z.strictObject({
          rows: z.tuple([z.int(), z.int()]),
          code: z.string(),
          message: z.string(),
          pointer: z.string(),
        }),
      )
      .describe('Chunks of which nothing was written, by their first and last row'),
  })
  .meta({ id: 'RowsWritten' });

type WrittenView = z.output<typeof writtenSchema>;

/**
 * Returns the answer to a write of rows: the counts, and where they lie in the journal. Where some
 * were left out it has the id of the request, as failures have.
 */
export function writtenView(
  branch: string,
  { head, rejectedCount, ...result }: RowsWritten,
  requestId?: string,
): WrittenView {
  const ref = referenceName(branch, lastOf({ head, ...result }));
  const rejectedMore = rejectedCount - result.rejected.length;
  const { rejected, refused } = result;
  return {
    branch,
    ref,
    ...result,
    ...(requestId !== undefined && rejectedCount + refused.length > 0 && { requestId }),
    rejected: [...rejected],
    refused: refused.map(chunkView),
    rejectedMore,
  };
}

/** The position that the answer to a write shows. */
export function lastOf({ lastSeq, head }: Pick<RowsWritten, 'lastSeq' | 'head'>): number {
  return lastSeq ?? head;
}

function chunkView({ rows: [from, to], ...chunk }: RowsWritten['refused'][number]) {
  return { rows: [from, to] as [number, number], ...chunk };
}

/** Cells for which a request is charged. */
export function chargedCells({ inserted, updated, deleted }: RowsWritten): number {
  return inserted + updated + deleted;
}
