import { z } from 'zod';

import { asFailure } from '../model/as-failure.ts';
import { route, type Call, type Reply, type Route } from '../http/route.ts';
import { Failure } from '../model/failure.ts';
import { bodyLimits } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import type { Documents } from './resources/resources.ts';
import { McpServer, type McpAnswer } from './server.ts';
import type { McpServices } from './services.ts';
import { instructions, workbookCatalogue } from './workbook-catalogue.ts';

export interface McpRouteServices {
  readonly server: McpServer;
  /** Returns whether pages of an origin may call; other clients send none. */
  readonly isOwnOrigin: (origin: string) => boolean;
}

const eventType = 'text/event-stream';
const common = {
  host: 'api',
  path: '/mcp',
  scope: 'read',
  tag: 'MCP',
  produces: [eventType],
  limit: 'read',
  idempotency: 'none',
  resource: '/mcp',
} as const;

/** Most items of a list that is read at all; MCP itself limits batches. */
const listMost = 1_000;

const message = z
  .union([z.array(z.unknown()).max(listMost), z.looseObject({})])
  .describe('One JSON-RPC 2.0 message of MCP; version 2025-03-26 has lists too')
  .meta({ id: 'McpMessage' });

const oneAnswer = z.looseObject({ jsonrpc: z.literal('2.0') });

interface McpSettings {
  readonly documents: Documents;
  readonly version: string;
  readonly allowedOrigins: readonly string[];
  /** True to allow pages of this machine, if the service is only for it. */
  readonly takesLoopback: boolean;
}

/** The server with all that it offers; only here it knows how the edge reads errors. */
export function startMcp(
  given: Omit<McpServices, 'failureOf'>,
  { documents, version, allowedOrigins, takesLoopback }: McpSettings,
): McpRouteServices {
  const services = { ...given, failureOf: asFailure };
  const { environment, rights, report, addresses } = services;
  const info = { name: 'quire', title: 'Quire', version, websiteUrl: addresses.siteUrl };
  const catalogue = workbookCatalogue(services, documents);
  const parts = {
    catalogue,
    rights,
    environment,
    report,
    info,
    instructions,
    failureOf: asFailure,
  };
  const { baseUrl, authUrl, siteUrl } = addresses;
  const own = new Set([baseUrl, authUrl, siteUrl].map((url) => new URL(url).origin));
  for (const origin of allowedOrigins) own.add(origin);
  return {
    server: new McpServer(parts),
    isOwnOrigin: (origin) => own.has(origin) || (takesLoopback && isLoopbackOrigin(origin)),
  };
}

const loopbackOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

function isLoopbackOrigin(origin: string): boolean {
  return loopbackOrigin.test(origin);
}

export function mcpRoutes(services: McpRouteServices): Route[] {
  return [postRoute(services), streamRoute(services), endRoute(services)];
}

function postRoute({ server, isOwnOrigin }: McpRouteServices): Route {
  return route({
    ...common,
    method: 'POST',
    summary: 'MCP: tools, resources and prompts for language models',
    description:
      'The streamable HTTP transport of the Model Context Protocol, versions 2026-07-28 and 2025-11-25. /docs/mcp.md has each tool.',
    bodyLimitBytes: bodyLimits.operationsBytes,
    texts: 'cells',
    // The messages themselves say what they may hold, in answers of JSON-RPC.
    lenient: true,
    request: { body: message },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    responses: {
      200: {
        description: 'The answer, alone or as the last event of a stream',
        schema: z.union([oneAnswer, z.array(oneAnswer)]).meta({ id: 'McpAnswer' }),
      },
      202: { description: 'A notification was heard' },
    },
    handler: async (call) => {
      checkOrigin(call, isOwnOrigin);
      return replyOf(await server.post(call));
    },
  });
}

function streamRoute({ server, isOwnOrigin }: McpRouteServices): Route {
  return route({
    ...common,
    method: 'GET',
    summary: 'MCP: the stream of a session (version 2025-11-25)',
    description:
      'Tells of resources that the session has subscribed to. 405 without the header Mcp-Session-Id: newer clients send subscriptions/listen instead.',
    responses: { 200: { description: 'Events as they come', types: [eventType] } },
    handler: (call) => {
      checkOrigin(call, isOwnOrigin);
      const answer = server.get(call);
      if (!answer) throw notAllowed();
      const { stream } = answer;
      call.signal.addEventListener('abort', () => stream?.end(), { once: true });
      return replyOf(answer);
    },
  });
}

function endRoute({ server, isOwnOrigin }: McpRouteServices): Route {
  return route({
    ...common,
    method: 'DELETE',
    summary: 'MCP: end a session (version 2025-11-25)',
    description: 'Its subscriptions end. 405 without the header Mcp-Session-Id.',
    responses: { 204: { description: 'It is ended' } },
    handler: (call) => {
      checkOrigin(call, isOwnOrigin);
      const answer = server.delete(call);
      if (!answer) throw notAllowed();
      return replyOf(answer);
    },
  });
}

function notAllowed(): Failure {
  return new Failure('methodNotAllowed', {
    detail: 'There is no session: this address takes POST.',
    hint: 'Send messages of the Model Context Protocol by POST; docs/mcp.md has examples.',
    headers: { Allow: 'POST' },
  });
}

/** A page that is made to look like one of this machine must not use what its user may do. */
function checkOrigin(
  { header }: Pick<Call<unknown, unknown, unknown, Principal>, 'header'>,
  isOwnOrigin: McpRouteServices['isOwnOrigin'],
): void {
  const origin = header('origin');
  if (origin === undefined || isOwnOrigin(origin.toLowerCase())) return;
  throw new Failure('originNotAllowed', {
    detail: `Pages of ${origin.slice(0, 200)} may not speak to the MCP server.`,
    hint: 'An operator allows more origins by ALLOWED_ORIGINS.',
  });
}

function replyOf({ status, message: value, stream, headers = {}, cells }: McpAnswer): Reply {
  if (stream) {
    const streaming = { ...headers, 'X-Accel-Buffering': 'no' };
    const cacheControl = 'no-cache, no-transform';
    return { status, stream, type: eventType, headers: streaming, cacheControl };
  }
  const counted = cells === undefined ? {} : { cells };
  return { status, value, headers, cacheControl: 'no-store', ...counted };
}
