import { pack, unpack } from 'msgpackr';
import t from 'tap';
import type { Test } from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

interface Result {
  id?: string;
  status: string;
  seq?: number;
  payload?: unknown;
  error?: { code: string };
}

interface Submitted {
  branch: string;
  status: string;
  firstSeq: number | null;
  lastSeq: number | null;
  head: number;
  results: Result[];
}

async function startWorkbook(test: Pick<Test, 'teardown'>) {
  const service = await TestService.start(test);
  const credential = await service.register();
  const created = await service.request('/v1/workbooks', { credential, method: 'POST' });
  const { id } = created.json as { id: string };
  const path = `/v1/workbooks/${id}/branches/main/ops`;
  const submit = (body: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> =>
    service.request(path, { credential, body, headers });
  const read = (more = '', headers: Record<string, string> = {}): Promise<TestAnswer> =>
    service.request(`/v1/workbooks/${id}/branches/main/${more}`, { credential, headers });
  return { service, credential, id, path, submit, read };
}

function set(a1: string, input: unknown, more: object = {}): object {
  return { kind: 'cells.set', payload: { sheet: 'Sheet1', cells: [{ a1, input }] }, ...more };
}

t.test('operations are applied in order and read back from the journal', async (t) => {
  const { submit, read } = await startWorkbook(t);
  const ops = [set('A1', 1, { id: 'one' }), set('A2', '=A1*2'), set('A2', '=A1*2')];
  const answer = await submit({ ops, writer: 'me' });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('etag'), '"main@4"');
  t.same(answer.json, {
    branch: 'main',
    status: 'applied',
    firstSeq: 2,
    lastSeq: 4,
    head: 4,
    results: [
      { id: 'one', status: 'applied', seq: 2 },
      { status: 'applied', seq: 3 },
      { status: 'noop', seq: 4 },
    ],
  });
  const history = await read('ops?after=1&limit=2');
  t.equal(history.headers.get('etag'), '"main@4"');
  t.match(history.json, {
    head: 4,
    next: 3,
    ops: [
      { seq: 2, id: 'one', writer: 'me', kind: 'cells.set', at: /^\d{4}-.*\.\d{3}Z$/ },
      { seq: 3, id: null, writer: 'me', payload: { cells: [{ a1: 'A2', input: '=A1*2' }] } },
    ],
  });
  t.match((await read('ops?after=3')).json, { head: 4, next: null, ops: [{ seq: 4 }] });
  t.same((await read('ops?after=9')).json, { head: 4, next: null, ops: [] });
  const lines = (await read('ops', { accept: 'application/x-ndjson' })).text.trim().split('\n');
  t.equal(lines.length, 6);
  t.same(JSON.parse(lines[0] ?? ''), { head: 4, next: null });
  t.same(JSON.parse(lines[5] ?? ''), { end: true, count: 4 });
  t.equal((await read('ops', { 'if-none-match': '"main@4"' })).status, 304);
});

t.test('the state names sheets, names and a hash that follows the content', async (t) => {
  const { submit, read } = await startWorkbook(t);
  const name = { kind: 'name.set', payload: { name: 'tax', ref: 'Sheet1!B2' } };
  await submit({ ops: [set('B2', 3), name] });
  const state = await read('state');
  t.equal(state.headers.get('etag'), '"main@3"');
  t.match(state.json, {
    branch: 'main',
    head: 3,
    stateHash: /^[0-9a-f]{64}$/,
    sheets: [
      { id: 's1.1.0', name: 'Sheet1', index: 0, rows: 1_048_576, columns: 16_384, used: 'B2' },
    ],
    names: [{ name: 'tax', scope: null, formula: '=Sheet1!$B$2' }],
  });
  t.equal((await read('state', { 'if-none-match': '"main@3"' })).status, 304);
  await submit({ ops: [set('B2', 4)] });
  const changed = (await read('state')).json as { stateHash: string };
  t.not(changed.stateHash, (state.json as { stateHash: string }).stateHash);
  await submit({ ops: [set('B2', 3)] });
  const back = (await read('state')).json as { stateHash: string };
  t.equal(back.stateHash, (state.json as { stateHash: string }).stateHash);
});

t.test('a repeat is answered with the sequence it was written under', async (t) => {
  const { submit, read } = await startWorkbook(t);
  const body = { ops: [set('A1', 1, { id: 'one' }), set('A2', 2, { id: 'two' })], writer: 'me' };
  await submit(body);
  const again = (await submit(body)).json as Submitted;
  t.match(again, {
    status: 'duplicate',
    firstSeq: null,
    head: 3,
    results: [
      { id: 'one', status: 'duplicate', seq: 2 },
      { id: 'two', status: 'duplicate', seq: 3 },
    ],
  });
  const other = (await submit({ ...body, writer: 'you' })).json as Submitted;
  t.match(other, { firstSeq: 4, lastSeq: 5 }, 'ids belong to their writer');
  const key = { 'idempotency-key': 'a-key' };
  const first = (await submit({ ops: [set('B1', 1)] }, key)).json as Submitted;
  t.match(first, { firstSeq: 6 });
  t.match((await submit({ ops: [set('B1', 1)] }, key)).json, {
    status: 'duplicate',
    results: [{ status: 'duplicate', seq: 6 }],
  });
  const replayed = await submit({ ops: [set('B1', 1)] }, key);
  t.equal(replayed.headers.get('idempotency-replayed'), 'true');
  for (const ops of [[set('B1', 2)], [set('B1', 2), set('B2', 1)], [set('A9', 1), set('B1', 1)]]) {
    t.match(await submit({ ops }, key), { status: 422, json: { code: 'idempotency_mismatch' } });
  }
  const twice = [set('C1', 1, { id: 'same' }), set('C2', 2, { id: 'same' })];
  t.match((await submit({ ops: twice })).json, {
    status: 'partial',
    results: [{ seq: 7 }, { status: 'rejected', error: { code: 'id_reused' } }],
  });
  t.match((await read('ops')).json, { head: 7 });
});

t.test('what a key was used for is known after a restart', async (t) => {
  const book = await KeptWorkbook.create(t);
  const submit = (input: number) =>
    book.service.request(`/v1/workbooks/${book.id}/branches/main/ops`, {
      credential: book.credential,
      body: { ops: [set('A1', input), set('A2', input)] },
      headers: { 'idempotency-key': 'a-key' },
    });
  t.match(await submit(1), { json: { status: 'applied' } });
  await book.restart();
  t.match(await submit(1), { json: { status: 'duplicate' } });
  t.match(await submit(2), { status: 422, json: { code: 'idempotency_mismatch' } });
});

t.test('addresses of an earlier base are carried to the head', async (t) => {
  const { submit } = await startWorkbook(t);
  const insert = { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 2 } };
  await submit({ ops: [insert] });
  const answer = (await submit({ ops: [set('A1', 7)], baseSeq: 1 })).json as Submitted;
  t.match(answer.results, [{ status: 'rebased', payload: { cells: [{ a1: 'A3' }] } }]);
  t.match(await submit({ ops: [set('A1', 7)], baseSeq: 99 }), {
    status: 409,
    json: { code: 'base_ahead', head: 3 },
  });
});

t.test('what cannot be done is rejected by itself, or with everything', async (t) => {
  const { submit, read } = await startWorkbook(t);
  const ops = [set('A1', 1), set('A0', 2), set('A3', '=SUM(')];
  t.match((await submit({ ops })).json, {
    status: 'partial',
    results: [
      { status: 'applied' },
      { status: 'rejected', error: { code: 'bad_range', retryable: false } },
      { status: 'rejected', error: { code: 'bad_formula' } },
    ],
  });
  t.match(await submit({ ops, mode: 'atomic' }), {
    status: 409,
    json: {
      code: 'submission_rejected',
      errors: [{ pointer: '/ops/1/payload/cells/0', code: 'bad_range' }],
    },
  });
  t.match((await read('ops')).json, { head: 2 });
  const expecting = set('A1', 5, { expect: { A1: 2 } });
  t.match(await submit({ ops: [expecting] }), {
    status: 409,
    json: {
      code: 'nothing_applied',
      outcome: 'rejected',
      firstSeq: null,
      results: [{ error: { code: 'precondition_failed' } }],
    },
  });
  await submit({ ops: [set('A1', 9)] });
  t.match(await submit({ ops: [set('A1', 10)], baseSeq: 2, mode: 'strict' }), {
    status: 409,
    json: { errors: [{ code: 'conflict' }] },
  });
});

t.test('If-Match refuses a write to a head that moved', async (t) => {
  const { submit } = await startWorkbook(t);
  const body = { ops: [set('A1', 1, { id: 'one' })] };
  const match = { 'if-match': '"main@1"' };
  t.match((await submit(body, match)).json, { head: 2 });
  t.match((await submit(body, match)).json, { status: 'duplicate' }, 'a repeat is no conflict');
  t.match(await submit({ ops: [set('A1', 2)] }, match), {
    status: 412,
    json: { code: 'head_moved', head: 2 },
  });
  t.match(await submit({ ops: [set('A1', 2)] }, { 'if-match': '"side@1"' }), { status: 412 });
  t.match(await submit({ ops: [set('A1', 2)] }, { 'if-match': '*' }), { status: 200 });
});

t.test('bodies are JSON or msgpack, and wrong ones are explained', async (t) => {
  const { service, credential, path, submit } = await startWorkbook(t);
  const packed = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/vnd.msgpack',
      accept: 'application/vnd.msgpack',
    },
    body: new Uint8Array(pack({ ops: [set('A1', 1)] })),
  });
  t.equal(packed.status, 200);
  t.match(unpack(new Uint8Array(await packed.arrayBuffer())), { head: 2, firstSeq: 2 });
  const raw = (bytes: Buffer) =>
    service.request(path, {
      credential,
      bytes,
      headers: { 'content-type': 'application/msgpack' },
    });
  const text = pack({ ops: [set('A1', 'Aé')] });
  const cut = Buffer.from(text.toString('latin1').replace('\xc3\xa9', '\xe9\xe8'), 'latin1');
  t.match(await raw(cut), { status: 400, json: { detail: /not UTF-8/ } }, 'nothing is replaced');
  for (const [integer, status] of [
    [2n ** 53n, 200],
    [-(2n ** 53n), 200],
    [2n ** 53n + 1n, 400],
    [2n ** 64n - 1n, 400],
    [-(2n ** 63n), 400],
  ] as const) {
    const answer = await raw(pack({ ops: [set('A2', integer)] }));
    t.equal(answer.status, status, `${integer}`);
  }
  t.match(await submit({ ops: [{ kind: 'cells.sett', payload: {} }] }), {
    status: 400,
    json: { code: 'invalid_request', errors: [{ pointer: '/ops/0/kind' }] },
  });
  t.match(await submit({ ops: [set('A1', 1, { idd: 'x' })] }), {
    status: 400,
    json: { code: 'unknown_member', errors: [{ message: /did you mean "id"/ }] },
  });
  t.match(await submit({ ops: [set('A1', 1)], base: 1 }), { status: 400 });
  t.match(await submit({ ops: [set('A1', { what: 1 })] }), { status: 400 });
  const csv = { credential, bytes: Buffer.from('a'), headers: { 'content-type': 'text/csv' } };
  t.match(await service.request(path, csv), { status: 415 });
});

t.test('only its owner finds a branch', async (t) => {
  const { service, credential, id, path } = await startWorkbook(t);
  const stranger = await service.register();
  const body = { ops: [set('A1', 1)] };
  t.match(await service.request(path, { credential: stranger, body }), {
    status: 404,
    json: { code: 'not_found' },
  });
  t.match(await service.request(path, { body }), { status: 401 });
  t.match(await service.request(path, { credential: stranger }), { status: 404 });
  const state = `/v1/workbooks/${id}/branches/main/state`;
  t.match(await service.request(state, { credential: stranger }), { status: 404 });
  t.match(await service.request(`/v1/workbooks/${id}/branches/side/state`, { credential }), {
    status: 404,
    json: { code: 'branch_not_found' },
  });
  t.match(await service.request('/v1/workbooks/wb_none/branches/main/ops', { credential }), {
    status: 404,
  });
  t.match(await service.request(`${path}?limit=0`, { credential }), { status: 400 });
  t.match(await service.request(`${path}?limit=10001`, { credential }), { status: 400 });
});

t.test('a submission of many operations goes on over several segments', async (t) => {
  const { submit, read } = await startWorkbook(t);
  const ops = Array.from({ length: 2_500 }, (_, index) => set(`A${index + 1}`, index));
  const answer = (await submit({ ops })).json as Submitted;
  t.match(answer, { status: 'applied', firstSeq: 2, lastSeq: 2_501, head: 2_501 });
  const whole = (await submit({ ops, mode: 'atomic' })).json as Submitted;
  t.match(whole, { firstSeq: 2_502, lastSeq: 5_001 });
  t.match((await read('ops?after=900&limit=1')).json, { next: 901, ops: [{ seq: 901 }] });
  const tooMany = Array.from({ length: 10_001 }, () => set('A1', 1));
  t.match(await submit({ ops: tooMany }), { status: 413, json: { code: 'too_many_operations' } });
});
