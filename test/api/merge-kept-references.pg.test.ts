import t from 'tap';

import type { Book } from '../support/book.ts';
import { approve, fork, makeBook, propose, run, values, write } from '../support/merged-book.ts';

// A merged workbook shows formulas that name lines and sheets which one side deleted.

interface Asked {
  readonly conflicts: readonly { readonly id: string; readonly kind: string }[];
}

async function settled(book: Book, choice: string): Promise<string[]> {
  const merge = await propose(book, { source: 'q3' });
  const { conflicts } = (await book.ask(`/merges/${merge.id}/conflicts`)).json as Asked;
  const resolutions = conflicts.map(({ id }) => ({ id, choice }));
  if (resolutions.length > 0)
    await book.ask(`/merges/${merge.id}/resolve`, { body: { resolutions } });
  const answer = await approve(book, merge.id);
  if (answer.status !== 200) throw new Error(answer.text);
  return conflicts.map(({ kind }) => kind);
}

t.test('a formula in a new row sums the rows that the other side leaves', async (t) => {
  const book = await makeBook();
  await write(book, 'main', ['A4', 41], ['A5', 51], ['A6', 61], ['A7', 71]);
  await fork(book, 'q3');
  await run(book, 'q3', 'rows.insert', { sheet: 'Sheet1', before: 8, count: 1 });
  await write(book, 'q3', ['C8', '=SUM(A2:A7)']);
  await run(book, 'main', 'rows.delete', { sheet: 'Sheet1', from: 5, count: 3 });
  t.same(await settled(book, 'theirs'), []);
  t.same(await values(book, 'C5'), [[21 + 31 + 41]]);
});

t.test('a formula that named the blank row of a table names the first row', async (t) => {
  for (const target of ['main', 'q3']) {
    const book = await makeBook();
    const schema = { columns: [{ name: 'k' }] };
    await run(book, 'main', 'table.create', { name: 'Items', keyColumn: 'k', schema });
    await write(book, 'main', ['D1', '=Items!A2&"!"']);
    await fork(book, 'q3');
    for (const branch of ['main', 'q3']) {
      await run(book, branch, 'rows.upsert', { table: 'Items', rows: [{ k: branch }] });
    }
    const source = target === 'main' ? 'q3' : 'main';
    const merge = await propose(book, { source, target });
    const { conflicts } = (await book.ask(`/merges/${merge.id}/conflicts`)).json as Asked;
    t.same(conflicts, []);
    t.equal((await approve(book, merge.id)).status, 200);
    const rows = (await values(book, 'Items!A2:A3', target)) as string[][];
    t.same(rows.flat().toSorted(), ['main', 'q3']);
    t.same(await values(book, 'D1', target), [[`${rows[0]?.[0]}!`]]);
  }
});

t.test(
  'a range whose last row goes ends with a row of the other side in front of it',
  async (t) => {
    const sheet = 'Sheet1';
    for (const target of ['main', 'q3']) {
      const book = await makeBook();
      await write(book, 'main', ['D1', '=SUM(A1:A3)'], ['D2', '=SUM(A2:B3)/2']);
      await fork(book, 'q3');
      await run(book, 'main', 'rows.delete', { sheet, from: 3, count: 1 });
      await run(book, 'q3', 'rows.insert', { sheet, before: 3, count: 1 });
      await write(book, 'q3', ['A3', 7]);
      const source = target === 'main' ? 'q3' : 'main';
      const merge = await propose(book, { source, target });
      t.equal((await approve(book, merge.id)).status, 200);
      t.same(await values(book, 'D1:D2', target), [[11 + 21 + 7], [(21 + 22 + 7) / 2]], target);
    }
  },
);

t.test('a sheet that is kept is shifted once, and as the side did that kept it', async (t) => {
  const shift = ['range.insert', { sheet: 'Rates', range: 'A1', shift: 'down' }] as const;
  for (const deleter of ['main', 'q3']) {
    const book = await makeBook();
    const writer = deleter === 'main' ? 'q3' : 'main';
    await run(book, 'main', 'sheet.add', { name: 'Rates' });
    await run(book, 'main', 'cells.set', { sheet: 'Rates', cells: [{ a1: 'A1', input: 7 }] });
    await fork(book, 'q3');
    await run(book, deleter, ...shift);
    await run(book, deleter, ...shift);
    await run(book, deleter, 'sheet.delete', { sheet: 'Rates' });
    await run(book, writer, ...shift);
    await run(book, writer, 'cells.set', { sheet: 'Rates', cells: [{ a1: 'A1', input: 8 }] });
    for (const time of ['once', 'again']) {
      const merge = await propose(book, { source: 'q3', squash: true });
      const { conflicts } = (await book.ask(`/merges/${merge.id}/conflicts`)).json as Asked;
      const resolutions = conflicts.map(({ id }) => ({ id, choice: 'keep' }));
      await book.ask(`/merges/${merge.id}/resolve`, { body: { resolutions } });
      t.equal((await approve(book, merge.id)).status, 200);
      const rows = await values(book, 'Rates!A1:A3');
      t.same(rows, [[8], [7], [null]], `${deleter} deletes it, merged ${time}`);
      await write(book, 'q3', ['A9', time]);
    }
  }
});

t.test('a row that is kept is shifted once', async (t) => {
  const sheet = 'Sheet1';
  const book = await makeBook();
  await fork(book, 'q3');
  await run(book, 'main', 'rows.delete', { sheet, from: 2, count: 1 });
  await write(book, 'q3', ['B2', 9]);
  await run(book, 'q3', 'range.insert', { sheet, range: 'A2', shift: 'right' });
  for (const time of ['once', 'again']) {
    const merge = await propose(book, { source: 'q3', squash: true, strategy: 'theirs' });
    t.equal((await approve(book, merge.id)).status, 200);
    t.same(await values(book, 'A2:D2'), [[null, 21, 9, null]], time);
    await write(book, 'q3', ['A9', time]);
  }
});

t.test('cells that are shifted over a row that is kept are all there, once', async (t) => {
  const sheet = 'Sheet1';
  const inputs = [11, 21, 31, 41, 51].map((input) => [input, input + 1]);
  const insert = ['range.insert', { sheet, range: 'A2', shift: 'down' }] as const;
  const remove = ['range.delete', { sheet, range: 'A1', shift: 'up' }] as const;
  const gone = ['rows.delete', { sheet, from: 3, count: 1 }] as const;
  const edit = ['cells.set', { sheet, cells: [{ a1: 'B3', input: 9 }] }] as const;
  const inserted = [11, null, 21, 31, 41, 51];
  const twice = [11, null, 21, null, 31, 41];
  const write21 = ['cells.set', { sheet, cells: [{ a1: 'A2', input: 77 }] }] as const;
  const write5 = ['cells.set', { sheet, cells: [{ a1: 'A2', input: 5 }] }] as const;
  type Step = readonly [kind: string, payload: object];
  const cases: readonly (readonly [readonly Step[], readonly Step[], readonly unknown[]])[] = [
    [[gone], [edit, insert], inserted],
    [[gone], [edit, remove], [21, 31, 41, 51, null, null]],
    [[gone, insert], [edit], inserted],
    [[['rows.delete', { sheet, from: 3, count: 2 }]], [edit, insert], [11, null, 21, 31, 51, null]],
    // Row 3 is deleted between two shifts, and what the second one moves over it was written to.
    [[['range.insert', { sheet, range: 'A3', shift: 'down' }], gone, insert], [edit], twice],
    [[gone, write21, insert], [edit], [11, null, 77, 31, 41, 51]],
    [[gone, insert, write5], [edit], [11, 5, 21, 31, 41, 51]],
    [[gone, remove], [edit], [21, 31, 41, 51, null, null]],
  ];
  for (const [deleting, writing, column] of cases) {
    for (const deleter of ['main', 'q3']) {
      const book = await makeBook();
      await run(book, 'main', 'range.set', { sheet, range: 'A1:B5', inputs });
      await fork(book, 'q3');
      for (const operation of deleting) await run(book, deleter, ...operation);
      const writer = deleter === 'main' ? 'q3' : 'main';
      for (const operation of writing) await run(book, writer, ...operation);
      t.same(await settled(book, 'keep'), ['row.edit_delete']);
      const rows = (await values(book, 'A1:B6')) as unknown[][];
      t.same(
        rows.map(([first]) => first),
        column,
        `${JSON.stringify([deleting, writing])}, ${deleter} deletes`,
      );
      t.equal(rows[2]?.[1], 9);
    }
  }
});

t.test('cells cut out of a row or column that is deleted then are there once', async (t) => {
  type Step = readonly [kind: string, payload: object];
  const sheet = 'Sheet1';
  const cut: Step = ['range.move', { sheet, source: 'A3', to: 'D1' }];
  const row: Step = ['rows.delete', { sheet, from: 3, count: 1 }];
  const column: Step = ['cols.delete', { sheet, from: 'A', count: 1 }];
  const cases: readonly (readonly [Step, string, string[], string, unknown[]])[] = [
    [row, 'B3', ['row.edit_delete'], 'A3:B3', [null, 9]],
    [column, 'A2', ['col.edit_delete'], 'A3:B3', [null, 32]],
    [row, 'A3', [], 'A3:B3', [null, null]],
    [column, 'A3', [], 'A3:B3', [32, null]],
  ];
  for (const [deletion, edited, asked, range, expected] of cases) {
    for (const deleter of ['main', 'q3']) {
      const book = await makeBook();
      await fork(book, 'q3');
      for (const [kind, payload] of [cut, deletion]) await run(book, deleter, kind, payload);
      const writer = deleter === 'main' ? 'q3' : 'main';
      await write(book, writer, [edited, 9], ['F1', '=A3*2']);
      const told = `${deleter}: ${deletion[0]}, the other side writes ${edited}`;
      t.same(await settled(book, 'keep'), asked, told);
      t.same(await values(book, range), [expected], told);
      const first = (await values(book, 'A1:F1')) as unknown[][];
      const was = asked.length > 0 ? 31 : 9;
      t.same(
        first.flat().filter((held) => held === was),
        [was],
        told,
      );
      t.ok(first.flat().includes(was * 2), told);
    }
  }
});

t.test('a sheet that is kept is named again by formulas that only the target has', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'sheet.add', { name: 'Rates' });
  await run(book, 'main', 'cells.set', { sheet: 'Rates', cells: [{ a1: 'A1', input: 7 }] });
  await run(book, 'main', 'name.set', { name: 'vat', ref: 'Rates!A1', scope: 'Rates' });
  await write(book, 'main', ['D1', '=Rates!vat']);
  await fork(book, 'q3');
  await write(book, 'main', ['C1', '=Rates!A1*2']);
  await run(book, 'main', 'sheet.delete', { sheet: 'Rates' });
  t.same(await values(book, 'C1:D1'), [[{ error: '#REF!' }, { error: '#REF!' }]]);
  await run(book, 'q3', 'cells.set', { sheet: 'Rates', cells: [{ a1: 'A1', input: 8 }] });
  t.same(await settled(book, 'theirs'), ['sheet.edit_delete']);
  t.same(await values(book, 'C1:D1'), [[16, 8]]);
});

t.test('a sheet that is kept is named by formulas that its deleter has not written', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'sheet.add', { name: 'Rates' });
  const cells = [3, 7, 5, 1].map((input, at) => ({ a1: `A${at + 1}`, input }));
  await run(book, 'main', 'cells.set', { sheet: 'Rates', cells });
  await write(book, 'main', ['C1', '=Rates!$A$2*2']);
  await fork(book, 'q3');
  await run(book, 'main', 'cells.set', { sheet: 'Rates', cells: [{ a1: 'B1', input: 0 }] });
  const keys = [{ col: 'A' }];
  await run(book, 'q3', 'range.sort', { sheet: 'Rates', range: '1:4', keys });
  await run(book, 'q3', 'sheet.delete', { sheet: 'Rates' });
  t.same(await settled(book, 'ours'), ['sheet.edit_delete']);
  t.same(await values(book, 'C1'), [[14]]);
});

t.test('a sheet that is kept is named by all that the other side shifted', async (t) => {
  const sheet = 'Sheet1';
  const shift = ['range.insert', { sheet, range: 'A1:C1', shift: 'down' }] as const;
  const edit = ['cells.set', { sheet: 'Rates', cells: [{ a1: 'A1', input: 8 }] }] as const;
  const remove = ['sheet.delete', { sheet: 'Rates' }] as const;
  const sides = [[remove], [shift, edit]] as const;
  for (const [ours, theirs] of [sides, sides.toReversed()]) {
    const book = await makeBook();
    await run(book, 'main', 'sheet.add', { name: 'Rates' });
    await run(book, 'main', 'cells.set', { sheet: 'Rates', cells: [{ a1: 'A1', input: 7 }] });
    await run(book, 'main', 'name.set', { name: 'both', formula: '=Rates!$A$1+Sheet1!$B$1' });
    await write(book, 'main', ['C1', '=Rates!A1*2'], ['E1', '=Rates!A1-B1'], ['F1', '=both']);
    const rule = { type: 'custom', formula1: '=$B$1>Rates!$A$1' };
    await run(book, 'main', 'validation.set', { sheet, ranges: ['E2:E3'], rule });
    await fork(book, 'q3');
    for (const [kind, payload] of ours) await run(book, 'main', kind, payload);
    for (const [kind, payload] of theirs) await run(book, 'q3', kind, payload);
    t.same(await settled(book, 'keep'), ['sheet.edit_delete']);
    t.same(await values(book, 'C2'), [[16]]);
    t.same(await values(book, 'E1:F1'), [[8 - 12, 8 + 12]]);
    const { json } = await book.ask('/records?ref=main&types=validation');
    t.match(json, { records: [{ value: { rule: { formula1: '=$B$2>Rates!$A$1' } } }] });
  }
});

t.test('a key is one row, whichever side gave its column another type', async (t) => {
  const book = await makeBook();
  const columns = [{ name: 'k' }, { name: 'v' }];
  await run(book, 'main', 'table.create', { name: 'Items', keyColumn: 'k', schema: { columns } });
  await run(book, 'main', 'rows.upsert', { table: 'Items', rows: [{ k: 1, v: 10 }] });
  await fork(book, 'q3');
  await run(book, 'main', 'table.column.alter', { table: 'Items', column: 'k', type: 'text' });
  await run(book, 'main', 'rows.upsert', { table: 'Items', rows: [{ k: '2', v: 20 }] });
  await run(book, 'q3', 'rows.upsert', {
    table: 'Items',
    rows: [
      { k: 2, v: 22 },
      { k: 3, v: 30 },
    ],
  });
  t.same(await settled(book, 'theirs'), ['tablerow.insert_insert']);
  t.same(await values(book, 'Items!A2:B4'), [
    ['1', 10],
    ['2', 22],
    ['3', 30],
  ]);
});
