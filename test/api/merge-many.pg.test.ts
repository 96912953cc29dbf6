import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

// Two branches that wrote to the same cells, as many as bench/merge/conflicts.ts has, but fewer.

const columnCount = 10;
const rowCount = 300;
const count = columnCount * rowCount;
const pageSize = 700;

interface Page {
  readonly total: number;
  readonly open: number;
  readonly conflicts: readonly { readonly id: string; readonly kind: string }[];
}

function inputAt(row: number, column: number, salt: number): number | string {
  return column % 2 === 1 ? `=L${row + 1}+${salt}` : row * columnCount + column + salt / 10;
}

async function write(book: Book, branch: string, salt: number): Promise<void> {
  const inputs = Array.from({ length: rowCount }, (_, row) =>
    Array.from({ length: columnCount }, (__, column) => inputAt(row, column, salt)),
  );
  const ops = [{ kind: 'range.set', payload: { sheet: 'Sheet1', range: 'A1', inputs } }];
  const answer = await book.ask(`/branches/${branch}/ops`, { body: { ops, writer: 'w' } });
  if (answer.status !== 200) throw new Error(answer.text);
}

t.test('thousands of conflicts are paged, filtered, settled in bulk and applied', async (t) => {
  const service = await TestService.start(t, {}, { formulas: new Formulas() });
  const book = await Book.create(service);
  await write(book, 'main', 1);
  await book.ask('/branches', { body: { name: 'f', from: 'main' } });
  await write(book, 'main', 2);
  await write(book, 'f', 3);
  const made = await book.ask('/merges', { body: { source: 'f' } });
  t.match(made.json, { state: 'conflicted', summary: { conflicts: { open: count, resolved: 0 } } });
  const { id, units } = made.json as { id: string; units: { id: string; conflicts: string[] }[] };
  const path = `/merges/${id}`;
  t.match(units, [{ conflicts: { length: 1_000 }, moreConflicts: count - 1_000 }]);
  const page = async (query: string) => (await book.ask(`${path}/conflicts?${query}`)).json as Page;

  const ids: string[] = [];
  for (let offset = 0; offset < count + pageSize; offset += pageSize) {
    const { total, conflicts } = await page(`offset=${offset}&limit=${pageSize}`);
    t.equal(total, count);
    ids.push(...conflicts.map(({ id }) => id));
  }
  t.equal(ids.length, count, 'the pages have all of them');
  t.equal(new Set(ids).size, count, 'each once');
  t.strictSame(units[0]?.conflicts, ids.slice(0, 1_000), 'a unit lists the first ones');
  t.match(await page(`unit=${units[0]?.id}&limit=1`), { total: count });
  t.match(await page('kind=*.formula&limit=1'), { total: count / 2, open: count });
  t.match(await page('sheet=Sheet1&kind=cell.value&limit=1'), { total: count / 2 });
  t.match(await page('sheet=Other'), { total: 0, open: count, conflicts: [] });

  const resolve = (body: object) => book.ask(`${path}/resolve`, { body });
  const one = await resolve({ resolutions: [{ id: ids[0], choice: 'theirs' }] });
  t.match(one.json, { resolved: 1, open: count - 1 });
  t.match(await page('status=resolved'), { total: 1, conflicts: [{ id: ids[0] }] });
  const bulk = [
    { where: { kind: 'cell.formula' }, choice: 'theirs' },
    { where: { kind: 'cell.value', sheet: 'Sheet1' }, choice: 'base' },
  ];
  t.match((await resolve({ bulk })).json, { resolved: count, open: 0, state: 'review' });
  t.match((await resolve({ bulk: [{ where: {}, choice: null }] })).json, { open: count });
  t.match((await resolve({ bulk })).json, { open: 0, revision: 5 });
  t.match((await book.ask('/merges')).json, { total: 1, merges: [{ state: 'review' }] });

  const applied = await book.ask(`${path}/approve`, { body: {} });
  t.match(applied, { status: 200, json: { state: 'merged' } });
  const range = `A1:J${rowCount}`;
  const slice = await book.ask(`/slice?ref=main&range=${range}&lens=input`);
  t.equal(slice.status, 200, slice.text);
  const { rows } = slice.json as { rows: unknown };
  const expected = Array.from({ length: rowCount }, (_, row) =>
    Array.from({ length: columnCount }, (__, column) =>
      inputAt(row, column, column % 2 === 1 ? 3 : 1),
    ),
  );
  t.strictSame(rows, expected, 'formulas of theirs, values of the base');
});
