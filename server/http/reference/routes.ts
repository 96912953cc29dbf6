import { createHash } from 'node:crypto';
import { z } from 'zod';

import type { Addresses } from '../../model/addresses.ts';
import { Failure } from '../../model/failure.ts';
import { jsonType, preferred } from '../negotiate.ts';
import { route } from '../route.ts';
import type { Reply, Route } from '../route.ts';
import { errorPageHtml, readErrorPages } from './error-pages.ts';
import { openApiDocument } from './openapi.ts';
import { pagePolicy, pageType } from './page.ts';
import { referencePage } from './reference-page.ts';

const html = 'text/html';
const markdownType = 'text/markdown';
const tag = 'Reference';
const shared = { host: 'api', method: 'GET', scope: null, limit: 'none', tag } as const;
const cacheControl = 'public, max-age=300';

/** What the service says about itself, made from the table of all its routes. */
export function referenceRoutes(
  routes: readonly Route[],
  addresses: Addresses,
  version: string,
): Route[] {
  let documents: Documents | undefined;
  // Made for the first who reads it: it takes longer than all else that a start needs.
  const make = (): Documents => {
    const document = openApiDocument([...routes, ...own], addresses, version);
    const json = ready(JSON.stringify(document), jsonType);
    return { json, page: ready(referencePage(document), pageType) };
  };
  const own = ownRoutes(() => (documents ??= make()));
  return own;
}

interface Documents {
  readonly json: Reply;
  readonly page: Reply;
}

function ready(text: string, type: string): Reply {
  const etag = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const isPage = type === pageType;
  const headers = isPage ? { 'Content-Security-Policy': pagePolicy } : {};
  return { bytes: Buffer.from(text), type, etag, cacheControl, headers };
}

function ownRoutes(documents: () => Documents): Route[] {
  const pages = readErrorPages();
  return [
    route({
      ...shared,
      path: '/openapi.json',
      summary: 'This API as OpenAPI 3.1',
      responses: { 200: { description: 'The document', types: [jsonType] } },
      handler: () => documents().json,
    }),
    route({
      ...shared,
      path: '/docs',
      summary: 'This API as a page',
      produces: [html],
      responses: { 200: { description: 'The page', types: [html] } },
      handler: () => documents().page,
    }),
    route({
      ...shared,
      path: '/problems/:code',
      summary: 'What an error code means and what to do about it',
      produces: [html, markdownType],
      request: { params: z.strictObject({ code: z.string() }) },
      responses: { 200: { description: 'The page', types: [html, markdownType, jsonType] } },
      handler: ({ params, header }) => {
        const page = pages.get(params.code);
        if (page === undefined) {
          throw new Failure('notFound', { detail: `There is no error code ${params.code}.` });
        }
        const type = preferred(header('accept'), [html, jsonType, markdownType]);
        if (type === jsonType) return { value: page, cacheControl };
        if (type === markdownType)
          return { bytes: page.markdown, type: markdownType, cacheControl };
        const headers = { 'Content-Security-Policy': pagePolicy };
        return { bytes: errorPageHtml(page), type: pageType, cacheControl, headers };
      },
    }),
  ];
}
