import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { pack, unpack } from 'msgpackr';
import t from 'tap';
import { request } from 'undici';
import { z } from 'zod';

import { route } from '../../../server/http/route.ts';
import type { Route } from '../../../server/http/route.ts';
import { startEdge } from '../../support/edge-server.ts';

const responses = { 200: { description: 'ok' } };
const facts = { host: 'api', scope: null, tag: 'Test', summary: 'test', responses } as const;

const itemsQuery = z.strictObject({
  count: z.coerce.number().int().min(0).max(1_000_000).default(3),
  range: z.array(z.string()).optional(),
});

function rowCount(count: number): number[][] {
  return Array.from({ length: count }, (_, row) => [row, row * 2]);
}

const routes: Route[] = [
  route({
    ...facts,
    method: 'POST',
    path: '/v1/echo',
    request: {
      body: z.strictObject({
        name: z.string(),
        count: z.int().optional(),
        any: z.any().optional(),
      }),
    },
    handler: ({ body }) => ({ value: { body }, status: 201 }),
  }),
  route({
    ...facts,
    method: 'GET',
    path: '/v1/items',
    produces: ['application/x-ndjson'],
    request: { query: itemsQuery },
    handler: ({ query }) => ({
      rows: { header: { ranges: query.range ?? [] }, member: 'rows', items: rowCount(query.count) },
    }),
  }),
  route({
    ...facts,
    method: 'GET',
    path: '/v1/state',
    handler: () => ({ value: { hello: 'x'.repeat(2000) }, etag: 'main@42' }),
  }),
  route({
    ...facts,
    scope: 'account',
    method: 'GET',
    path: '/v1/account/usage',
    handler: () => ({ value: {} }),
  }),
  route({
    ...facts,
    scope: 'write',
    method: 'POST',
    path: '/v1/workbooks/:id/files',
    bodyLimitBytes: 100_000,
    files: ['text/csv'],
    request: {
      params: z.object({ id: z.string() }),
      body: z.strictObject({ name: z.string() }),
    },
    handler: ({ params, file, body, principal }) => ({
      value: { id: params.id, user: principal.userId, bytes: file?.bytes.length, name: body?.name },
    }),
  }),
  route({
    ...facts,
    method: 'GET',
    path: '/v1/fault',
    handler: () => {
      throw new Error('a bug with a secret in it');
    },
  }),
];

async function call(
  url: string,
  options: Parameters<typeof request>[1] = {},
): Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer; json: unknown }> {
  const answer = await request(url, options);
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const isJson = /[/+]json$/.test(String(answer.headers['content-type']));
  const plain = answer.headers['content-encoding'] === undefined;
  const json: unknown = isJson && plain && bytes.length > 0 ? JSON.parse(bytes.toString()) : {};
  return { status: answer.statusCode, headers: answer.headers, bytes, json };
}

const asJson = { 'content-type': 'application/json' };

t.test('a JSON body is parsed, validated and answered', async (t) => {
  const { url } = await startEdge(t, routes);
  const body = JSON.stringify({ name: 'a', any: { deep: [1, null, true] } });
  const answer = await call(`${url}/v1/echo`, { method: 'POST', headers: asJson, body });
  t.equal(answer.status, 201);
  t.same(answer.json, { body: { name: 'a', any: { deep: [1, null, true] } } });
  t.match(answer.headers['x-request-id'], /^req_[0-9A-Z]{26}$/);
  t.equal(answer.headers['x-content-type-options'], 'nosniff');
  t.equal(answer.headers['access-control-allow-origin'], '*');
});

t.test('what is wrong with a body is said with its place', async (t) => {
  const { url } = await startEdge(t, routes);
  const post = async (body: string | Buffer, headers: Record<string, string> = asJson) => {
    const { status, json } = await call(`${url}/v1/echo`, { method: 'POST', headers, body });
    return { status, ...(json as Record<string, unknown>) };
  };
  t.match(await post('{"name": x}'), {
    status: 400,
    code: 'invalid_json',
    position: 9,
    line: 1,
    column: 10,
  });
  t.match(await post('{"name":"a",\n "nmae": 1, "count": 2}'), {
    status: 400,
    code: 'unknown_member',
    errors: [{ pointer: '/nmae', code: 'unknown_member', message: /did you mean "name"/ }],
  });
  t.match(await post('{"name":"a","name":"b"}'), { code: 'duplicate_member' });
  t.match(await post('{"name":"a","any":{"\\u005f_proto__":1}}'), { code: 'invalid_json' });
  t.match(await post(`{"name":"a","any":${'['.repeat(40)}${']'.repeat(40)}}`), {
    code: 'invalid_json',
    detail: /32/,
  });
  t.match(await post('{"name":"a","any":1e999}'), { code: 'invalid_json' });
  t.match(await post('{"name":1}'), {
    code: 'invalid_request',
    errors: [{ pointer: '/name', code: 'invalid_type' }],
  });
  t.match(await post(Buffer.from([0x22, 0xff, 0x22])), { code: 'invalid_json', detail: /UTF-8/ });
  t.match(await post(''), { code: 'invalid_request', detail: /no body/ });
  t.match(await post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), {
    status: 415,
    code: 'unsupported_media_type',
    hint: /application\/json/,
  });
  t.match(await post('{}', { ...asJson, 'content-encoding': 'br' }), { status: 415 });
});

t.test('query parameters are typed, known and single', async (t) => {
  const { url } = await startEdge(t, routes);
  const get = async (query: string) => (await call(`${url}/v1/items?${query}`)).json;
  t.same(await get('count=1&range=A1&range=B2%3AC3'), { ranges: ['A1', 'B2:C3'], rows: [[0, 0]] });
  t.match(await get('cuont=1'), { code: 'unknown_member', detail: /Did you mean "count"/ });
  t.match(await get('count=1&count=2'), { code: 'duplicate_member' });
  t.match(await get('count=many'), { code: 'invalid_request', errors: [{ pointer: '?count' }] });
  t.match(await get('range=%ff'), { code: 'invalid_request' });
});

t.test('unknown paths are 404, wrong methods 405 with Allow', async (t) => {
  const { url } = await startEdge(t, routes);
  t.match(await call(`${url}/nowhere`), { status: 404, json: { code: 'not_found' } });
  const wrong = await call(`${url}/v1/items`, { method: 'DELETE' });
  t.match(wrong, { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
  t.match(wrong.json, { type: 'http://quire.example/problems/method_not_allowed', status: 405 });
  const preflight = await call(`${url}/v1/echo`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://a.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-param-workbook, mcp-param-a\\, x-other',
    },
  });
  t.match(preflight, { status: 204, headers: { 'access-control-max-age': '86400' } });
  t.match(preflight.headers['access-control-allow-methods'], /POST/);
  const taken = preflight.headers['access-control-allow-headers'];
  for (const name of ['Authorization', 'Last-Event-ID', 'Mcp-Session-Id', 'mcp-param-workbook']) {
    t.match(taken, name);
  }
  t.notMatch(taken, /x-other|mcp-param-a/u);
});

t.test('an entity tag answers 304, HEAD answers the head of GET', async (t) => {
  const { url } = await startEdge(t, routes);
  const whole = await call(`${url}/v1/state`);
  t.equal(whole.headers['etag'], '"main@42"');
  const again = await call(`${url}/v1/state`, { headers: { 'if-none-match': 'W/"main@42"' } });
  t.match(again, { status: 304, headers: { etag: '"main@42"' } });
  t.equal(again.bytes.length, 0);
  const moved = await call(`${url}/v1/state`, { headers: { 'if-none-match': '"main@41"' } });
  t.equal(moved.status, 200);
  const head = await call(`${url}/v1/state`, { method: 'HEAD' });
  t.match(head, { status: 200, headers: { 'content-length': String(whole.bytes.length) } });
  t.equal(head.bytes.length, 0);
});

t.test('NDJSON has a header line, the items and a trailer', async (t) => {
  const { url } = await startEdge(t, routes);
  const headers = { accept: 'application/x-ndjson' };
  const answer = await call(`${url}/v1/items?count=50000`, { headers });
  t.equal(answer.headers['content-type'], 'application/x-ndjson');
  const lines = answer.bytes.toString().trimEnd().split('\n');
  t.equal(lines.length, 50_002);
  t.same(JSON.parse(lines[0] ?? ''), { ranges: [] });
  t.same(JSON.parse(lines.at(-2) ?? ''), [49_999, 99_998]);
  t.same(JSON.parse(lines.at(-1) ?? ''), { end: true, count: 50_000 });
});

t.test('msgpack goes both ways, also for problems', async (t) => {
  const { url } = await startEdge(t, routes);
  const headers = { 'content-type': 'application/msgpack', accept: 'application/vnd.msgpack' };
  const body = Buffer.from(pack({ name: 'ä', count: 7 }));
  const answer = await call(`${url}/v1/echo`, { method: 'POST', headers, body });
  t.equal(answer.headers['content-type'], 'application/vnd.msgpack');
  t.same(unpack(answer.bytes), { body: { name: 'ä', count: 7 } });
  const wrong = await call(`${url}/v1/echo`, {
    method: 'POST',
    headers,
    body: Buffer.from([0xc1]),
  });
  t.match(wrong, { status: 400 });
  t.match(unpack(wrong.bytes), { code: 'invalid_msgpack' });
  const rows = await call(`${url}/v1/items?count=5000`, { headers: { accept: headers.accept } });
  t.same(unpack(rows.bytes), { ranges: [], rows: rowCount(5000) });
});

t.test('large answers arrive whole, packed as the client likes', async (t) => {
  const { url } = await startEdge(t, routes);
  const expected = createHash('sha256')
    .update(JSON.stringify(rowCount(300_000)))
    .digest('hex');
  const check = (bytes: Buffer): void => {
    const { rows } = JSON.parse(bytes.toString()) as { rows: unknown };
    t.equal(createHash('sha256').update(JSON.stringify(rows)).digest('hex'), expected);
  };
  const path = `${url}/v1/items?count=300000`;
  check((await call(path)).bytes);
  const br = await call(path, { headers: { 'accept-encoding': 'gzip, br' } });
  t.equal(br.headers['content-encoding'], 'br');
  check(brotliDecompressSync(br.bytes));
  const small = await call(`${url}/v1/state`, { headers: { 'accept-encoding': 'gzip' } });
  t.equal(small.headers['content-encoding'], 'gzip');
  t.match(JSON.parse(gunzipSync(small.bytes).toString()), { hello: /^x{2000}$/ });
});

t.test('gzip bodies are unpacked, bombs are not', async (t) => {
  const { url } = await startEdge(t, routes);
  const headers = { ...asJson, 'content-encoding': 'gzip' };
  const send = (text: string) =>
    call(`${url}/v1/echo`, { method: 'POST', headers, body: gzipSync(text) });
  t.match(await send('{"name":"packed"}'), { status: 201, json: { body: { name: 'packed' } } });
  t.match(await send(`{"name":"${' '.repeat(500_000)}"}`), {
    status: 413,
    json: { code: 'payload_too_large' },
  });
  const broken = { method: 'POST', headers, body: 'not gzip' } as const;
  t.match(await call(`${url}/v1/echo`, broken), { status: 400, json: { code: 'invalid_request' } });
});

t.test('scopes and challenges', async (t) => {
  const { url } = await startEdge(t, routes);
  const none = await call(`${url}/v1/account/usage`);
  t.match(none, { status: 401, json: { code: 'unauthenticated', auth_md: /auth\.md$/ } });
  t.equal(
    none.headers['www-authenticate'],
    'Bearer resource_metadata="http://quire.example/.well-known/oauth-protected-resource", scope="read"',
  );
  const bad = await call(`${url}/v1/account/usage`, { headers: { authorization: 'Bearer bad' } });
  t.match(bad.headers['www-authenticate'], /error="invalid_token"/);
  const less = await call(`${url}/v1/account/usage`, { headers: { authorization: 'Bearer good' } });
  t.match(less, { status: 403, json: { code: 'insufficient_scope', required: ['account'] } });
  t.match(less.headers['www-authenticate'], /error="insufficient_scope"/);
});

t.test('files come as bytes; the second form of a path leads to the same handler', async (t) => {
  const { url } = await startEdge(t, routes, {
    resolveWorkbook: async (owner, space) =>
      owner === 'ada' && space === 'bud get' ? 'wb_1' : undefined,
  });
  const headers = { authorization: 'Bearer good', 'content-type': 'text/csv' };
  const options = { method: 'POST', headers, body: 'a,b\n' } as const;
  const answer = await call(`${url}/v1/workbooks/wb_9/files`, options);
  t.same(answer.json, { id: 'wb_9', user: 'agt_TEST', bytes: 4 });
  t.match(await call(`${url}/v1/ada/bud%20get/files`, options), { json: { id: 'wb_1' } });
  t.match(await call(`${url}/v1/eve/budget/files`, options), { status: 404 });
  const large = { ...options, body: 'x'.repeat(200_000) };
  t.match(await call(`${url}/v1/workbooks/wb_9/files`, large), { status: 413 });
});

t.test('a bug is 500 without its message, and is reported', async (t) => {
  const { url, faults, finished } = await startEdge(t, routes);
  const answer = await call(`${url}/v1/fault`);
  t.match(answer, { status: 500, json: { code: 'internal' } });
  t.notMatch(answer.bytes.toString(), /secret/);
  t.equal(faults.length, 1);
  t.match(finished.at(-1), { route: '/v1/fault', status: 500 });
});

t.test('Accept and Host are checked, request ids are echoed when they are plain', async (t) => {
  const { url } = await startEdge(t, routes);
  t.match(await call(`${url}/v1/state`, { headers: { accept: 'text/csv' } }), { status: 406 });
  t.match(await call(`${url}/v1/state`, { headers: { host: 'evil.example' } }), { status: 421 });
  t.match(await call(`${url}/v1/state`, { headers: { host: 'quire.example' } }), { status: 200 });
  const mine = await call(`${url}/v1/state`, { headers: { 'x-request-id': 'my-id_12345' } });
  t.equal(mine.headers['x-request-id'], 'my-id_12345');
  const odd = await call(`${url}/v1/state`, { headers: { 'x-request-id': 'a b' } });
  t.match(odd.headers['x-request-id'], /^req_/);
});
