import t from 'tap';

import { approve, fork, makeBook, propose, run, write } from '../support/merged-book.ts';
import type { Book } from '../support/book.ts';

// Tests of what a conflict tells of the sides, and of the result of settling one.

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly choices: readonly string[];
}

async function shown(book: Book, id: string, query = ''): Promise<Shown[]> {
  const answer = await book.ask(`/merges/${id}/conflicts${query}`);
  return (answer.json as { conflicts: Shown[] }).conflicts;
}

async function makeItems(): Promise<Book> {
  const book = await makeBook();
  const columns = [{ name: 'k' }, { name: 'price' }, { name: 'note' }];
  await run(book, 'main', 'table.create', { name: 'Items', keyColumn: 'k', schema: { columns } });
  return book;
}

const upsert = (...rows: object[]) => ({ table: 'Items', rows });

t.test('a conflict of a cell has what each side shows, and its unit', async (t) => {
  const book = await makeBook();
  await write(book, 'main', ['C1', '=A1*2']);
  await fork(book, 'f');
  await write(book, 'main', ['C1', '=A1*3'], ['A1', 100]);
  await write(book, 'f', ['C1', '=A1*4'], ['A1', null]);
  const { id } = await propose(book, { source: 'f' });
  const merge = (await book.ask(`/merges/${id}`)).json as { units: { id: string }[] };
  t.match(await shown(book, id), [
    {
      kind: 'cell.value',
      unit: merge.units[0]?.id,
      base: { input: 11, value: 11 },
      ours: { input: 100, value: 100, change: 'modified' },
      theirs: { input: null, value: null, change: 'removed' },
    },
    {
      kind: 'cell.formula',
      base: { input: '=A1*2', value: 22 },
      ours: { input: '=A1*3', value: 300 },
      theirs: { input: '=A1*4', value: 0 },
    },
  ]);
});

t.test('a deleted row has what was written to it, and a row of a table all sides', async (t) => {
  const book = await makeItems();
  await run(book, 'main', 'rows.upsert', upsert({ k: 'x', price: 1 }, { k: 'y', price: 2 }));
  await fork(book, 'f');
  await run(book, 'main', 'rows.delete', { sheet: 'Sheet1', from: 2, count: 1 });
  await run(book, 'main', 'rows.upsert', upsert({ k: 'x', price: 10 }));
  await write(book, 'f', ['B2', 99]);
  await run(book, 'f', 'rows.upsert', upsert({ k: 'x', price: 20 }));
  for (const [source, target, ours, theirs] of [
    ['f', 'main', 'ours', 'theirs'],
    ['main', 'f', 'theirs', 'ours'],
  ] as const) {
    const { id } = await propose(book, { source, target });
    t.match(await shown(book, id, '?kind=row.*'), [
      {
        kind: 'row.edit_delete',
        [ours]: { change: 'removed' },
        [theirs]: { change: 'modified', cells: [{ a1: 'B2', input: 99 }] },
        choices: ['ours', 'theirs', 'keep', 'delete'],
      },
    ]);
    t.match(await shown(book, id, '?table=Items'), [
      {
        kind: 'tablerow.cell',
        path: { key: 'x', column: 'price' },
        row: {
          base: { k: 'x', price: 1, note: null },
          [ours]: { k: 'x', price: 10 },
          [theirs]: { k: 'x', price: 20 },
        },
      },
    ]);
  }
});

t.test('cells of a table are combined', async (t) => {
  const book = await makeItems();
  const rows = ['v', 'w', 'x'].map((k) => ({ k, note: 'old' }));
  await run(book, 'main', 'rows.upsert', upsert(...rows));
  await fork(book, 'f');
  await run(
    book,
    'main',
    'rows.upsert',
    upsert({ k: 'v', note: null }, { k: 'w', note: 'a' }, { k: 'x', note: 'b' }),
  );
  await run(
    book,
    'f',
    'rows.upsert',
    upsert({ k: 'v', note: 'c' }, { k: 'w', note: null }, { k: 'x', note: 'd' }),
  );
  const { id } = await propose(book, { source: 'f' });
  const found = await shown(book, id);
  t.equal(found.length, 3);
  t.ok(found.every(({ choices }) => choices.includes('combine')));
  const where = { table: 'Items', column: 'note' };
  const bulk = [{ where, choice: 'combine', prefer: 'theirs' }];
  const settled = await book.ask(`/merges/${id}/resolve`, { body: { bulk } });
  t.match(settled.json, { open: 0, resolved: 3, newEffects: [] });
  t.match(await shown(book, id), [{ resolution: { choice: 'combine', prefer: 'theirs' } }]);
  await approve(book, id);
  const slice = await book.ask('/slice?range=Items!A2:C4');
  t.match(slice.json, {
    rows: [
      ['v', null, 'c'],
      ['w', null, 'a'],
      ['x', null, 'd'],
    ],
  });
});

t.test('conflicts of cells are picked by the letters of their column', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await run(book, 'main', 'cols.insert', { sheet: 'Sheet1', before: 'B', count: 1 });
  await write(book, 'main', ['A1', 1], ['C1', 2], ['C2', 3]);
  await write(book, 'f', ['A1', 4], ['B1', 5], ['B2', 6]);
  const { id } = await propose(book, { source: 'f' });
  t.equal((await shown(book, id)).length, 3);
  t.match(await shown(book, id, '?column=c'), [{ ours: { input: 2 } }, { ours: { input: 3 } }]);
  t.same(await shown(book, id, '?column=B'), [], 'letters are those of the merge');
  const bulk = [{ where: { column: 'C' }, choice: 'theirs' }];
  const settled = await book.ask(`/merges/${id}/resolve`, { body: { bulk } });
  t.match(settled.json, { open: 1, resolved: 2 });
  t.match((await book.ask(`/slice?ref=merge:${id}&range=A1:C1`)).json, { rows: [[1, null, 5]] });
});

t.test('settling tells what only the choices bring about', async (t) => {
  const book = await makeBook();
  await write(book, 'main', ['D1', '=A1*B1']);
  await fork(book, 'f');
  await write(book, 'main', ['A1', 2], ['C1', 1]);
  await write(book, 'f', ['B1', 3], ['A1', 5], ['C1', 1]);
  const { id } = await propose(book, { source: 'f' });
  const [conflict] = await shown(book, id);
  const resolve = async (choice: string) => {
    const body = { resolutions: [{ id: conflict?.id, choice }] };
    return (await book.ask(`/merges/${id}/resolve`, { body })).json;
  };
  t.match(await resolve('base'), {
    newEffects: [{ kind: 'effect.value', text: 'Sheet1!D1', value: { merged: 33 } }],
  });
  t.match(await resolve('theirs'), { open: 0, newEffects: [] });
});

t.test('an applied merge has its place in the transparency log', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const { id } = await propose(book, { source: 'f' });
  t.match((await approve(book, id)).json, { result: { leafHash: /^[0-9a-f]{64}$/u } });
  let result: { leafHash: string; tlogIndex: number | null } | undefined;
  for (let tries = 0; tries < 100 && typeof result?.tlogIndex !== 'number'; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    ({ result } = (await book.ask(`/merges/${id}`)).json as { result: typeof result });
  }
  const proof = await book.service.request(`/v1/tlog/proof?leaf_hash=${result?.leafHash}`);
  t.match(proof.json, { leaf_index: result?.tlogIndex });
  t.match((await book.ask('/merges')).json, { merges: [{ result }] });
});

const putPolicy = (book: Book, merge: object) =>
  book.ask('/settings', { method: 'PUT', body: { policy: { merge } } });

t.test('what is contested is as large as the policy or the proposal says', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1]);
  await write(book, 'f', ['B1', 2], ['B2', 3]);
  for (const [source, target] of [
    ['f', 'main'],
    ['main', 'f'],
  ]) {
    await putPolicy(book, { conflictGranularity: 'row' });
    const { id, state } = await propose(book, { source, target });
    t.equal(state, 'conflicted');
    const found = await shown(book, id);
    t.match(
      found.map(({ kind }) => kind),
      ['cell.value', 'cell.value'],
    );
    const finer = await propose(book, { source, target, granularity: 'cell' });
    t.match(finer, { state: 'review', granularity: 'cell' });
    await putPolicy(book, {});
    const larger = await propose(book, { source, target, granularity: 'sheet' });
    t.match(larger, { state: 'conflicted', summary: { conflicts: { open: 3 } } });
  }
  const body = { source: 'f', granularity: 'page' };
  t.match(await book.ask('/merges', { body }), { status: 400, json: { code: 'invalid_request' } });
});

t.test('a row deleted here and formatted there is told or asked about', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await run(book, 'main', 'rows.delete', { sheet: 'Sheet1', from: 2, count: 1 });
  await run(book, 'f', 'format.set', { sheet: 'Sheet1', range: 'A2', style: { bold: true } });
  for (const [source, target, ours, theirs] of [
    ['f', 'main', 'ours', 'theirs'],
    ['main', 'f', 'theirs', 'ours'],
  ] as const) {
    for (const [deleteVsFormat, state, severity] of [
      ['ignore', 'review', undefined],
      ['warn', 'review', 'warning'],
      ['conflict', 'conflicted', 'conflict'],
    ] as const) {
      await putPolicy(book, { deleteVsFormat, deleteVsEdit: 'keep' });
      const merge = await propose(book, { source, target });
      t.equal(merge.state, state, deleteVsFormat);
      const told = { severity, [ours]: { change: 'removed' }, [theirs]: { change: 'formatted' } };
      t.match(await shown(book, merge.id), severity === undefined ? [] : [told]);
    }
  }
});

t.test('scenario 24: two sheets that get one name, and a name of somebody’s own', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'sheet.add', { name: 'Two' });
  await fork(book, 'f');
  await run(book, 'main', 'sheet.rename', { sheet: 'Sheet1', name: 'C' });
  await run(book, 'f', 'sheet.rename', { sheet: 'Two', name: 'C' });
  for (const [source, target] of [
    ['main', 'f'],
    ['f', 'main'],
  ] as const) {
    const { id } = await propose(book, { source, target });
    const [conflict] = await shown(book, id);
    t.match(conflict, { kind: 'sheet.rename', choices: ['ours', 'theirs', 'custom'] });
    const resolve = (input: unknown) => {
      const resolutions = [{ id: conflict?.id, choice: 'custom', input }];
      return book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    };
    t.match(await resolve('a/b'), { status: 422, json: { code: 'bad_choice' } });
    t.match(await resolve(7), { status: 422, json: { code: 'bad_choice' } });
    t.match((await resolve('D')).json, { open: 0 });
    const diff = await book.ask(`/merges/${id}/diff`);
    t.match(diff.json, { structure: [{ op: 'sheet.rename', to: 'D' }] });
    // The second merge alone is applied: it leaves nothing of the conflict.
    if (target === 'main') await approve(book, id);
    const state = await book.ask('/branches/main/state');
    t.match(state.json, { sheets: [{ name: 'C' }, { name: target === 'main' ? 'D' : 'Two' }] });
  }
});

t.test('an applied merge has its conflicts as they were decided', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1], ['A2', 2]);
  await write(book, 'f', ['A1', 3], ['A2', 4], ['D9', 5]);
  const { id } = await propose(book, { source: 'f' });
  const [first, second] = await shown(book, id);
  const resolutions = [
    { id: first?.id, choice: 'custom', input: 9 },
    { id: second?.id, choice: 'theirs' },
  ];
  t.match((await book.ask(`/merges/${id}/resolve`, { body: { resolutions } })).json, { open: 0 });
  t.match((await approve(book, id)).json, { state: 'merged' });
  await write(book, 'main', ['A1', 100]);
  const decided = [
    {
      id: first?.id,
      status: 'resolved',
      base: { input: 11 },
      ours: { input: 1, value: 1 },
      theirs: { input: 3, value: 3 },
      resolution: { choice: 'custom', input: 9 },
    },
    { id: second?.id, status: 'resolved', resolution: { choice: 'theirs' } },
  ];
  t.match(await shown(book, id), decided);
  t.match((await book.ask(`/merges/${id}/conflicts?status=open`)).json, { total: 0, open: 0 });
  t.match((await book.ask(`/merges/${id}`)).json, { state: 'merged', result: { branch: 'main' } });
  await book.ask('/branches/f', { method: 'DELETE' });
  t.match((await book.ask(`/merges/${id}/conflicts`)).json, { conflicts: [] });
});
