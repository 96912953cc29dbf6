import { Packr } from 'msgpackr';
import t from 'tap';

import { TestService } from '../support/test-service.ts';

/** Runs long: bodies of every kind and size are refused in turn. */

// Nobody ends or stops the service with a body, whatever it holds and wherever it is sent.

const packr = new Packr({ useRecords: false });
const service = await TestService.start(t);
const credential = await service.register();
const { json: book } = await service.request('/v1/workbooks', { credential, body: {} });
const { id } = book as { id: string };

interface Documented {
  readonly method: string;
  readonly path: string;
  readonly types: readonly string[];
}

async function routesWithBodies(): Promise<Documented[]> {
  const { json } = await service.request('/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      requestBody
        ? [{ method: method.toUpperCase(), path, types: Object.keys(requestBody.content) }]
        : [],
    ),
  );
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

function pathOf(path: string, workbook = id): string {
  return path
    .replace('{id}', workbook)
    .replace('{branch}', 'main')
    .replace('{user}', 'usr_00000000000000000000000000')
    .replaceAll(/\{\w+\}/g, 'mrg_00000000000000000000000000');
}

function filled(open: string, item: string, close: string, bytes: number): Buffer {
  const count = Math.floor((bytes - open.length - close.length) / (item.length + 1));
  return Buffer.from(`${open}${Array(count).fill(item).join()}${close}`);
}

/** Read in the pool where the route takes so much. */
const bytes = 270_000;
const fewBytes = 20_000;
const json: readonly Buffer[] = [
  filled('{"ops":[', '{}', ']}', bytes),
  filled('{"sheets":[{"name":"S","rows":[', '[[]]', ']}]}', fewBytes),
  filled('{"sheets":[', '{}', ']}', fewBytes),
  filled('{"resolutions":[', '[]', ']}', fewBytes),
  filled('[', '{}', ']', bytes),
  Buffer.from(`{${Array.from({ length: 2_000 }, (_, index) => `"k${index}":1`).join()}}`),
  Buffer.from(`{"name":"${'a'.repeat(bytes)}","name":"x"}`),
  Buffer.from(`{"name":"${'\\n'.repeat(bytes / 4)}",}`),
  Buffer.from('['.repeat(bytes)),
  Buffer.from('{"\\u0000":"\\u0000"}'),
  Buffer.from('{"name":"\\ud800","client":"\\udfff"'),
  Buffer.from('\u0000'),
];
const packed: readonly Buffer[] = [
  Buffer.concat([
    packr.pack({ ops: 1 }).subarray(0, -1),
    Buffer.of(0xdd, 0, 1, 0, 0),
    Buffer.alloc(65_536, 0x80),
  ]),
  Buffer.concat([Buffer.of(0xdd, 0, 5, 0, 0), Buffer.alloc(5 << 16, 0x90)]),
  Buffer.of(0xdd, 0xff, 0xff, 0xff, 0xff),
  packr.pack({ ops: [{ kind: '\u0000' }], name: '\u0000' }),
];
const forms: readonly Buffer[] = [
  Buffer.from('client_id=%00&token=%00&email=%00&code=%00'),
  Buffer.from('token=\u0000'),
];

function bodiesOf(type: string): readonly Buffer[] {
  if (type.includes('json')) return json;
  if (type.includes('msgpack')) return packed;
  return type.includes('form') ? forms : [Buffer.from('\u0000'.repeat(1000))];
}

t.test('every route refuses every hostile body with a status of 4xx', async (t) => {
  const routes = await routesWithBodies();
  t.ok(routes.length > 20);
  for (const { method, path, types } of routes) {
    for (const type of types) {
      for (const [index, body] of bodiesOf(type).entries()) {
        const headers = { 'content-type': type };
        const sent = { method, credential, bytes: body, headers };
        const { status, text } = await service.request(pathOf(path), sent);
        // Fields of a CSV file may be anything, and routes of the identity service drop what they do
        // not know.
        const isTaken =
          type === 'text/csv' || path.startsWith('/agent') || path.startsWith('/oauth2');
        const isFine = (status >= 400 && status < 500) || (isTaken && status < 500);
        t.ok(isFine, `${method} ${path} ${type} ${index}: ${status} ${text.slice(0, 200)}`);
      }
    }
  }
  t.equal((await service.request('/health')).status, 200);
});

t.test('a body for what is not there, or may not be written, is not read', async (t) => {
  const other = await service.register();
  const huge = filled('{"ops":[', '{}', ']}', 8_000_000);
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, who: string) =>
    service.request(path, { credential: who, bytes: huge, headers });
  const unknown = await post('/v1/workbooks/wb_x/branches/main/ops', credential);
  t.match(unknown, { status: 404, json: { code: 'not_found' } });
  const foreign = await post(`/v1/workbooks/${id}/branches/main/ops`, other);
  t.match(foreign, { status: 404, json: { code: 'not_found' } });
  const branch = await post(`/v1/workbooks/${id}/branches/none/ops`, credential);
  t.match(branch, { status: 404, json: { code: 'branch_not_found' } });
  t.equal((await post(`/v1/workbooks/${id}/branches/main/ops`, 'wbk_live_nobody')).status, 401);
});

t.test('U+0000 is refused in paths and queries of all hosts', async (t) => {
  const paths = [
    '/v1/workbooks/%00',
    `/v1/workbooks/${id}/slice?range=%00`,
    '/v1/a%00b/c/slice?range=A1',
    '/v1/workbooks?offset=%00',
    `/v1/workbooks/${id}/branches/ma%00in/state`,
    '/oauth2/authorize?client_id=%00',
    '/login?next=%00',
    '/problems/%00',
  ];
  for (const path of paths) {
    const { status } = await service.request(path, { credential });
    t.equal(status, 400, path);
  }
});

t.test('one slash at the end of a path is taken as none', async (t) => {
  t.equal((await service.request('/v1/workbooks/', { credential })).status, 200);
  t.equal((await service.request(`/v1/workbooks/${id}/`, { credential })).status, 200);
  t.equal((await service.request('/v1/workbooks//', { credential })).status, 404);
  t.equal((await service.request('/health/')).status, 200);
});
