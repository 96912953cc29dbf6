import t from 'tap';

import type { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
  write,
  type Merge,
} from '../support/merged-book.ts';

interface Unit {
  readonly id: string;
  readonly decision: string;
  readonly changes: number;
  readonly conflicts: readonly string[];
}

interface Grouped extends Merge {
  readonly units: readonly Unit[];
}

const sheet = 'Sheet1';

async function proposed(theirs: (book: Book) => Promise<unknown>) {
  const book = await makeBook();
  await fork(book, 'q3');
  await theirs(book);
  return { book, merge: (await propose(book, { source: 'q3' })) as Grouped };
}

function regroup(book: Book, { id }: Merge, groups: readonly object[], more: object = {}) {
  return book.ask(`/merges/${id}/units`, { method: 'PUT', body: { groups, ...more } });
}

async function look(book: Book, { id }: Merge): Promise<Grouped> {
  return (await book.ask(`/merges/${id}`)).json as Grouped;
}

t.test('scenario 34: a rejected unit is left out, and not proposed again', async (t) => {
  const { book, merge } = await proposed(async (book) => {
    await write(book, 'q3', ['A1', 7], ['C1', 8], ['A3', '=A1']);
    await run(book, 'q3', 'format.set', { sheet, range: 'B1:B3', style: { bold: true } });
  });
  t.match(merge, {
    state: 'review',
    summary: { changes: { cells: 3, cellsAdded: 1, formats: 1, rowsInserted: 0 } },
    units: [{ auto: true, decision: 'accept', changes: 4 }],
  });
  const groups = [
    { id: 'figures', title: 'Figures', members: [{ sheet, range: 'A1:A9' }], decision: 'accept' },
    { id: 'layout', members: [{ kind: 'format.*' }], decision: 'reject', reason: 'brand colours' },
    { id: 'rest', members: ['*'] },
  ];
  const grouped = await regroup(book, merge, groups, { revision: 1 });
  t.match(grouped, {
    status: 200,
    json: {
      revision: 2,
      units: [
        { id: 'figures', title: 'Figures', auto: false, decision: 'accept', changes: 2 },
        { id: 'layout', title: 'layout', decision: 'reject', reason: 'brand colours', changes: 1 },
        { id: 'rest', decision: 'pending', changes: 1, conflicts: [], requires: [] },
      ],
    },
  });
  t.not((grouped.json as Merge).digest, merge.digest);
  t.match(await look(book, merge), { policy: { blockedBy: ['units'] } });
  t.match(await approve(book, merge.id), {
    status: 409,
    json: { code: 'units_pending', units: ['rest'] },
  });
  t.match(await regroup(book, merge, groups, { revision: 1 }), { status: 409 });
  const decided = groups.map((group) => ({ decision: 'reject', ...group }));
  await regroup(book, merge, decided);
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:C1'), [[7, 12, null]]);
  const state = await book.ask('/diff?from=main@2&to=main');
  t.match(state.json, { formats: [], summary: { cells: 2 } });
  const history = await book.ask('/branches/main/ops?after=2');
  t.match(history.json, { ops: [{ payload: { rejectedUnits: ['layout', 'rest'] } }] });

  await write(book, 'q3', ['D1', 1]);
  const again = (await propose(book, { source: 'q3' })) as Grouped;
  t.match(again.units, [{ changes: 1 }]);
  t.match(await approve(book, again.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:D1'), [[7, 12, null, 1]]);
});

t.test('units are joined, with what others require of them', async (t) => {
  const { book, merge } = await proposed(async (book) => {
    await write(book, 'q3', ['A1', 7], ['C1', 8]);
    await run(book, 'q3', 'sheet.add', { name: 'Late' });
    await run(book, 'q3', 'cells.set', { sheet: 'Late', cells: [{ a1: 'A1', input: 1 }] });
  });
  const three = await regroup(book, merge, [
    { id: 'sheet', members: [{ kind: 'sheet' }], decision: 'accept' },
    { id: 'late', members: [{ sheet: 'Late' }], decision: 'accept', requires: ['sheet'] },
    { id: 'first', title: 'The first', members: [{ sheet, range: 'A1' }], decision: 'accept' },
    { id: 'rest', members: ['*'], decision: 'reject' },
  ]);
  t.equal(three.status, 200, three.text);
  const joined = await regroup(book, merge, [
    { id: 'first', units: ['first', 'sheet'], decision: 'accept' },
    { id: 'late', decision: 'accept' },
    { id: 'rest', decision: 'reject' },
  ]);
  t.match(joined, {
    status: 200,
    json: {
      units: [
        { id: 'first', title: 'The first', changes: 2, requires: [] },
        { id: 'late', changes: 1, requires: ['first'] },
        { id: 'rest', changes: 1, decision: 'reject' },
      ],
    },
  });
  const both = [{ id: 'late', members: ['*'], units: ['late'] }];
  t.match(await regroup(book, merge, both), {
    status: 422,
    json: { code: 'bad_unit', errors: [{ pointer: '/groups/0/members' }] },
  });
  const unknown = [{ id: 'late', units: ['late', 'sheet'] }];
  t.match(await regroup(book, merge, unknown), {
    status: 422,
    json: { errors: [{ message: 'the merge has no unit sheet whose members it could have' }] },
  });
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:C1'), [[7, 12, null]]);
  t.match((await book.ask('/slice?range=Late!A1')).json, { rows: [[1]] });
});

t.test('a deferred unit waits on a branch of its own', async (t) => {
  const { book, merge } = await proposed(async (book) => {
    await write(book, 'q3', ['A1', 7], ['C1', 8]);
    await run(book, 'q3', 'sheet.add', { name: 'Late' });
  });
  await write(book, 'main', ['B3', 1]);
  // Deferred changes get a branch, however many branches there are, because they would be lost
  // without one.
  const policy = { branch: { maxBranches: 2 } };
  await book.ask('/settings', { method: 'PUT', body: { policy } });
  const answer = await regroup(book, merge, [
    { id: 'late', members: [{ sheet: 'Late' }, { sheet, range: 'C1:C3' }], decision: 'defer' },
    { id: 'now', members: ['*'], decision: 'accept' },
  ]);
  t.equal(answer.status, 200, answer.text);
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:C1'), [[7, 12, null]]);
  const source = `q3/deferred-${merge.id}`;
  t.same(await values(book, 'A1:C1', source), [[7, 12, 8]]);
  const later = (await propose(book, { source })) as Grouped;
  t.match(later, { fastForward: true });
  t.match(await approve(book, later.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:C1'), [[7, 12, 8]]);
  t.equal((await book.ask('/slice?range=Late!A1')).status, 200);
});

t.test('what is deferred of a branch with the longest name has a branch, too', async (t) => {
  const book = await makeBook();
  const longest = 'q'.repeat(100);
  await fork(book, longest);
  await write(book, longest, ['A1', 7], ['C1', 8]);
  const merge = await propose(book, { source: longest });
  await regroup(book, merge, [
    { id: 'late', members: [{ sheet, range: 'C1' }], decision: 'defer' },
    { id: 'now', members: ['*'], decision: 'accept' },
  ]);
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  const end = `/deferred-${merge.id}`;
  const deferred = `${longest.slice(0, 100 - end.length)}${end}`;
  t.same(await values(book, 'A1:C1', deferred), [[7, 12, 8]]);
});

t.test('a grouping does not split what cannot be split', async (t) => {
  const { book, merge } = await proposed(async (book) => {
    await run(book, 'q3', 'rows.insert', { sheet, before: 2, count: 1 });
    await write(book, 'q3', ['A2', 5]);
    await run(book, 'q3', 'name.set', { name: 'rate', formula: '=0.5' });
    await write(book, 'q3', ['C1', '=rate*2']);
  });
  const split = [
    { id: 'rows', members: [{ kind: 'structure' }, { kind: 'name' }], decision: 'reject' },
    { id: 'cells', members: ['*'], decision: 'accept' },
  ];
  const refused = await regroup(book, merge, split);
  t.match(refused, {
    status: 422,
    json: { code: 'unit_dependency', edges: [{ unit: 'cells', requires: 'rows' }] },
  });
  t.equal((await look(book, merge)).revision, 1);
  const named = split.map((group) =>
    group.id === 'cells' ? { ...group, requires: ['rows'] } : group,
  );
  t.equal((await regroup(book, merge, named)).status, 200);
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A1:C3'), [
    [11, 12, null],
    [21, 22, null],
    [31, 32, null],
  ]);
});

t.test('conflicts of a unit are found by it, and are gone with it', async (t) => {
  const { book, merge } = await proposed((book) => write(book, 'q3', ['A1', 7], ['A2', 8]));
  await write(book, 'main', ['A1', 70], ['A2', 80]);
  const [first] = await conflictsOf(book, merge.id);
  const rest = { id: 'rest', members: ['*'], decision: 'accept' };
  const grouped = await regroup(book, merge, [
    { id: 'one', members: [first?.id], decision: 'accept' },
    rest,
  ]);
  t.match(grouped, { json: { units: [{ id: 'one', conflicts: [first?.id] }, { id: 'rest' }] } });
  t.same(
    (await conflictsOf(book, merge.id, '?unit=one')).map(({ id }) => id),
    [first?.id],
  );
  await regroup(book, merge, [{ id: 'one', members: [first?.id], decision: 'reject' }, rest]);
  const left = await conflictsOf(book, merge.id);
  t.equal(left.length, 1);
  t.not(left[0]?.id, first?.id);
});

t.test('units that nothing can be in are refused', async (t) => {
  const { book, merge } = await proposed((book) => write(book, 'q3', ['A1', 7]));
  for (const [index, group] of [
    { id: 'a', members: ['c_000000000000'] },
    { id: 'a', members: [{ sheet: 'None' }] },
    { id: 'a', members: [{ table: 'none' }] },
    { id: 'a', members: [{ range: 'A1' }] },
    { id: 'a', members: [{ sheet, range: 'nonsense' }] },
    { id: 'a', members: [{}] },
    { id: 'a', members: ['*'], requires: ['b'] },
  ].entries()) {
    const answer = await regroup(book, merge, [group]);
    t.match(answer, { status: 422, json: { code: 'bad_unit' } }, String(index));
  }
  const twice = [
    { id: 'a', members: ['*'] },
    { id: 'a', members: [{ sheet }] },
  ];
  t.match(await regroup(book, merge, twice), { status: 422, json: { code: 'bad_unit' } });
  t.match(await regroup(book, merge, []), { status: 200, json: { units: [{ auto: true }] } });
});

t.test('rows of a table are a unit by their keys', async (t) => {
  const book = await makeBook();
  const schema = {
    columns: [
      { name: 'sku', type: 'text' },
      { name: 'price', type: 'number' },
    ],
  };
  await run(book, 'main', 'table.create', { name: 'Items', keyColumn: 'sku', schema });
  const rows = [
    { sku: 'a', price: 1 },
    { sku: 'b', price: 2 },
  ];
  await run(book, 'main', 'rows.upsert', { table: 'Items', rows });
  await fork(book, 'q3');
  const raised = rows.map(({ sku, price }) => ({ sku, price: price * 10 }));
  await run(book, 'q3', 'rows.upsert', { table: 'Items', rows: raised });
  const merge = await propose(book, { source: 'q3' });
  const grouped = await regroup(book, merge, [
    { id: 'b', members: [{ table: 'Items', keys: ['b'], column: 'price' }], decision: 'reject' },
    { id: 'rest', members: ['*'], decision: 'accept' },
  ]);
  t.match(grouped, { status: 200, json: { units: [{ id: 'b', changes: 1 }, { changes: 1 }] } });
  t.match(await approve(book, merge.id), { status: 200 });
  const read = (await book.ask('/slice?range=Items!A1:B9')).json as { rows: unknown[][] };
  t.same(read.rows.slice(1, 3), [
    ['a', 10],
    ['b', 2],
  ]);
});

t.test('changes are divided by another rule', async (t) => {
  const { book, merge } = await proposed(async (book) => {
    await run(book, 'q3', 'sheet.add', { name: 'Two' });
    await write(book, 'q3', ['A1', 7]);
  });
  const divided = (body: object) => book.ask(`/merges/${merge.id}/units`, { method: 'PUT', body });
  t.equal(merge.units.length, 2);
  const byWriter = await divided({ grouping: 'writer' });
  t.match(byWriter, { status: 200, json: { units: [{ auto: true, decision: 'accept' }] } });
  t.equal((byWriter.json as Grouped).units.length, 1, 'one writer made them');
  t.match(await look(book, merge), { grouping: 'writer', units: (byWriter.json as Grouped).units });
  t.match(await regroup(book, merge, [{ id: 'own', members: ['*'] }]), {
    json: { units: [{ id: 'own', auto: false }] },
  });
  t.match(await regroup(book, merge, []), { json: { units: (byWriter.json as Grouped).units } });
  t.match((await divided({ grouping: 'sheet' })).json, { units: merge.units });
  t.match(await look(book, merge), {
    timeline: [{}, { detail: 'by writer' }, {}, { detail: 'by writer' }, { detail: 'by sheet' }],
  });
  t.match(await divided({ grouping: 'colour' }), { status: 400 });
  t.match(await approve(book, merge.id), { status: 200 });
});

interface UnitDiff {
  readonly total: number;
  readonly cells: readonly { readonly a1: { readonly to: string | null } }[];
  readonly structure: readonly object[];
  readonly next: string | null;
}

async function changesIn(book: Book, { id }: Merge, unit: string, more = ''): Promise<UnitDiff> {
  const { status, text, json } = await book.ask(`/merges/${id}/diff?unit=${unit}${more}`);
  if (status !== 200) throw new Error(text);
  return json as UnitDiff;
}

const cellsIn = ({ cells }: UnitDiff): (string | null)[] => cells.map(({ a1 }) => a1.to);

t.test('changes are listed by unit, and moved one by one', async (t) => {
  const { book, merge } = await proposed(async (book) => {
    await write(book, 'q3', ['A1', 7], ['C1', 8], ['B2', '=A1'], ['C3', 9]);
    await run(book, 'q3', 'rows.insert', { sheet, before: 1, count: 1 });
  });
  // The target stands elsewhere: what is listed and moved is named as the source has it.
  await run(book, 'main', 'rows.insert', { sheet, before: 1, count: 3 });
  await run(book, 'main', 'cells.set', { sheet, cells: [{ a1: 'D9', input: 1 }] });
  const groups = [
    { id: 'first', members: [{ sheet, range: 'A1:C3' }], decision: 'accept' },
    { id: 'second', members: ['*'], decision: 'accept' },
  ];
  t.equal((await regroup(book, merge, groups)).status, 200);
  const [first, second] = [
    await changesIn(book, merge, 'first'),
    await changesIn(book, merge, 'second'),
  ];
  t.same([cellsIn(first), cellsIn(second)], [['A2', 'C2', 'B3'], ['C4']]);
  t.match([first.structure, second.structure], [[], [{ op: 'rows.insert', at: '1:1' }]]);
  const page = await changesIn(book, merge, 'first', '&limit=2');
  t.same(cellsIn(page), ['A2', 'C2']);
  const next = await book.service.request(page.next ?? '', { credential: book.credential });
  t.same(cellsIn(next.json as UnitDiff), ['B3'], 'the next page is of the same unit');

  const moved = await regroup(book, merge, [
    { id: 'first', decision: 'accept' },
    { id: 'second', decision: 'reject', moves: [{ sheet, range: 'C2', kind: 'cell.input' }] },
  ]);
  t.match(moved, { status: 200, json: { units: [{ changes: 2 }, { changes: 3 }] } });
  t.same(cellsIn(await changesIn(book, merge, 'second')), ['C2', 'C4']);
  await regroup(book, merge, [
    { id: 'first', decision: 'accept', moves: [{ sheet, range: 'C2:C4' }] },
    { id: 'second', decision: 'reject' },
  ]);
  t.same(cellsIn(await changesIn(book, merge, 'first')), ['A2', 'C2', 'B3', 'C4'], 'and back');
  await regroup(book, merge, [
    { id: 'first', decision: 'accept' },
    { id: 'second', decision: 'reject', moves: [{ sheet, range: 'A2' }] },
  ]);
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.same(await values(book, 'A4:C6'), [
    [11, 12, 8],
    [21, 11, null],
    [31, 32, 9],
  ]);
  t.same(cellsIn(await changesIn(book, merge, 'second')), ['A2'], 'it is listed afterwards');
});

t.test('what cannot be moved or listed is refused with its place', async (t) => {
  const { book, merge } = await proposed((book) => write(book, 'q3', ['A1', 7]));
  const groups = [{ id: 'rest', members: ['*'], moves: ['*', { sheet: 'Nowhere' }] }];
  t.match((await regroup(book, merge, groups)).json, {
    code: 'bad_unit',
    errors: [{ pointer: '/groups/0/moves/1' }, { pointer: '/groups/0/moves/0' }],
  });
  const asked = (query: string) => book.ask(`/merges/${merge.id}/diff?${query}`);
  t.match((await asked('unit=nothing')).json, { code: 'bad_unit', errors: [{ pointer: '?unit' }] });
  t.match((await asked('unit=rest&values=true')).json, {
    code: 'invalid_request',
    errors: [{ pointer: '?values' }],
  });
});
