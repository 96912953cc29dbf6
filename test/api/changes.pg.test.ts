import t from 'tap';
import type { Test } from 'tap';

import { TestService, type TestAnswer } from '../support/test-service.ts';

async function startWorkbook(test: Pick<Test, 'teardown'>) {
  const service = await TestService.start(test);
  const credential = await service.register();
  const rows = [
    [1, '=A1*10'],
    [2, '=B1/A2'],
  ];
  const body = { sheets: [{ name: 'Sheet1', rows }] };
  const created = await service.request('/v1/workbooks', { credential, body });
  const { id } = created.json as { id: string };
  const path = `/v1/workbooks/${id}/branches/main/ops`;
  const submit = (ops: object[], more: object = {}): Promise<TestAnswer> =>
    service.request(path, { credential, body: { ops, ...more } });
  return { submit };
}

function set(a1: string, input: unknown): object {
  return { kind: 'cells.set', payload: { sheet: 'Sheet1', cells: [{ a1, input }] } };
}

function cell(a1: string, before: unknown, after: unknown): object {
  return { sheet: 'Sheet1', a1, before, after };
}

const division = { error: '#DIV/0!' };

t.test('a submission that asks is told which cells came to another value', async (t) => {
  const { submit } = await startWorkbook(t);
  const plain = await submit([set('A1', 3)]);
  t.notOk('changes' in (plain.json as object), 'who does not ask is told nothing');
  const first = await submit([set('A1', 4), set('C1', '=B1+1')], { return: { changes: 10 } });
  t.equal(first.status, 200);
  t.match(first.json, { status: 'applied', results: [{ status: 'applied' }, {}] });
  t.same((first.json as { changes: unknown }).changes, {
    cells: [cell('B1', 30, 40), cell('C1', null, 41), cell('B2', 15, 20)],
    total: 3,
    errors: [],
    errorTotal: 0,
    truncated: false,
  });
  const wrong = await submit([set('A2', 0)], { return: { changes: 0 } });
  t.same((wrong.json as { changes: unknown }).changes, {
    cells: [],
    total: 1,
    errors: [cell('B2', 20, division)],
    errorTotal: 1,
    truncated: true,
  });
});

t.test('cells that edits moved are compared with themselves', async (t) => {
  const { submit } = await startWorkbook(t);
  const insert = { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 2 } };
  const moved = await submit([insert, set('A3', 5), set('E1', '=SEQUENCE(2)')], {
    return: { changes: 10 },
  });
  t.match(moved.json, {
    changes: {
      cells: [cell('E1', null, 1), cell('E2', null, 2), cell('B3', 10, 50), cell('B4', 5, 25)],
      total: 4,
    },
  });
});

t.test('where nothing was written there is nothing to tell', async (t) => {
  const { submit } = await startWorkbook(t);
  const ops = [{ ...set('A1', 9), id: 'one' }];
  const written = await submit(ops, { writer: 'me', return: { changes: 5 } });
  t.match(written.json, { changes: { total: 2 } });
  const repeated = await submit(ops, { writer: 'me', return: { changes: 5 } });
  t.match(repeated.json, { status: 'duplicate' });
  t.notOk('changes' in (repeated.json as object));
  const rejected = await submit([set('A0', 1)], { return: { changes: 5 } });
  t.match(rejected, { status: 409, json: { code: 'nothing_applied' } });
  t.notOk('changes' in (rejected.json as object));
});

t.test('at most a thousand cells may be asked for', async (t) => {
  const { submit } = await startWorkbook(t);
  t.equal((await submit([set('A1', 1)], { return: { changes: 1001 } })).status, 400);
  t.equal((await submit([set('A1', 1)], { return: { changes: -1 } })).status, 400);
  t.equal((await submit([set('A1', 1)], { return: {} })).status, 400);
});
