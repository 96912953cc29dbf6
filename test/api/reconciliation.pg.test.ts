import t from 'tap';

import { MatchedWorkbook } from '../support/matched-workbook.ts';
import type { TestAnswer } from '../support/test-service.ts';
import { TestService } from '../support/test-service.ts';

/** Requests of OpenRefine in the shapes in which it sends them; none has a credential. */

const service = await TestService.start(t, {}, {});
const credential = await service.register();
const book = await MatchedWorkbook.on(service, credential);
const tableId = await book.table(
  'Suppliers',
  ['Code', 'Company', 'Town', 'Since'],
  [
    ['N-1', 'Northwind Traders', 'Lund', 1990],
    ['C-2', 'Contoso Limited', 'Bern', 2001.5],
    ['F-3', 'Fabrikam', 'Graz', 1985],
    ['F-4', 'Fabrikam', 'Gent', 1987],
    [5, '<b>Adventure</b> & "Works"', 'Bonn', null],
    ['U-6', 'Südwind Traders', 'Lund', true],
  ],
);

interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly score: number;
  readonly match: boolean;
  readonly features: readonly { readonly id: string; readonly value: unknown }[];
}
type Results = Readonly<Record<string, { readonly result: readonly Candidate[] }>>;

async function linkTo(table: string, body: object = {}): Promise<{ id: string; at: string }> {
  const made = await book.send('POST', `/tables/${table}/reconciliation`, body);
  if (made.status !== 201) throw new Error(made.text);
  const { id, url } = made.json as { id: string; url: string };
  return { id, at: url.slice(service.url.length) };
}

function post(at: string, fields: Readonly<Record<string, string>>): Promise<TestAnswer> {
  return service.request(at, {
    method: 'POST',
    bytes: Buffer.from(new URLSearchParams(fields).toString()),
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      accept: 'application/json, text/javascript, */*; q=0.01',
    },
  });
}

async function ask(at: string, queries: object): Promise<Results> {
  const answer = await post(at, { queries: JSON.stringify(queries) });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Results;
}

const { at } = await linkTo('Suppliers', { column: 'Company' });

t.test('the manifest leads to everything', async (t) => {
  const answer = await service.request(at, { headers: { origin: 'http://127.0.0.1:3333' } });
  t.equal(answer.headers.get('access-control-allow-origin'), '*');
  const { view, preview, suggest, extend, ...rest } = answer.json as {
    view: { url: string };
    preview: { url: string; width: number };
    suggest: Record<'entity' | 'property' | 'type', { service_url: string; service_path: string }>;
    extend: { propose_properties: { service_url: string; service_path: string } };
  };
  t.match(rest, {
    versions: ['0.2'],
    name: 'Suppliers, Company',
    defaultTypes: [{ id: tableId, name: 'Suppliers' }],
    batchSize: 50,
  });
  t.match(view.url, /\/preview\?id=\{\{id\}\}$/);
  for (const { service_url, service_path } of [
    ...Object.values(suggest),
    extend.propose_properties,
  ]) {
    t.equal((await fetch(`${service_url}${service_path}`)).status, 200, service_path);
  }
  const page = await fetch(preview.url.replace('{{id}}', encodeURIComponent('C-2')));
  t.match(await page.text(), /<dt>Town<\/dt><dd>Bern<\/dd>/);
});

t.test('a batch is answered query by query', async (t) => {
  const found = await ask(at, {
    q0: { query: 'northwind traders', limit: 3, type: tableId, type_strict: 'should' },
    q1: { query: 'Contoso Ltd', type: [tableId] },
    q2: { query: 'Fabrikam' },
    q3: { query: '???' },
    q4: { query: 'Contoso Limited', type: 'another' },
    q5: { query: 'Zzyzx' },
  });
  const [sure] = found['q0']?.result ?? [];
  t.match(sure, { id: 'N-1', name: 'Northwind Traders', score: 100, match: true });
  t.match(sure?.features[0], { id: 'equal', value: true });
  t.ok((found['q0']?.result[1]?.score ?? 100) < 100, 'Südwind Traders is less');
  t.match(found['q1']?.result[0], { id: 'C-2', match: false }, 'is for a person');
  t.same(
    found['q2']?.result.slice(0, 2).map(({ id, match }) => [id, match]),
    [
      ['F-3', false],
      ['F-4', false],
    ],
    'two with one name are for a person',
  );
  for (const name of ['q3', 'q4', 'q5']) t.same(found[name], { result: [] }, name);
});

t.test('an id is found as a name is, whatever type it has', async (t) => {
  const { q0, q1 } = await ask(at, { q0: { query: 'F-4', limit: 1 }, q1: { query: '5' } });
  t.match(q0?.result, [{ id: 'F-4', name: 'Fabrikam', score: 100, match: true }]);
  t.match(q1?.result[0], { id: '5', match: true });
});

t.test('properties tell rows of one name apart', async (t) => {
  const properties = [
    { pid: 'Town', v: { id: 'x', name: 'gent' } },
    { pid: 'Since', v: [1999, '1987'] },
    { pid: 'Nothing', v: 'counts not' },
  ];
  const { q0, q1 } = await ask(at, {
    q0: { query: 'fabrikam', properties },
    q1: { query: 'Northwind Traders', properties: [{ pid: 'Town', v: 'Bern' }] },
  });
  t.match(q0?.result[0], { id: 'F-4', match: true, score: 100 });
  t.match(q0?.result[0]?.features.slice(3), [
    { id: 'property:Town', value: true },
    { id: 'property:Since', value: true },
  ]);
  t.match(q0?.result[1], { id: 'F-3', match: false, score: 33.33 });
  t.match(q1?.result[0], { id: 'N-1', match: false, score: 50 });
});

t.test('data are extended with columns', async (t) => {
  const extend = JSON.stringify({
    ids: ['C-2', '5', 'nobody'],
    properties: [{ id: 'Town' }, { id: 'Since' }, { id: 'Nothing' }],
  });
  const answer = await post(at, { extend });
  t.same(answer.json, {
    meta: [
      { id: 'Town', name: 'Town' },
      { id: 'Since', name: 'Since' },
      { id: 'Nothing', name: 'Nothing' },
    ],
    rows: {
      'C-2': { Town: [{ str: 'Bern' }], Since: [{ float: 2001.5 }], Nothing: [] },
      5: { Town: [{ str: 'Bonn' }], Since: [], Nothing: [] },
      nobody: { Town: [], Since: [], Nothing: [] },
    },
  });
});

t.test('suggestions are by how a name, a column or the table begins', async (t) => {
  const suggested = async (path: string) => {
    const { json } = await service.request(`${at}/suggest/${path}`);
    return (json as { result: { id: string }[] }).result.map(({ id }) => id);
  };
  t.same(await suggested('entity?prefix=fab'), ['F-3', 'F-4']);
  t.same(await suggested('entity?prefix=FAB&cursor=1'), ['F-4']);
  t.same(await suggested('entity?prefix=tra'), ['N-1', 'U-6'], 'later words count');
  t.same(await suggested('entity?prefix=C-2'), ['C-2'], 'an id');
  t.same(await suggested('property?prefix=to'), ['Town']);
  t.same(await suggested('type?prefix=supp'), [tableId]);
  t.equal((await service.request(`${at}/suggest/other`)).status, 404);
  const proposed = await service.request(`${at}/properties?type=${tableId}&limit=2`);
  t.same(proposed.json, {
    type: tableId,
    properties: [
      { id: 'Code', name: 'Code' },
      { id: 'Company', name: 'Company' },
    ],
    limit: 2,
  });
});

t.test('a preview shows cells and runs nothing', async (t) => {
  const page = await service.request(`${at}/preview?id=5`);
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  t.match(page.headers.get('content-security-policy'), /default-src 'none';.*sandbox$/);
  t.notMatch(page.text, /<b>/);
  t.match(page.text, /&#60;b&#62;Adventure/);
  t.equal((await service.request(`${at}/preview?id=nobody`)).status, 404);
});

t.test('JSONP hands the answer to a function, and to nothing else', async (t) => {
  const queries = encodeURIComponent(JSON.stringify({ q0: { query: 'adventure works' } }));
  const script = await service.request(`${at}?queries=${queries}&callback=jQuery33_1.done&_=17`);
  t.equal(script.headers.get('content-type'), 'application/javascript; charset=utf-8');
  t.match(script.text, /^\/\*\*\/jQuery33_1\.done\(\{"q0":.*\);$/);
  t.notMatch(script.text, /[<>]/);
  for (const name of ['alert(1)', 'a;b', '', '1a', 'a b', `a${'b'.repeat(200)}`]) {
    const refused = await service.request(`${at}?callback=${encodeURIComponent(name)}`);
    t.match(refused, { status: 400, json: { code: 'invalid_request' } }, name);
  }
});

t.test('answers follow the branch, and a position stays as it is', async (t) => {
  const before = await linkTo('Suppliers', { column: 'Company', branch: 'main@2' });
  const state = await book.send('GET', '/branches/main/state');
  t.ok((state.json as { head: number }).head >= 2);
  const row = {
    table: 'Suppliers',
    columns: ['Code', 'Company'],
    rows: [['T-7', 'Tailspin Toys']],
  };
  const written = await book.submit('main', {
    kind: 'rows.import',
    payload: { ...row, raw: true },
  });
  t.equal(written.status, 200, written.text);
  const fresh = await linkTo('Suppliers', { column: 'Company' });
  const { q0 } = await ask(fresh.at, { q0: { query: 'Tailspin Toys' } });
  t.match(q0?.result[0], { id: 'T-7', match: true });
  t.same(await ask(before.at, { q0: { query: 'Tailspin Toys' } }), { q0: { result: [] } });
});

t.test('what cannot be read says why', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`q${n}`, { query: 'x' }]));
  const cases: [Readonly<Record<string, string>>, object][] = [
    [{}, { status: 400, json: { code: 'invalid_request', errors: [{ pointer: '/queries' }] } }],
    [{ queries: '{"q0":' }, { status: 400, json: { code: 'invalid_json' } }],
    [{ queries: '[]' }, { status: 400, json: { errors: [{ pointer: '/queries' }] } }],
    [{ queries: '{"q0":{"query":7}}' }, { json: { errors: [{ pointer: '/queries/q0/query' }] } }],
    [{ queries: '{"q0":{"limit":0}}' }, { json: { errors: [{ pointer: '/queries/q0/limit' }] } }],
    [{ queries: JSON.stringify({ q0: { query: 'x'.repeat(1001) } }) }, { status: 400 }],
    [{ queries: '[['.repeat(5000) }, { status: 400 }],
    [{ queries: JSON.stringify(many) }, { status: 413, json: { code: 'payload_too_large' } }],
    [{ queries: '"\u0000"' }, { status: 400 }],
    [{ extend: '{"ids":"C-2"}' }, { json: { errors: [{ pointer: '/extend/ids' }] } }],
    [
      { extend: JSON.stringify({ ids: Array.from({ length: 201 }, String), properties: [] }) },
      { status: 400 },
    ],
  ];
  for (const [fields, expected] of cases) t.match(await post(at, fields), expected);
  t.match(await service.request(at, { body: { queries: {} } }), { status: 400 });
  const large = Buffer.from(`queries=${'x'.repeat(300_000)}`);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  t.match(await service.request(at, { bytes: large, headers }), { status: 413 });
  t.same(await ask(at, {}), {}, 'a batch without queries has no answers');
  const odd = await ask(at, { __proto__x: { query: 'Fabrikam' }, '': { properties: [] } });
  t.same(Object.keys(odd).toSorted(), ['', '__proto__x']);
});

t.test('a link opens one table to whoever has it, until it is revoked', async (t) => {
  const link = await linkTo('Suppliers', { days: 1 });
  const listed = await book.send('GET', '/reconciliation');
  const { links } = listed.json as { links: { id: string; expiresAt: string }[] };
  t.equal(links[0]?.id, link.id);
  t.notMatch(listed.text, link.at.slice(-43), 'the token is told once');
  t.equal((await service.request(link.at)).status, 200);
  t.equal((await book.send('DELETE', `/reconciliation/${link.id}`)).status, 204);
  const token = link.at.slice(-43);
  for (const path of [
    `/v1/reconciliation/${token}`,
    `/v1/reconciliation/${token}/suggest/entity`,
    `/v1/reconciliation/${token}/properties`,
    `/v1/reconciliation/${token}/preview?id=C-2`,
    '/v1/reconciliation/x',
  ]) {
    t.match(await service.request(path), { status: 404, json: { code: 'link_not_found' } }, path);
  }
  t.match(await book.send('DELETE', `/reconciliation/${link.id}`), {
    status: 404,
    json: { code: 'link_not_found', hint: /lists them/ },
  });
});

t.test('links are for the owner, and cannot be made with a link', async (t) => {
  const id = book.at.split('/').at(-1) ?? '';
  for (const [method, path] of [
    ['POST', `/v1/workbooks/${id}/tables/Suppliers/reconciliation`],
    ['GET', `/v1/workbooks/${id}/reconciliation`],
    ['DELETE', `/v1/workbooks/${id}/reconciliation/rec_1`],
  ] as const) {
    t.equal((await service.request(path, { method })).status, 401, path);
    const withToken = { method, credential: at.slice(-43) };
    t.equal((await service.request(path, withToken)).status, 401, path);
  }
});

t.test('links are made for tables with a key and columns that are there', async (t) => {
  const path = (table: string) => `/tables/${table}/reconciliation`;
  t.match(await book.send('POST', path('Nowhere')), { json: { code: 'table_not_found' } });
  t.match(await book.send('POST', path('Suppliers'), { column: 'Compny' }), {
    status: 422,
    json: { errors: [{ pointer: '/column', code: 'column_not_found' }], hint: /Company/ },
  });
  t.match(await book.send('POST', path('Suppliers'), { days: 366 }), { status: 400 });
  t.match(await book.send('POST', path('Suppliers'), { branch: 'nowhere' }), { status: 404 });
  await book.submit('main', {
    kind: 'table.create',
    payload: { name: 'Keyless', schema: { columns: [{ name: 'a' }] } },
  });
  t.match(await book.send('POST', path('Keyless')), {
    status: 422,
    json: { errors: [{ code: 'key_needed' }] },
  });
});

t.test('a link ends with its table, and goes on where its workbook is archived', async (t) => {
  const own = await MatchedWorkbook.on(service, credential);
  const addressOf = async (table: string) => {
    const made = await own.send('POST', `/tables/${table}/reconciliation`);
    return (made.json as { url: string }).url.slice(service.url.length);
  };
  await own.table('Towns', ['Town'], [['Lund'], ['Bern']]);
  const towns = await addressOf('Towns');
  await own.submit('main', { kind: 'table.drop', payload: { table: 'Towns' } });
  t.match(await service.request(towns), { status: 404, json: { code: 'table_not_found' } });
  const cities = await addressOf(await own.table('Cities', ['City'], [['Lund']]));
  t.equal((await own.send('DELETE', '')).status, 200);
  t.match(await service.request(cities), { status: 200, json: { name: 'Cities, City' } });
  t.match(await ask(cities, { q0: { query: 'lund' } }), { q0: { result: [{ id: 'Lund' }] } });
});
