import { z } from 'zod';

import { route, type Reply, type Route } from '../http/route.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { webhookLimits as limits } from './limits.ts';
import { isSecret } from './secret.ts';
import { eventTypes, type Delivery, type Webhook } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

export interface WebhookServices {
  readonly webhooks: Webhooks;
  readonly registry: WorkbookRegistry;
}

const shared = { host: 'api', tag: 'Webhooks' } as const;
const ulid = '[0-9A-HJKMNP-TV-Z]{26}';
const params = z.strictObject({ id: z.string() });
const hookParams = params.extend({ webhook: z.string() });
const time = z.string().meta({ format: 'date-time' });

const creation = z.strictObject({
  url: z.string().min(1).max(limits.urlLength).describe('Where events are sent; https'),
  events: z
    .array(z.enum(eventTypes))
    .min(1)
    .max(eventTypes.length)
    .default(['operations.applied'])
    .describe('What is told'),
  secret: z
    .string()
    .refine(isSecret, 'not a secret: it is whsec_ and 24 to 64 bytes in base64')
    .optional()
    .describe('whsec_ and base64 of 24 to 64 bytes; made when left out'),
});

const webhookSchema = z
  .strictObject({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(eventTypes)),
    createdBy: z.string().describe('Id of a person or agent'),
    createdAt: time,
    disabledAt: time.nullable().describe('Since then nothing is sent: a replay enables it'),
    disabledBecause: z.string().nullable(),
  })
  .meta({ id: 'Webhook' });

const created = webhookSchema
  .extend({ secret: z.string().describe('What signatures are made with; told only now') })
  .meta({ id: 'CreatedWebhook' });

const delivery = z
  .strictObject({
    id: z.string().describe('The header webhook-id, of each try'),
    type: z.enum(eventTypes),
    state: z.enum(['waiting', 'delivered', 'failed']),
    attempts: z.int(),
    madeAt: time,
    at: time.describe('Of the next try, or of the end'),
    lastStatus: z.int().nullable(),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

const replayBody = z.strictObject({
  deliveries: z
    .array(z.string().regex(new RegExp(`^msg_${ulid}$`, 'u'), 'not the id of a delivery'))
    .min(1)
    .max(limits.replayMost)
    .optional()
    .describe('These; all that failed when both are left out'),
  since: z.iso.datetime().optional().describe('All that were made since then'),
});

export function webhookRoutes(services: WebhookServices): Route[] {
  return [
    createRoute(services),
    listRoute(services),
    getRoute(services),
    removeRoute(services),
    replayRoute(services),
  ];
}

function createRoute({ webhooks, registry }: WebhookServices): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/workbooks/:id/webhooks',
    scope: 'write',
    summary: 'Webhook: have events of a workbook sent to an address',
    description: 'Signed as Standard Webhooks has it; /docs/webhooks.md has the events.',
    request: { params, body: creation },
    example: { body: { url: 'https://example.com/hook', events: ['operations.applied'] } },
    responses: { 201: { description: 'The webhook with its secret', schema: created } },
    handler: async ({ params: { id: workbookId }, body, principal }): Promise<Reply> => {
      const { archived } = await registry.writable(workbookId, principal);
      const { url, events, secret: given } = body;
      const createdBy = principal.userId;
      const asked = { workbookId, url, events, secret: given, createdBy, archived };
      const { webhook, secret } = await webhooks.add(asked);
      const value = { ...webhookView(webhook), secret };
      const location = `/v1/workbooks/${workbookId}/webhooks/${webhook.id}`;
      return { status: 201, value, headers: { Location: location }, cacheControl: 'no-store' };
    },
  });
}

function listRoute({ webhooks, registry }: WebhookServices): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/v1/workbooks/:id/webhooks',
    scope: 'read',
    summary: 'Webhooks of a workbook',
    description: 'For its owner, without their secrets.',
    request: { params },
    responses: {
      200: {
        description: 'All of them',
        schema: z.strictObject({ webhooks: z.array(webhookSchema) }).meta({ id: 'Webhooks' }),
      },
    },
    handler: async ({ params: { id }, principal }) => {
      await registry.visible(id, principal);
      return { value: { webhooks: (await webhooks.list(id)).map(webhookView) } };
    },
  });
}

function getRoute({ webhooks, registry }: WebhookServices): Route {
  const schema = webhookSchema
    .extend({ deliveries: z.array(delivery).describe('The latest first') })
    .meta({ id: 'WebhookWithDeliveries' });
  return route({
    ...shared,
    method: 'GET',
    path: '/v1/workbooks/:id/webhooks/:webhook',
    scope: 'read',
    summary: 'Webhook: what was sent, what waits, and why it was not taken',
    description: `With its latest ${limits.listedDeliveries} deliveries, for ${limits.keptDays} days.`,
    request: { params: hookParams },
    responses: { 200: { description: 'The webhook with its latest deliveries', schema } },
    handler: async ({ params: { id, webhook: hookId }, principal }) => {
      await registry.visible(id, principal);
      const { webhook, deliveries } = await webhooks.get(id, hookId);
      return { value: { ...webhookView(webhook), deliveries: deliveries.map(deliveryView) } };
    },
  });
}

function removeRoute({ webhooks, registry }: WebhookServices): Route {
  return route({
    ...shared,
    method: 'DELETE',
    path: '/v1/workbooks/:id/webhooks/:webhook',
    scope: 'write',
    summary: 'Remove a webhook, and what waits to be sent to it',
    description: 'A delivery that is under way may still arrive.',
    request: { params: hookParams },
    responses: { 204: { description: 'It is gone' } },
    handler: async ({ params: { id, webhook }, principal }) => {
      await registry.writable(id, principal);
      await webhooks.remove(id, webhook);
      return { status: 204 };
    },
  });
}

function replayRoute({ webhooks, registry }: WebhookServices): Route {
  const schema = z
    .strictObject({ replayed: z.int(), webhook: webhookSchema })
    .meta({ id: 'WebhookReplay' });
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/workbooks/:id/webhooks/:webhook/replay',
    scope: 'write',
    summary: 'Webhook: send again what failed, and enable it',
    description: `Deliveries keep their ids. At most ${limits.replayMost} at a time, of the last ${limits.keptDays} days. A webhook that was disabled is told all that it missed.`,
    bodyOptional: true,
    request: { params: hookParams, body: replayBody },
    example: { body: { since: '2026-01-01T00:00:00Z' } },
    responses: { 202: { description: 'How many will be sent', schema } },
    handler: async ({ params: { id, webhook: hookId }, body, principal }) => {
      await registry.writable(id, principal);
      const since = body.since === undefined ? undefined : new Date(body.since);
      const asked = { ids: body.deliveries, since };
      const { webhook, replayed } = await webhooks.replay({ workbookId: id, id: hookId }, asked);
      return { status: 202, value: { replayed, webhook: webhookView(webhook) } };
    },
  });
}

function webhookView({ workbookId: _workbook, createdAt, disabledAt, ...rest }: Webhook) {
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    disabledAt: disabledAt?.toISOString() ?? null,
  };
}

function deliveryView({ madeAt, at, ...rest }: Delivery) {
  return { ...rest, madeAt: madeAt.toISOString(), at: at.toISOString() };
}
