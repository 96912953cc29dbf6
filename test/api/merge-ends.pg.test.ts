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
} from '../support/merged-book.ts';

// Lines that one branch wrote on and the other one moved or deleted, merged from both directions.

const sheet = 'Sheet1';
const inputs = Array.from({ length: 16 }, (_, row) => [row + 1, 19 - row, (row + 1) % 4]);
const moveRow4 = { sheet, from: 4, count: 1, before: 13 };

/** A book with numbers, whose branch f has not gone on; `base` is done before it begins. */
async function makeBranches(base?: (book: Book) => Promise<unknown>): Promise<Book> {
  const book = await makeBook();
  await run(book, 'main', 'range.set', { sheet, range: 'A1:C16', inputs });
  await base?.(book);
  await fork(book, 'f');
  return book;
}

for (const [writer, mover] of [
  ['main', 'f'],
  ['f', 'main'],
] as const) {
  t.test(`${writer} writes, and ${mover} moves a row away`, async (t) => {
    const book = await makeBranches();
    const cells = [{ a1: 'D20', input: '=SUM(B2:B4)' }];
    await run(book, writer, 'cells.set', { sheet, cells });
    await run(book, writer, 'name.set', { name: 'area', formula: `=${sheet}!$B$2:$B$4` });
    await run(book, writer, 'table.create', { name: 'T', sheetRange: `${sheet}!E1:F4` });
    await run(book, writer, 'cellmerge.add', { sheet, range: 'K2:L4' });
    await run(book, writer, 'filter.set', { sheet, range: 'A2:C4', criteria: [] });
    await run(book, mover, 'rows.move', moveRow4);
    const merge = await propose(book, { source: 'f', apply: 'auto' });
    t.equal(merge.state, 'merged');
    // The sum of two rows as on one branch, and not of eleven.
    t.strictSame(await values(book, 'D20:D20'), [[35]]);
    const diff = await book.ask('/diff?from=main@0&to=main&kinds=records,names');
    const text = JSON.stringify(diff.json);
    for (const range of ['$B$2:$B$3', 'K2:L3', 'A2:C3']) t.match(text, range);
    for (const range of ['$12', 'L12', 'C12']) t.notMatch(text, range);
    const { tables } = (await book.ask('/tables')).json as { tables: unknown };
    t.match(JSON.stringify(tables), /E1:F3/u);
  });

  t.test(`${writer} writes to a row that ${mover} deletes, and the row is kept`, async (t) => {
    const book = await makeBranches(async (started) => {
      const rule = { type: 'uniqueValues' };
      await run(started, 'main', 'comment.add', { sheet, a1: 'A5', text: 'why?' });
      await run(started, 'main', 'cf.set', {
        sheet,
        ranges: ['A3:A5'],
        rule,
        style: { bold: true },
      });
      await run(started, 'main', 'protect.set', { sheet, ranges: ['A3:A5'], who: ['*'] });
    });
    const diffOf = async () => {
      const diff = await book.ask('/diff?from=main@0&to=main&kinds=records');
      return (diff.json as { records: unknown }).records;
    };
    const before = JSON.stringify(await diffOf());
    await run(book, writer, 'cells.set', { sheet, cells: [{ a1: 'B5', input: 99 }] });
    await run(book, mover, 'rows.delete', { sheet, from: 5, count: 1 });
    const { id } = await propose(book, { source: 'f' });
    const found = await conflictsOf(book, id);
    t.match(found, [{ kind: 'row.edit_delete' }]);
    const resolutions = found.map((one) => ({ id: one.id, choice: 'keep' }));
    await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    t.equal((await approve(book, id)).status, 200);
    t.strictSame(await values(book, 'A5:B5'), [[5, 99]]);
    t.equal(JSON.stringify(await diffOf()), before);
  });
}
