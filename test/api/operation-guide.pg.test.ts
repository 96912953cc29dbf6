import t from 'tap';

import { operationGuide } from '../../server/model/operation-guide.ts';
import type { SubmittedKind } from '../../server/model/operation-guide.ts';
import { TestService } from '../support/test-service.ts';

/** The workbook that the examples of the reference are about. */
const sheets = [
  {
    name: 'Plan',
    rows: [
      ['Item', 'Price', 'Count'],
      ['Tea', 2.5, 4],
      ['Milk', 1.25, 2],
    ],
  },
  { name: 'Old', rows: [['x']] },
];
const area = { sheet: 'Plan', range: 'H2:H9' };
const preparation = [
  { kind: 'table.create', payload: { name: 'Sales', keyColumn: 'Item', sheetRange: 'Plan!A1:C3' } },
  { kind: 'name.set', payload: { name: 'Tax', ref: 'Plan!B2' } },
  { kind: 'style.define', payload: { id: 'Input', style: { italic: true } } },
  { kind: 'note.set', payload: { sheet: 'Plan', a1: 'A2', text: 'note' } },
  { kind: 'cellmerge.add', payload: { sheet: 'Plan', range: 'K1:L1' } },
  {
    kind: 'comment.add',
    payload: { sheet: 'Plan', a1: 'A3', thread: 'question', comment: 'first', text: 'Net?' },
  },
  {
    kind: 'validation.set',
    payload: { id: 'percent', sheet: 'Old', ranges: ['A1'], rule: { type: 'any' } },
  },
  {
    kind: 'cf.set',
    payload: { id: 'negative', sheet: 'Plan', ranges: ['H2:H9'], rule: { type: 'uniqueValues' } },
  },
  { kind: 'filter.set', payload: { sheet: 'Old', range: 'A1:A2' } },
  { kind: 'protect.set', payload: { id: 'locked', sheet: 'Old', ranges: ['C1'], who: ['*'] } },
  { kind: 'image.set', payload: { id: 'logo', sheet: 'Old', anchor: 'B2', spec: {} } },
  { kind: 'chart.set', payload: { id: 'prices', sheet: 'Old', anchor: 'B2', spec: {} } },
  { kind: 'range.set', payload: { ...area, range: 'N1:N2', inputs: [[1], [2]] } },
];

const written = [1, 2].map((input) => ({
  kind: 'cells.set',
  payload: { sheet: 'Plan', cells: [{ a1: 'H1', input }] },
}));

/** Kinds whose example needs other cells than those of a table, and what they are done before. */
const before: Partial<Record<SubmittedKind, readonly object[]>> = {
  undo: written,
  redo: [...written, { kind: 'undo', payload: { of: 2 } }],
  revert: written,
};
const withoutTable: ReadonlySet<SubmittedKind> = new Set([
  'cols.move',
  'range.insert',
  'range.delete',
  'range.move',
  'rows.move',
]);

interface Submitted {
  readonly results: readonly { readonly status: string; readonly error?: unknown }[];
}

t.test('the example of every kind works as it stands', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const create = async (): Promise<string> => {
    const created = await service.request('/v1/workbooks', { credential, body: { sheets } });
    return (created.json as { id: string }).id;
  };
  const id = await create();
  const branches = `/v1/workbooks/${id}/branches`;
  const submit = async (branch: string, ops: readonly object[]): Promise<Submitted> => {
    const answer = await service.request(`${branches}/${branch}/ops`, {
      credential,
      body: { ops },
    });
    return answer.json as Submitted;
  };
  const branchAt = (name: string): Promise<unknown> =>
    service.request(branches, { credential, body: { name, from: 'main' } });
  await branchAt('plain');
  const prepared = await submit('main', preparation);
  t.same(
    prepared.results.filter(({ status }) => status !== 'applied'),
    [],
    'the workbook of the examples',
  );
  const tableFree = preparation.slice(1);
  for (const [kind, { example }] of Object.entries(operationGuide)) {
    const wanted = kind as SubmittedKind;
    const name = kind.replaceAll('.', '-');
    const from = withoutTable.has(wanted) || before[wanted] !== undefined ? 'plain' : 'main';
    await service.request(branches, { credential, body: { name, from } });
    const first = before[wanted] ?? (from === 'plain' ? tableFree : []);
    for (const operation of first) await submit(name, [operation]);
    const { results } = await submit(name, [{ kind, payload: example }]);
    t.match(results[0]?.status, /^(?:applied|noop)$/, `${kind}: ${JSON.stringify(results)}`);
    t.notOk(results[0]?.error, kind);
  }
});
