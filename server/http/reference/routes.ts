import { createHash } from 'node:crypto';
import { z } from 'zod';

import { Failure } from '../../model/failure.ts';
import { jsonType, preferred } from '../negotiate.ts';
import { route } from '../route.ts';
import type { Reply, Route } from '../route.ts';
import { errorPageHtml, readErrorPages } from './error-pages.ts';
import { readDocuments } from './documents.ts';
import { pagePolicy, pageType } from './page.ts';
import type { Reference } from './reference.ts';

const html = 'text/html';
const markdownType = 'text/markdown';
const tag = 'Reference';
const shared = { host: 'api', method: 'GET', scope: null, limit: 'none', tag } as const;
const cacheControl = 'public, max-age=300';

/** Routes of the service's own reference; it is read when somebody first asks for it. */
export function referenceRoutes(read: () => Reference): Route[] {
  let documents: Documents | undefined;
  const readOnce = (): Documents => {
    const { json, page } = read();
    return { json: ready(json, jsonType), page: ready(page, pageType) };
  };
  return [...documentRoutes(() => (documents ??= readOnce())), textRoute(), problemRoute()];
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

/** The pages of docs/ as they are, for language models and for people who like plain text. */
function textRoute(): Route {
  const texts = readDocuments();
  return route({
    ...shared,
    path: '/docs/:page',
    summary: 'A page of the documentation as Markdown',
    description: 'The names are listed in `/llms.txt`, such as `operations.md` and `merges.md`.',
    produces: [markdownType, 'text/plain'],
    request: { params: z.strictObject({ page: z.string().describe('Such as operations.md') }) },
    responses: { 200: { description: 'The page', types: [markdownType] } },
    handler: ({ params: { page } }) => {
      const text = texts.get(page) ?? texts.get(`${page}.md`);
      if (text === undefined) {
        throw new Failure('notFound', {
          detail: 'There is no such page of the documentation.',
          hint: `The pages are ${[...texts.keys()].join(', ')}.`,
        });
      }
      return { bytes: text, type: `${markdownType}; charset=utf-8`, cacheControl };
    },
  });
}

function documentRoutes(documents: () => Documents): Route[] {
  return [
    route({
      ...shared,
      path: '/openapi.json',
      summary: 'This API as OpenAPI 3.1',
      description: 'Every route with its parameters, bodies, answers and examples.',
      responses: { 200: { description: 'The document', types: [jsonType] } },
      handler: () => documents().json,
    }),
    route({
      ...shared,
      path: '/docs',
      summary: 'This API as a page',
      description: 'The same for people, with a search and an example of every operation.',
      produces: [html],
      responses: { 200: { description: 'The page', types: [html] } },
      handler: () => documents().page,
    }),
  ];
}

function problemRoute(): Route {
  const pages = readErrorPages();
  return route({
    ...shared,
    path: '/problems/:code',
    summary: 'Explains an error code, and what to do about it',
    description: 'The `type` of a problem document leads here. As a page, as Markdown or as JSON.',
    produces: [html, markdownType],
    request: { params: z.strictObject({ code: z.string() }) },
    responses: { 200: { description: 'The page', types: [html, markdownType, jsonType] } },
    handler: ({ params, header }) => {
      const page = pages.get(params.code);
      if (page === undefined) {
        throw new Failure('notFound', { detail: 'There is no such error code.' });
      }
      const type = preferred(header('accept'), [html, jsonType, markdownType]);
      if (type === jsonType) return { value: page, cacheControl };
      if (type === markdownType) return { bytes: page.markdown, type: markdownType, cacheControl };
      const headers = { 'Content-Security-Policy': pagePolicy };
      return { bytes: errorPageHtml(page), type: pageType, cacheControl, headers };
    },
  });
}
