import t from 'tap';
import type { Test } from 'tap';

import { TestService, type TestAnswer } from '../support/test-service.ts';

interface Submitted {
  status: string;
  head: number;
  results: { status: string; error?: { code: string; hint: string } }[];
}

async function startWorkbook(test: Pick<Test, 'teardown'>, rows: unknown[][]) {
  const service = await TestService.start(test);
  const credential = await service.register();
  const sheets = [{ name: 'Sheet1', rows }];
  const created = await service.request('/v1/workbooks', { credential, body: { sheets } });
  const { id } = created.json as { id: string };
  const path = `/v1/workbooks/${id}/branches/main/`;
  const submit = (ops: object[], more: object = {}): Promise<TestAnswer> =>
    service.request(`${path}ops`, { credential, body: { ops, ...more } });
  const slice = async (range: string, lens = 'value'): Promise<unknown> => {
    const query = `?ref=main&range=${range}&lens=${lens}`;
    const { json } = await service.request(`/v1/workbooks/${id}/slice${query}`, { credential });
    return (json as { rows: unknown[][] }).rows;
  };
  const read = (more: string) => service.request(path + more, { credential });
  return { service, submit, slice, read };
}

const on = (kind: string, payload: object) => ({ kind, payload: { sheet: 'Sheet1', ...payload } });

t.test('blocks are moved, copied, continued, sorted and shifted, and values follow', async (t) => {
  const rows = [
    [3, 'c', '=A1*10'],
    [1, 'a', '=A2*10'],
    [2, 'b', '=A3*10'],
    ['=SUM(A1:A3)', null, '=SUM(C1:C3)'],
  ];
  const { submit, slice, read } = await startWorkbook(t, rows);
  const answer = await submit([
    on('range.sort', { range: 'A1:C3', keys: [{ col: 'A' }] }),
    on('range.move', { source: 'A1:A3', to: 'E1' }),
    on('range.insert', { range: 'E2', shift: 'down' }),
    on('range.copy', { source: 'C1:C2', to: 'G1' }),
    on('range.autofill', { source: 'B1', target: 'B1:B2', series: { type: 'copy' } }),
    on('range.delete', { range: 'B1:D1', shift: 'left' }),
  ]);
  t.match(answer.json, {
    status: 'applied',
    results: Array.from({ length: 6 }, () => ({ status: 'applied' })),
  });
  t.same(await slice('A1:G4', 'formula'), [
    [null, null, null, '=F1*10', null, null, null],
    [null, null, '=E3*10', null, null, null, '=I3*10'],
    [null, null, '=E4*10', null, null, null, null],
    ['=SUM(E1:E4)', null, '=SUM(C1:C3)', null, null, null, null],
  ]);
  t.same(await slice('A4:E4'), [[5, null, 50, null, 3]]);
  t.same(await slice('B1:B3'), [[1], ['a'], ['c']]);
  const { json } = await read('ops?after=1');
  const { ops } = json as { ops: { kind: string; payload: object }[] };
  const sort = ops.find(({ kind }) => kind === 'range.sort');
  t.match(sort, { payload: { range: 'A1:C3', order: [2, 3, 1] } }, 'the order is in the journal');
});

t.test('what cannot be done says what can', async (t) => {
  const { submit } = await startWorkbook(t, [['=1+1'], [2]]);
  const answer = await submit([
    on('range.copy', { source: 'A1', to: 'B1', paste: ['values'] }),
    on('range.sort', { range: 'A1:A2', keys: [{ col: 'A' }] }),
    on('range.autofill', { source: 'A1:A2', target: 'C1:C9' }),
    on('range.move', { source: 'A1:A2', to: 'A1048576' }),
  ]);
  t.equal(answer.status, 409);
  t.match(answer.json, {
    outcome: 'rejected',
    results: [
      { error: { code: 'copy_needs_values', hint: /range\.set/ } },
      { error: { code: 'sort_needs_values', hint: /order/ } },
      { error: { code: 'bad_target' } },
      { error: { code: 'outside_grid' } },
    ],
  });
  const malformed = await submit([on('range.insert', { range: 'A1', shift: 'up' })]);
  t.match(malformed.json, {
    code: 'invalid_request',
    errors: [{ pointer: '/ops/0/payload/shift' }],
  });
});

t.test('a strict submission does not write over what moved', async (t) => {
  const { submit } = await startWorkbook(t, [[1], [2]]);
  const first = await submit([on('range.move', { source: 'A1:A2', to: 'C5' })]);
  const { head } = first.json as Submitted;
  const set = on('cells.set', { cells: [{ a1: 'C6', input: 9 }] });
  const refused = await submit([set], { mode: 'strict', baseSeq: head - 1 });
  t.match(refused, { status: 409, json: { code: 'submission_rejected' } });
  const met = await submit([set], { mode: 'strict', baseSeq: head });
  t.equal(met.status, 200);
});
