import { createHash } from 'node:crypto';

import { preferred } from '../../http/negotiate.ts';
import { servedDocuments } from '../../http/reference/documents.ts';
import { route } from '../../http/route.ts';
import type { Reply, Route } from '../../http/route.ts';
import type { Addresses } from '../../model/addresses.ts';
import type { Environment } from '../../model/environment.ts';
import { authMarkdown, llmsText, robotsText, securityText } from './auth-md.ts';
import { authorizationServer, protectedResource } from './discovery.ts';
import { iconSvg } from './icon.ts';

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
const json = 'application/json';
const markdown = 'text/markdown';
const plain = 'text/plain';
const svg = 'image/svg+xml';
const html = 'text/html';

/** Makes the routes of documents for agents that know only one of the service's addresses. */
export function documentRoutes(services: DocumentServices): Route[] {
  const { addresses, environment, registrationTypes } = services;
  const authMd = textReply(authMarkdown(addresses), markdown);
  const llms = textReply(llmsText(addresses, servedDocuments), plain);
  return [
    route({
      ...document,
      path: '/.well-known/oauth-protected-resource',
      summary: 'Where to get a credential (RFC 9728)',
      description:
        'Which authorization server gives tokens for the workbook service, and which scopes there are.',
      responses: { 200: { description: 'Metadata of the protected resource', types: [json] } },
      handler: () => ({ value: protectedResource(addresses), cacheControl }),
    }),
    route({
      ...document,
      path: '/.well-known/oauth-protected-resource/mcp',
      summary: 'The same for the MCP server (RFC 9728)',
      description:
        'Metadata of `/mcp` as a protected resource: its tokens are those of the workbook service.',
      responses: { 200: { description: 'Metadata of the protected resource', types: [json] } },
      handler: () => ({ value: protectedResource(addresses, '/mcp'), cacheControl }),
    }),
    route({
      ...document,
      host: 'auth',
      path: '/.well-known/oauth-authorization-server',
      summary: 'The authorization server, and how agents register (RFC 8414)',
      description:
        'The endpoints of OAuth 2.1, and `agent_auth`: how an agent registers by itself.',
      responses: { 200: { description: 'Metadata with the block agent_auth', types: [json] } },
      handler: () => ({ value: authorizationServer(addresses, registrationTypes), cacheControl }),
    }),
    route({
      ...document,
      path: '/auth.md',
      produces: [markdown, plain],
      summary: 'How an agent gets a key and is claimed, step by step',
      description:
        'Markdown for an agent that knows nothing but this address, with requests to copy.',
      responses: { 200: { description: 'The page', types: [markdown] } },
      handler: () => authMd,
    }),
    route({
      ...document,
      path: '/llms.txt',
      produces: [plain],
      summary: 'Where a language model begins',
      description: 'What the service is and where its documents are, as plain text (llmstxt.org).',
      responses: { 200: { description: 'The page', types: [plain] } },
      handler: () => llms,
    }),
    ...unaskedRoutes(),
    rootRoute(addresses),
    route({
      ...document,
      path: '/.well-known/security.txt',
      produces: [plain],
      summary: 'Whom to tell of a weakness or a leaked key (RFC 9116)',
      description: 'The address for reports, and until when this file is valid.',
      responses: { 200: { description: 'The page', types: [plain] } },
      handler: () => textReply(securityText(addresses, environment.now()), plain),
    }),
  ];
}

/** Route `/`: leads a browser to the pages for people, and returns links to everything else. */
function rootRoute(addresses: Addresses): Route {
  const { baseUrl, authUrl, siteUrl } = addresses;
  const links = {
    api: `${baseUrl}/v1`,
    mcp: `${baseUrl}/mcp`,
    register: `${authUrl}/agent/auth`,
    authMd: `${authUrl}/auth.md`,
    llms: `${baseUrl}/llms.txt`,
    openapi: `${baseUrl}/openapi.json`,
    docs: `${baseUrl}/docs`,
    health: `${baseUrl}/health`,
    ready: `${baseUrl}/ready`,
    site: `${siteUrl}/agents`,
    console: `${siteUrl}/console`,
  };
  const link = [
    `<${links.openapi}>; rel="service-desc"`,
    `<${links.docs}>; rel="service-doc"`,
    `<${links.llms}>; rel="describedby"; type="text/plain"`,
    `<${links.health}>; rel="status"`,
  ].join(', ');
  const about = 'Versioned workbooks for software agents and people.';
  const hint = `POST ${links.register} {"type":"anonymous"} for a key; ${links.authMd} has every step.`;
  return route({
    ...document,
    path: '/',
    produces: [json, html],
    summary: 'Where everything is; a browser is led to the pages for people',
    description: 'Links to the API, its documents and the way to register, as JSON.',
    responses: {
      200: { description: 'Links', types: [json] },
      303: { description: 'The console' },
    },
    handler: ({ header }) => {
      const accepted = preferred(header('accept'), [json, html]);
      if (accepted === html) return { status: 303, headers: { Location: links.console } };
      const value = { name: 'Quire', about, hint, links };
      return { value, headers: { Link: link }, cacheControl };
    },
  });
}

/** Routes of files that crawlers and browsers request on their own. */
function unaskedRoutes(): Route[] {
  const robots = textReply(robotsText, plain);
  const icon = textReply(iconSvg, svg);
  return [
    route({
      ...document,
      path: '/robots.txt',
      hidden: true,
      produces: [plain],
      summary: 'Pages for people may be read by crawlers, workbooks not (RFC 9309)',
      description:
        'Keeps crawlers away from everything but the documents and the pages for people.',
      responses: { 200: { description: 'The rules', types: [plain] } },
      handler: () => robots,
    }),
    route({
      ...document,
      path: '/favicon.svg',
      hidden: true,
      produces: [svg],
      summary: 'The icon of the pages',
      description: 'An SVG for light and dark themes.',
      responses: { 200: { description: 'The icon', types: [svg] } },
      handler: () => icon,
    }),
    route({
      ...document,
      path: '/favicon.ico',
      hidden: true,
      summary: 'Leads to the icon, for browsers that ask here unasked',
      description: 'A permanent redirect to `/favicon.svg`.',
      responses: { 301: { description: 'The place of the icon' } },
      handler: () => ({ status: 301, headers: { Location: '/favicon.svg' }, cacheControl }),
    }),
  ];
}

function textReply(text: string, type: string): Reply {
  const etag = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { bytes: text, type: `${type}; charset=utf-8`, etag, cacheControl };
}
