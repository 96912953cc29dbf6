import { createHash } from 'node:crypto';

import { route } from '../../http/route.ts';
import type { Reply, Route } from '../../http/route.ts';
import type { Addresses } from '../../model/addresses.ts';
import type { Environment } from '../../model/environment.ts';
import { authMarkdown, llmsText, securityText } from './auth-md.ts';
import { authorizationServer, protectedResource } from './discovery.ts';

export interface DocumentServices {
  readonly addresses: Addresses;
  readonly environment: Environment;
  readonly registrationTypes: readonly string[];
}

const document = {
  host: 'any',
  method: 'GET',
  scope: null,
  limit: 'none',
  tag: 'Identity',
} as const;
const cacheControl = 'public, max-age=300';
const markdown = 'text/markdown';
const plain = 'text/plain';

/** What an agent finds that knows nothing but one of our addresses. */
export function documentRoutes(services: DocumentServices): Route[] {
  const { addresses, environment, registrationTypes } = services;
  const authMd = textReply(authMarkdown(addresses), markdown);
  const llms = textReply(llmsText(addresses), plain);
  return [
    ...resourceRoutes(addresses),
    route({
      ...document,
      host: 'auth',
      path: '/.well-known/oauth-authorization-server',
      summary: 'The authorization server, and how agents register (RFC 8414)',
      responses: { 200: { description: 'Metadata with the block agent_auth' } },
      handler: () => ({ value: authorizationServer(addresses, registrationTypes), cacheControl }),
    }),
    route({
      ...document,
      path: '/auth.md',
      produces: [markdown, plain],
      summary: 'How an agent gets a key and is claimed, step by step',
      responses: { 200: { description: 'The page', types: [markdown] } },
      handler: () => authMd,
    }),
    route({
      ...document,
      path: '/llms.txt',
      produces: [plain],
      summary: 'Where a language model begins',
      responses: { 200: { description: 'The page', types: [plain] } },
      handler: () => llms,
    }),
    route({
      ...document,
      path: '/.well-known/security.txt',
      produces: [plain],
      summary: 'Whom to tell of a weakness or a leaked key (RFC 9116)',
      responses: { 200: { description: 'The page', types: [plain] } },
      handler: () => textReply(securityText(addresses, environment.now()), plain),
    }),
  ];
}

function resourceRoutes(addresses: Addresses): Route[] {
  const base = '/.well-known/oauth-protected-resource';
  return (['', '/mcp'] as const).map((path) =>
    route({
      ...document,
      path: `${base}${path}`,
      summary: path === '' ? 'Where to get a credential (RFC 9728)' : 'The same for /mcp',
      responses: { 200: { description: 'Metadata of the protected resource' } },
      handler: () => ({ value: protectedResource(addresses, path), cacheControl }),
    }),
  );
}

function textReply(text: string, type: string): Reply {
  const etag = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { bytes: text, type: `${type}; charset=utf-8`, etag, cacheControl };
}
