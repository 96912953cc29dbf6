import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { tableFromIPC } from '@uwdata/flechette';
import t from 'tap';

import { FrontDoor } from '../support/front-door.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TableBook } from '../support/table-book.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

const rowsPath = 'branches/main/tables/Sales/rows';
const ndjson = 'application/x-ndjson';
const many = 12_000;

function lines(price: number): Buffer {
  const rows = Array.from({ length: many }, (_, at) => ({ sku: `k${at}`, region: 'here', price }));
  return Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
}

t.test('tables are the same by every process, behind a proxy, and after a restart', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
    TLOG_KEY_FILE: `${folder}/tlog.key`,
    TLOG_ORIGIN: 'tables.example/tlog',
  };
  const here = await TableBook.start(t, settings);
  const { credential, alias, id } = here;
  const there = await TestService.start(t, settings, {});
  const proxy = await FrontDoor.open(t);
  proxy.leadTo(Number(new URL(there.url).port));
  await here.sales([
    { sku: 'a', region: 'North', price: 1 },
    { sku: 'b', region: 'South', price: 20 },
  ]);
  const change = { change: 'column.add', column: 'Double', formula: '=2*[@price]' };
  await here.ask('branches/main/tables/Sales', { method: 'PATCH', body: { changes: [change] } });
  const rest = `tables/Sales/rows?where=${encodeURIComponent('[@Double]>30')}`;
  const found = { ref: { seq: 4 }, total: 1, rows: [{ sku: 'b', Double: 40 }] };
  t.match((await there.request(`${alias}/${rest}`, { credential })).json, found);
  const proxied = await fetch(`${proxy.url}/v1/workbooks/${id}/${rest}`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  t.match(await proxied.json(), found, 'behind a proxy');
  const waiting = here.ask('tables/Sales/changes?from=main@4&wait=10');
  const body = { rows: [{ sku: 'c', price: 3 }] };
  const written = await there.request(`/v1/workbooks/${id}/${rowsPath}`, { credential, body });
  t.match(written.json, { inserted: 1, lastSeq: 5 });
  t.match((await waiting).json, { to: { seq: 5 }, changes: [{ key: 'c', change: 'added' }] });
  const long = await there.request(`/v1/workbooks/${id}/${rowsPath}`, {
    credential,
    bytes: lines(7),
    headers: { 'content-type': ndjson, prefer: 'wait=10' },
  });
  t.match(long, { status: 200, json: { inserted: many, operations: 3 } }, long.text);
  t.match((await here.ask('tables/Sales/rows?group=price&count=')).json, {
    groups: [{ price: 1 }, { price: 3 }, { price: 7, count: many }, { price: 20 }],
  });
  await here.service.app.stop();
  await there.app.stop();
  const cold = await TestService.start(t, settings, {});
  const ask = async (path: string) =>
    (await cold.request(`${alias}/${path}`, { credential })).json as object;
  t.match(await ask(`${rest}&ref=main@4`), found);
  t.match(await ask(`tables/Sales/rows?after=k99&limit=1`), {
    rows: [{ sku: 'k100', Double: 14 }],
  });
  t.match(await ask('tables/Sales/changes?from=main@4&to=main@5'), { changes: [{ key: 'c' }] });
  t.match(await ask('tables'), { tables: [{ name: 'Sales', rowCount: many + 3 }] });
});

t.test('who may do what with rows, and what an archived workbook takes', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 1 }]);
  const headers = { 'content-type': ndjson, prefer: 'wait=0' };
  const started = await book.ask(rowsPath, { bytes: lines(1), headers });
  const { id } = started.json as { id: string };
  const writes = [
    ['branches/main/tables', { body: { name: 'X', schema: { a: 'text' } } }],
    [rowsPath, { body: { rows: [{ sku: 'b' }] } }],
    [rowsPath, { bytes: lines(2), headers }],
    ['branches/main/tables/Sales', { method: 'PATCH', body: { name: 'X' } }],
    ['branches/main/tables/Sales', { method: 'DELETE' }],
    [`row-writes/${id}`, { method: 'DELETE' }],
  ] as const;
  const reads = ['tables', 'tables/Sales', 'tables/Sales/rows', 'tables/Sales/changes?from=main@2'];
  for (const role of ['reviewer', 'viewer']) {
    const credential = await book.service.registerClaimed();
    const me = await book.service.request('/agent/auth/me', { credential });
    const { user_id: user } = (me.json as { data: { user_id: string } }).data;
    await book.ask(`collaborators/${user}`, { method: 'PUT', body: { role } });
    for (const path of [...reads, `row-writes/${id}`]) {
      t.equal((await book.ask(path, { credential })).status, 200, `${role} ${path}`);
    }
    for (const [path, request] of writes) {
      const answer = await book.askAlias(path, { ...request, credential });
      t.match(answer, { status: 403, json: { code: 'forbidden' } }, `${role} ${path}`);
    }
  }
  const stranger = await book.service.registerClaimed();
  for (const path of reads) {
    t.equal((await book.ask(path, { credential: stranger })).status, 404);
  }
  const ended = await book.ask(`row-writes/${id}`, { headers: { prefer: 'wait=10' } });
  t.match(ended.json, { status: 'done' });
  await book.service.request(`/v1/workbooks/${book.id}`, {
    credential: book.credential,
    method: 'DELETE',
  });
  for (const [path, request] of writes) {
    const answer = await book.ask(path, request);
    t.match(answer, { status: 409, json: { code: 'workbook_archived' } }, path);
  }
  for (const path of reads) t.equal((await book.ask(path)).status, 200, path);
});

t.test('what one table said of a page is not taken by another', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a' }, { sku: 'b' }]);
  const other = { name: 'Other', keyColumn: 'id', schema: { id: 'number' } };
  await book.ask('branches/main/tables', { body: other });
  await book.ask('branches/main/tables/Other/rows', { body: { rows: [{ id: 1 }] } });
  const first = await book.ask('tables/Sales/rows?after=a&limit=1');
  t.match(first.json, { next: null, rows: [{ sku: 'b' }] });
  t.match(await book.ask('tables/Other/rows?after=a'), {
    status: 422,
    json: { errors: [{ pointer: '?after', code: 'key_not_found' }], hint: /\w/ },
  });
  t.match(
    await book.ask('tables/Other/rows', {
      headers: { accept: 'application/vnd.apache.arrow.file' },
    }),
    {
      status: 406,
      json: { code: 'not_acceptable' },
    },
  );
  const changes = await book.ask('tables/Other/changes?from=main@3&to=main@3');
  t.match(changes, { status: 404 }, 'it was at neither position');
});

t.test('of a body that is cut off nothing is written, and nothing is kept', async (t) => {
  const folder = `${await makeTemporaryFolder(t)}/objects`;
  const book = await TableBook.start(t, { OBJECT_STORE_URL: pathToFileURL(folder).href });
  await book.sales([{ sku: 'a', price: 1 }]);
  const bytes = lines(5);
  for (const prefer of ['return=representation', 'wait=10']) {
    const socket = connect(Number(new URL(book.service.url).port), '127.0.0.1');
    const head = [
      `POST /v1/workbooks/${book.id}/${rowsPath} HTTP/1.1`,
      `host: ${new URL(book.service.url).host}`,
      `authorization: Bearer ${book.credential}`,
      `content-type: ${ndjson}`,
      `content-length: ${bytes.length}`,
      `prefer: ${prefer}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await new Promise<void>((sent) => {
      socket.write(bytes.subarray(0, bytes.length - 100), () => sent());
    });
    socket.destroy();
  }
  // The service hears of it when it does; the next write shows that nothing came before.
  const next = await book.ask(rowsPath, { body: { rows: [{ sku: 'b' }] } });
  t.match(next.json, { inserted: 1, firstSeq: 4 });
  for (let count = 0; count < 100; count++) {
    const spooled = await readdir(`${folder}/spool`, { recursive: true }).catch(() => []);
    if (spooled.every((name) => !name.includes('/'))) break;
    await sleep(50);
  }
  const left = await readdir(`${folder}/spool`, { recursive: true }).catch(() => []);
  t.same(
    left.filter((name) => name.includes('/')),
    [],
  );
  t.match((await book.ask('tables/Sales')).json, { ref: { seq: 4 }, table: { rowCount: 2 } });
});

t.test(
  'a number and the text that looks like it are two keys, wherever they are asked for',
  async (t) => {
    const book = await TableBook.start(t);
    await book.ask('branches/main/tables', {
      body: { name: 'Any', keyColumn: 'k', schema: { k: 'any', v: 'number' } },
    });
    const keys = ['1', 'a', 1, '"b"', 'b', 2, '2', '3'];
    const rows = keys.map((k, v) => ({ k, v }));
    const body = { mode: 'upsert', rows };
    t.match(await book.ask('branches/main/tables/Any/rows', { body }), { json: { inserted: 8 } });
    const found = async (query: string) => {
      const { json } = await book.ask(`tables/Any/rows?as=lists&columns=v&${query}`);
      return (json as { rows: number[][] }).rows.flat();
    };
    const asked = (...names: string[]) =>
      found(names.map((name) => `keys=${encodeURIComponent(name)}`).join('&'));
    t.same(await asked('1', '"1"', '"b"', '"\\"b\\""', 'b', '3', '"3"'), [2, 0, 4, 3, 4, 7, 7]);
    const seen: number[] = [];
    let next: string | null = `/v1/workbooks/${book.id}/tables/Any/rows?after=%221%22&limit=1`;
    for (let pages = 0; next !== null && pages < 20; pages++) {
      const { json } = await book.service.request(next, { credential: book.credential });
      const page = json as { next: string | null; rows: { v: number }[] };
      seen.push(...page.rows.map(({ v }) => v));
      ({ next } = page);
    }
    t.same(seen, [1, 2, 3, 4, 5, 6, 7]);
  },
);

t.test('dates in Arrow are the days that the cells show, those of 1900 as well', async (t) => {
  const book = await TableBook.start(t);
  await book.ask('branches/main/tables', {
    body: { name: 'Days', keyColumn: 'k', schema: { k: 'text', d: 'date' } },
  });
  const days = ['1900-01-01', '1900-02-28', '1900-03-01', '1970-01-01', '2026-02-28'];
  const rows = days.map((d) => ({ k: d, d }));
  const there = await book.ask('branches/main/tables/Days/rows', { body: { rows } });
  t.match(there, { status: 200 });
  const shown = days.map((day) => [day, day]);
  const formatted = 'tables/Days/rows?lens=formatted&as=lists';
  t.match((await book.ask(formatted)).json, { rows: shown });
  t.match((await book.ask(`${formatted}&order=-k&columns=d`)).json, {
    rows: days.toReversed().map((day) => [day]),
  });
  t.match((await book.ask(`${formatted}&whole=true`)).json, { rows: shown });
  const accept = 'application/vnd.apache.arrow.stream';
  const texts = await book.ask('tables/Days/rows?lens=formatted', { headers: { accept } });
  t.match(tableFromIPC(texts.bytes).toArray(), [{ d: '1900-01-01' }]);
  const { bytes } = await book.ask('tables/Days/rows', { headers: { accept } });
  const read = tableFromIPC(bytes, { useDate: true }).toArray() as { k: string; d: Date }[];
  t.same(
    read.map(({ d }) => d.toISOString().slice(0, 10)),
    days,
  );
  // Excel's 29 February 1900 is no day.
  const none = { rows: [{ k: '1900-01-01', d: 60 }] };
  t.match(await book.ask('branches/main/tables/Days/rows', { body: none }), { status: 200 });
  const again = await book.ask('tables/Days/rows?limit=1', { headers: { accept } });
  t.match(tableFromIPC(again.bytes).toArray(), [{ d: null }]);
});
