import t from 'tap';

import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { TestService } from '../support/test-service.ts';

interface Result {
  readonly status: string;
  readonly record?: string;
  readonly comment?: string;
  readonly error?: { readonly code: string };
}

interface View {
  readonly type: string;
  readonly id: string | null;
  readonly sheet: string;
  readonly ranges: string[] | null;
  readonly value: Record<string, unknown>;
}

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

async function begin(t: Parameters<typeof TestService.start>[0]) {
  const service = await TestService.start(t, {}, {});
  const credential = await service.register();
  const sheets = [
    {
      name: 'Plan',
      rows: [
        ['Item', 'Count'],
        ['Tea', 2],
      ],
    },
    { name: 'Lists' },
  ];
  const created = await service.request('/v1/workbooks', { credential, body: { sheets } });
  const { id } = created.json as { id: string };
  const at = `/v1/workbooks/${id}`;
  const read = (path: string) => service.request(`${at}/${path}`, { credential });
  const submit = async (ops: object[], more: object = {}) => {
    const body = { ops, ...more };
    const answer = await service.request(`${at}/branches/main/ops`, { credential, body });
    return { ...answer, results: (answer.json as { results?: Result[] }).results ?? [] };
  };
  const records = async (query = '') => {
    const { json } = await service.request(`/v1/workbooks/${id}/records?${query}`, { credential });
    return (json as { records: View[] }).records;
  };
  return { service, credential, at, read, submit, records };
}

const plan = { sheet: 'Plan' };

t.test('records are made, read in pages, filtered and read at older positions', async (t) => {
  const { at, read, submit, records, service } = await begin(t);
  const { results } = await submit([
    { kind: 'note.set', payload: { ...plan, a1: 'A1', text: 'first' } },
    { kind: 'comment.add', payload: { ...plan, a1: 'B2', text: 'why two?' } },
    { kind: 'cf.set', payload: { ...plan, ranges: ['B2:B9'], rule: { type: 'uniqueValues' } } },
    { kind: 'hyperlink.set', payload: { ...plan, a1: 'A2', location: 'Lists!A1' } },
    { kind: 'note.set', payload: { sheet: 'Lists', a1: 'C3', text: 'second', author: 'Ada' } },
  ]);
  const thread = results[1]?.record ?? '';
  t.match(results[1], { record: /^th1\.\d+\.0$/, comment: /^c1\.\d+\.0$/ });
  t.match((await submit([{ kind: 'comment.reply', payload: { thread, text: 'so' } }])).results, [
    { status: 'applied', record: thread },
  ]);
  const state = (await read('branches/main/state')).json as { head: number; stateHash: string };
  t.match(state, { records: { note: 2, thread: 1, cf: 1, hyperlink: 1 } });

  const all = await records();
  t.same(
    all.map(({ type, sheet, ranges }) => [type, sheet, ranges?.join()]),
    [
      ['note', 'Plan', 'A1'],
      ['note', 'Lists', 'C3'],
      ['thread', 'Plan', 'B2'],
      ['cf', 'Plan', 'B2:B9'],
      ['hyperlink', 'Plan', 'A2'],
    ],
  );
  t.match(all[2]?.value, { comments: [{ text: 'why two?', author: /^agt_/ }, { text: 'so' }] });
  t.equal((await records('types=note,cf')).length, 3);
  t.equal((await records('types=note&sheet=lists')).length, 1);
  t.same(
    (await records('range=Plan!B:B')).map(({ type }) => type),
    ['thread', 'cf'],
  );
  const page = await read('records?offset=1&limit=2');
  t.match(page.json, {
    total: 5,
    offset: 1,
    limit: 2,
    records: [{ type: 'note' }, { type: 'thread' }],
  });
  t.equal(page.headers.get('etag'), `"main@${state.head}"`);

  await submit([{ kind: 'rows.insert', payload: { ...plan, before: 1 } }]);
  t.equal((await records('types=hyperlink'))[0]?.ranges?.[0], 'A3');
  const old = await records(`types=hyperlink&ref=main@${state.head}`);
  t.equal(old[0]?.ranges?.[0], 'A2', 'an older position has its own addresses');
  const bad = [
    ['types=notes', 400],
    ['range=A0', 400],
    ['sheet=Nowhere', 404],
    ['ref=main@-1', 400],
    ['kind=note', 400],
  ] as const;
  for (const [query, status] of bad)
    t.equal((await read(`records?${query}`)).status, status, query);
  const stranger = await service.register();
  const { status } = await service.request(`${at}/records`, { credential: stranger });
  t.equal(status, 404);
});

t.test('forbidden values and protected cells are refused, alone or all together', async (t) => {
  const { submit, records } = await begin(t);
  const rule = { type: 'whole', operator: 'between', formula1: 1, formula2: 10 };
  const error = { text: 'one to ten' };
  const { results: made } = await submit([
    { kind: 'validation.set', payload: { ...plan, ranges: ['B2:B9'], rule, error } },
    { kind: 'protect.set', payload: { ...plan, ranges: ['A:A'], who: ['keeper'] } },
  ]);
  t.match(made, [{ record: /^dv1/ }, { record: /^p1/ }]);
  const set = (a1: string, input: unknown) => ({
    kind: 'cells.set',
    payload: { ...plan, cells: [{ a1, input }] },
  });
  const { json, results } = await submit([set('B2', 50), set('B3', 5), set('A2', 'Milk')]);
  t.match(json, { status: 'partial' });
  t.match(results, [
    { error: { code: 'validation_failed', message: /between 1 and 10 .*: one to ten\.$/ } },
    { status: 'applied' },
    { error: { code: 'protected', message: /Plan!A2 is protected/ } },
  ]);
  const whole = await submit([set('B4', 1), set('B5', 11)], { mode: 'atomic' });
  t.match(whole, { status: 409, json: { code: 'submission_rejected' } });
  t.match((await submit([set('A2', 'Milk')], { writer: 'keeper' })).results, [
    { status: 'applied' },
  ]);
  const id = made[1]?.record;
  t.match((await submit([{ kind: 'protect.delete', payload: { id } }])).results, [
    { status: 'applied' },
  ]);
  t.same(await records('types=protection'), []);
  const malformed = {
    kind: 'cf.set',
    payload: { ...plan, ranges: [], rule: { type: 'uniqueValues' } },
  };
  t.equal((await submit([malformed])).status, 400);
});

t.test('records go out in a file and come in again', async (t) => {
  const { service, credential, submit, read, records } = await begin(t);
  await submit([
    { kind: 'cellmerge.add', payload: { ...plan, range: 'D1:E2' } },
    { kind: 'note.set', payload: { ...plan, a1: 'A1', text: 'look', author: 'Ada' } },
    { kind: 'comment.add', payload: { ...plan, a1: 'B2', text: 'why?', thread: 'mine' } },
    { kind: 'comment.resolve', payload: { thread: 'mine', resolved: true } },
    {
      kind: 'validation.set',
      payload: { ...plan, ranges: ['B2:B9'], rule: { type: 'list', source: '=Lists!$A$1:$A$3' } },
    },
    {
      kind: 'cf.set',
      payload: {
        ...plan,
        ranges: ['A2:B9', 'D4'],
        rule: { type: 'expression', formula1: '=$B2>1' },
        style: { bold: true, fill: '#FFC7CE' },
      },
    },
    {
      kind: 'filter.set',
      payload: { ...plan, range: 'A1:B9', criteria: [{ column: 'B', values: ['2'] }] },
    },
    { kind: 'protect.set', payload: { sheet: 'Lists', who: ['*'] } },
    { kind: 'hyperlink.set', payload: { ...plan, a1: 'C1', url: 'https://example.org/#x' } },
    { kind: 'chart.set', payload: { ...plan, anchor: 'G1:K9', spec: { kind: 'bar' } } },
  ]);
  const before = await records();
  const file = await read('branches/main/export?format=xlsx');
  t.equal(readXlsx(file.bytes).dropped.length, 0);
  const imported = await service.request('/v1/workbooks', {
    credential,
    bytes: file.bytes,
    headers: { 'content-type': xlsx },
  });
  t.match(imported, { status: 201, json: { dropped: [] } });
  const { id } = imported.json as { id: string };
  const answer = await service.request(`/v1/workbooks/${id}/records`, { credential });
  const after = (answer.json as { records: View[] }).records;
  const plain = (views: View[]) =>
    views
      .filter(({ type }) => type !== 'chart')
      .map(({ type, sheet, ranges, value }) => {
        const { comments, by: _, ...rest } = value;
        const said = Array.isArray(comments)
          ? comments.map((comment: { text: string; author: string }) => [
              comment.text,
              comment.author,
            ])
          : undefined;
        return { type, sheet, ranges, value: { ...rest, said } };
      });
  t.same(plain(after), plain(before));
  const json = (await read('branches/main/export?format=json')).json as {
    sheets: { records: View[] }[];
  };
  t.equal(json.sheets[0]?.records.length, before.length - 1);
});
