import t from 'tap';

import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
} from '../support/merged-book.ts';

const sheet = 'Sheet1';
const rowCount = 6;
/** Rows that are neither in the order of A nor in that of B. */
const inputs = [
  [3, 2],
  [1, 5],
  [2, 4],
  [6, 1],
  [5, 6],
  [4, 3],
];

const by = (column: 0 | 1) => inputs.toSorted((a, b) => (a[column] ?? 0) - (b[column] ?? 0));
const sort = (col: string) => ({ sheet, range: `1:${rowCount}`, keys: [{ col }] });

t.test('two orders of a few rows are one conflict, and the choice is the order', async (t) => {
  for (const [choice, expected] of [
    ['ours', by(0)],
    ['theirs', by(1)],
  ] as const) {
    const book = await makeBook();
    await run(book, 'main', 'range.set', { sheet, range: `A1:B${rowCount}`, inputs });
    await fork(book, 'f');
    await run(book, 'main', 'range.sort', sort('A'));
    await run(book, 'f', 'range.sort', sort('B'));
    const { id } = await propose(book, { source: 'f' });
    const [conflict, ...more] = await conflictsOf(book, id);
    t.match(conflict, { kind: 'sort.order', status: 'open' });
    t.strictSame(more, []);
    const back = await book.ask('/merges', { body: { source: 'main', target: 'f', dryRun: true } });
    t.match(back, { status: 200, json: { summary: { conflicts: { open: 1 } } } });
    const resolutions = [{ id: conflict?.id, choice }];
    await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await values(book, `A1:B${rowCount}`), expected);
  }
});

t.test('a sort that came by a merge is a sort', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: `A1:B${rowCount}`, inputs });
  await fork(book, 'f');
  await fork(book, 'deep');
  await run(book, 'deep', 'range.sort', sort('B'));
  const { id: first } = await propose(book, { source: 'deep', target: 'f' });
  await approve(book, first);
  await run(book, 'main', 'range.sort', sort('A'));
  const { id } = await propose(book, { source: 'f' });
  t.match(await conflictsOf(book, id), [{ kind: 'sort.order' }]);
  t.equal((await conflictsOf(book, id)).length, 1);
});

t.test('rows and columns that both moved are told alike from both directions', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await run(book, 'main', 'cols.move', { sheet, from: 'D', before: 'F' });
  await run(book, 'main', 'rows.move', { sheet, from: 9, count: 2, before: 7 });
  await run(book, 'f', 'cols.move', { sheet, from: 'D', before: 'A' });
  await run(book, 'f', 'rows.move', { sheet, from: 9, count: 1, before: 2 });
  const one = await propose(book, { source: 'f' });
  const other = await propose(book, { source: 'main', target: 'f' });
  const found = await conflictsOf(book, one.id);
  t.strictSame(found.map(({ kind }) => kind).toSorted(), ['col.order', 'row.order']);
  t.strictSame(
    (await conflictsOf(book, other.id)).map(({ id }) => id).toSorted(),
    found.map(({ id }) => id).toSorted(),
  );
});

t.test('rules of formats that one side adds do not contest what the other one moved', async (t) => {
  for (const [source, target] of [
    ['f', 'main'],
    ['main', 'f'],
  ] as const) {
    const book = await makeBook();
    const rule = { type: 'cellIs', operator: 'greaterThan', formula1: 1 };
    const given = { sheet, ranges: ['A1:A8'], rule, style: { bold: true } };
    for (const id of ['cf1', 'cf2', 'cf3']) await run(book, 'main', 'cf.set', { ...given, id });
    await fork(book, 'f');
    await run(book, 'main', 'cf.move', { id: 'cf3', priority: 1 });
    await run(book, 'f', 'cf.set', { ...given, id: 'cf4', priority: 1 });
    await run(book, 'f', 'cf.set', { ...given, id: 'cf5', priority: 3 });
    const { id } = await propose(book, { source, target });
    t.strictSame(await conflictsOf(book, id), []);
    t.equal((await approve(book, id)).status, 200);
    const { json } = await book.ask(`/records?ref=${target}&types=cf`);
    const { records } = json as { records: { id: string; value: { priority: number } }[] };
    const found = records.toSorted((a, b) => a.value.priority - b.value.priority);
    t.strictSame(
      found.map((one) => one.id),
      ['cf4', 'cf3', 'cf1', 'cf5', 'cf2'],
      `${source} into ${target}`,
    );
  }
});
