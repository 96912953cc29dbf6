import { createHash } from 'node:crypto';
import t from 'tap';
import { request } from 'undici';
import { z } from 'zod';

import { openApiDocument } from '../../../server/http/reference/openapi.ts';
import { makeReference, readReference } from '../../../server/http/reference/reference.ts';
import { referenceRoutes } from '../../../server/http/reference/routes.ts';
import { readVersion } from '../../../server/foundation.ts';
import { route } from '../../../server/http/route.ts';
import type { Route } from '../../../server/http/route.ts';
import { routeShapes } from '../../../server/route-shapes.ts';
import { startEdge } from '../../support/edge-server.ts';
import { wholeRouteTable } from '../../support/route-table.ts';

const table: Route[] = [
  route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/ops',
    scope: 'write',
    tag: 'Branches',
    summary: 'Submit <operations>',
    request: {
      params: z.strictObject({ id: z.string(), branch: z.string() }),
      query: z.strictObject({ limit: z.coerce.number().int().default(50) }),
      body: z.strictObject({
        ops: z.array(
          z.discriminatedUnion('kind', [
            z.strictObject({ kind: z.literal('cells.set'), payload: z.any() }),
            z.strictObject({ kind: z.literal('sheet.add'), payload: z.any() }),
          ]),
        ),
      }),
    },
    example: { body: { ops: [{ kind: 'sheet.add', payload: { name: "it's" } }] } },
    responses: { 200: { description: 'ok', schema: z.object({ head: z.int() }) } },
    handler: () => ({ value: { head: 1 } }),
  }),
];

const addresses = {
  baseUrl: 'http://quire.example',
  authUrl: 'http://quire.example',
  siteUrl: 'http://quire.example',
};
const routes: Route[] = [
  ...table,
  ...referenceRoutes(() => makeReference(routes, addresses, '0.1.0')),
];

async function get(url: string, accept?: string): Promise<{ text: string; headers: object }> {
  const answer = await request(url, { headers: accept === undefined ? {} : { accept } });
  return { text: await answer.body.text(), headers: answer.headers };
}

t.test('the OpenAPI document lists every route with its shape', async (t) => {
  const { url } = await startEdge(t, routes);
  const { text } = await get(`${url}/openapi.json`);
  const document = JSON.parse(text) as { paths: Record<string, Record<string, object>> };
  t.equal(Object.keys(document.paths).length, routes.length);
  t.match(document, {
    openapi: '3.1.0',
    security: [{ bearer: [] }],
    servers: [{ url: 'http://quire.example' }],
  });
  t.match(document.paths['/v1/workbooks/{id}/branches/{branch}/ops']?.['post'], {
    operationId: 'postWorkbooksBranchesOps',
    'x-scope': 'write',
    parameters: [{ name: 'id' }, { name: 'branch' }, { name: 'limit', in: 'query' }],
    requestBody: { required: true, content: { 'application/json': { example: {} } } },
    responses: { 200: {}, default: {} },
  });
});

t.test(
  'the page shows every route, runs its own script alone and escapes what it shows',
  async (t) => {
    const { url } = await startEdge(t, routes);
    const { text, headers } = await get(`${url}/docs`, 'text/html,*/*;q=0.8');
    t.match(headers, { 'content-type': 'text/html; charset=utf-8', etag: /"/ });
    t.match(headers, { 'content-security-policy': /default-src 'none'; style-src 'sha256-/ });
    const [script = '', ...more] = [...text.matchAll(/<script>([^]*?)<\/script>/g)].map(
      (m) => m[1],
    );
    t.same(more, []);
    const hash = createHash('sha256').update(script).digest('base64');
    t.match(headers, { 'content-security-policy': `script-src 'sha256-${hash}'` });
    t.notMatch(text, /<operations>/);
    t.match(text, /Submit &lt;operations&gt;/);
    t.match(text, /id="postWorkbooksBranchesOps"/);
    t.match(text, /&quot;cells.set&quot;/);
  },
);

t.test('each error code has a page, in the form the client asks for', async (t) => {
  const { url } = await startEdge(t, routes);
  const page = await get(`${url}/problems/workbook_archived`, 'text/html');
  t.match(page.text, /<h1><code>workbook_archived<\/code><\/h1>/);
  t.match(page.text, /POST \/v1\/workbooks\/\{id\}\/restore/);
  const json = await get(`${url}/problems/workbook_archived`, 'application/json');
  t.match(JSON.parse(json.text), { code: 'workbook_archived', status: 409 });
  const unknown = await get(`${url}/problems/nothing`);
  t.match(JSON.parse(unknown.text), { code: 'not_found' });
});

t.test('what a request may leave out is not required of it', async (t) => {
  const base = 'http://quire.example';
  const addresses = { baseUrl: base, authUrl: base, siteUrl: base };
  const { components } = openApiDocument(wholeRouteTable(), addresses, '1');
  const { Policy, PolicyOutput } = components?.schemas ?? {};
  t.equal((Policy as { required?: unknown }).required, undefined, 'a request may leave all out');
  t.ok((PolicyOutput as { required: string[] }).required.includes('merge'), 'an answer has all');
});

t.test('the build writes what the table says, for one address and for two', (t) => {
  const one = { ...addresses, siteUrl: 'http://site.example' };
  for (const told of [one, { ...one, authUrl: 'http://auth.example/$&' }]) {
    const { json, page } = makeReference(routeShapes(told), told, readVersion());
    const read = readReference(told);
    t.equal(read.json, json);
    t.equal(read.page, page);
  }
  t.end();
});
