import { z } from 'zod';

import { positionTag, readReference } from '../../branches/place.ts';
import { route, type Route } from '../../http/route.ts';
import { operationKinds } from '../../model/operation.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { BranchSource } from '../branch-source.ts';
import { notModified, readRange } from '../http.ts';
import type { Blame } from './blame.ts';

export interface BlameServices {
  readonly registry: Pick<WorkbookRegistry, 'visible'>;
  readonly source: Pick<BranchSource, 'locate'>;
  readonly blame: Blame;
}

const facts = z.strictObject({
  branch: z.string().nullable().describe('Branch it was written to; null if that is deleted'),
  seq: z.int(),
  by: z.string().describe('Name of the person or agent'),
  actor: z.string().describe('Id of the same'),
  writer: z.string().describe('Name that the client wrote under, of its own choice'),
  at: z.string().meta({ format: 'date-time' }),
  proof: z
    .string()
    .nullable()
    .describe('Path of its proof by the transparency log; null if it is older than the log'),
});

const origin = facts
  .extend({
    kind: z.enum(operationKinds),
    opId: z.string().nullable(),
    merge: facts
      .extend({ id: z.string() })
      .nullable()
      .describe('The merge by which it came to this branch; null where it was written here'),
  })
  .meta({ id: 'Origin' });

const blamePage = z
  .strictObject({
    ref: z.strictObject({ branch: z.string(), seq: z.int() }),
    sheet: z.string(),
    complete: z.boolean().describe('Whether the journal was read as far as needed'),
    next: z.string().nullable().describe('The `cursor` that goes on; null when it is complete'),
    cells: z
      .array(
        origin.extend({
          cell: z.string(),
          format: origin.nullable().describe('Who formatted it; null where nobody is known'),
        }),
      )
      .describe('Cells that hold something, with the operation that wrote it'),
    formats: z
      .array(z.strictObject({ cell: z.string(), format: origin }))
      .describe('Of cells that an earlier page had'),
  })
  .meta({ id: 'BlamePage' });

export function blameRoutes(services: BlameServices): Route[] {
  return [blameRoute(services)];
}

function blameRoute({ registry, source, blame }: BlameServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/blame',
    scope: 'read',
    tag: 'Reading',
    summary: 'Blame: who wrote the cells of a range',
    description:
      'The operation that last wrote each filled cell, wherever it has moved since: of what came by a merge, the operation on the branch that was merged, with the merge beside it.',
    request: {
      params: z.strictObject({ id: z.string() }),
      query: z.strictObject({
        ref: z
          .string()
          .default('main')
          .describe('`branch`, `branch@seq`, `commit:<tag>` or `merge:<id>`'),
        range: z.string().describe('A1 range, `Sheet!A1:Z100` or of the first sheet'),
        cursor: z.string().max(4_096).optional().describe('`next` of the page before'),
      }),
    },
    example: { query: 'range=A1:C10' },
    responses: { 200: { description: 'The writers', schema: blamePage } },
    handler: async (call) => {
      const { id } = call.params;
      const { range: text, ref, cursor } = call.query;
      const range = readRange(text);
      await registry.visible(id, call.principal);
      const place = await source.locate(id, readReference(ref));
      const unchanged = cursor === undefined ? notModified(call, place) : undefined;
      if (unchanged) return unchanged;
      const page = await blame.read({ workbookId: id, place, range, text, cursor });
      const { seq, next = null, ...found } = page;
      const complete = next === null;
      const value = { ref: { branch: place.branch, seq }, complete, next, ...found };
      const etag = positionTag(place, seq);
      const cells = found.cells.length;
      return cursor === undefined ? { value, cells, etag } : { value, cells };
    },
  });
}
