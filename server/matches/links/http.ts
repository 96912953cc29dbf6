import { z } from 'zod';

import { route, type Route } from '../../http/route.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { reconciliationLimits as limits } from '../reconciliation/limits.ts';
import type { ReconciliationLinks } from '../reconciliation/links.ts';
import type { ReconciliationLink } from '../reconciliation/sql.ts';

export interface LinkServices {
  readonly links: ReconciliationLinks;
  readonly registry: Pick<WorkbookRegistry, 'visible' | 'writable'>;
  readonly baseUrl: string;
}

const shared = { host: 'api', tag: 'Matching' } as const;
const params = z.strictObject({ id: z.string() });
const tableParams = params.extend({ tid: z.string() });
const linkParams = params.extend({ link: z.string() });
const time = z.string().meta({ format: 'date-time' });

const creation = z.strictObject({
  branch: z
    .string()
    .min(1)
    .max(300)
    .default('main')
    .describe('A branch or a position, such as main@42'),
  column: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The names that are looked for; default the first column beside the key'),
  days: z
    .int()
    .min(1)
    .max(limits.daysMost)
    .default(limits.daysDefault)
    .describe('The link opens nothing after so many'),
});

const linkSchema = z
  .strictObject({
    id: z.string(),
    branch: z.string(),
    tableId: z.string(),
    createdBy: z.string().describe('Id of a person or agent'),
    createdAt: time,
    expiresAt: time,
    url: z.string().optional().describe('For OpenRefine; told only when it is made'),
  })
  .meta({ id: 'ReconciliationLink' });

export function linkRoutes(services: LinkServices): Route[] {
  return [createRoute(services), listRoute(services), revokeRoute(services)];
}

function createRoute({ links, registry, baseUrl }: LinkServices): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/workbooks/:id/tables/:tid/reconciliation',
    scope: 'write',
    summary: 'Reconciliation: make an address of a table for OpenRefine',
    description:
      'Whoever has the address can match names with the rows of this table, and read them: nothing else, and without a credential. It ends by itself or by DELETE.',
    bodyOptional: true,
    idempotency: 'none',
    request: { params: tableParams, body: creation },
    example: { body: { column: 'Name', days: 30 } },
    responses: { 201: { description: 'The link with its address', schema: linkSchema } },
    handler: async ({ params: { id: workbookId, tid: table }, body, principal }) => {
      await registry.writable(workbookId, principal);
      const { branch: reference, column, days } = body;
      const createdBy = principal.userId;
      const asked = { workbookId, table, reference, column, days, createdBy };
      const { link, token } = await links.add(asked);
      const value = { ...viewOf(link), url: `${baseUrl}/v1/reconciliation/${token}` };
      return { status: 201, value, cacheControl: 'no-store' };
    },
  });
}

function listRoute({ links, registry }: LinkServices): Route {
  const schema = z.strictObject({ links: z.array(linkSchema) });
  return route({
    ...shared,
    method: 'GET',
    path: '/v1/workbooks/:id/reconciliation',
    scope: 'read',
    summary: 'Reconciliation: list the addresses that there are',
    description:
      'For the owner of the workbook, the newest first, without the addresses themselves.',
    request: { params },
    responses: { 200: { description: 'All of them', schema } },
    handler: async ({ params: { id }, principal }) => {
      await registry.visible(id, principal);
      return { value: { links: (await links.list(id)).map(viewOf) } };
    },
  });
}

function revokeRoute({ links, registry }: LinkServices): Route {
  return route({
    ...shared,
    method: 'DELETE',
    path: '/v1/workbooks/:id/reconciliation/:link',
    scope: 'write',
    summary: 'Reconciliation: revoke an address',
    description:
      'From then on it opens nothing, on any process; also of a workbook that is archived.',
    idempotency: 'none',
    request: { params: linkParams },
    responses: { 204: { description: 'It is gone' } },
    handler: async ({ params: { id, link }, principal }) => {
      await registry.visible(id, principal);
      await links.revoke(id, link);
      return { status: 204 };
    },
  });
}

function viewOf({ id, reference, tableId, createdBy, createdAt, expiresAt }: ReconciliationLink) {
  return {
    id,
    branch: reference,
    tableId,
    createdBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}
