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

/** Sets names and rules that end at row 6. */
async function setRules(book: Book, branch: string, more = ''): Promise<void> {
  const sum = `=SUM(${sheet}!$A$2:$A$6)${more}`;
  const rule = (type: string) => ({ type, formula1: `${sum}>0` });
  await run(book, branch, 'name.set', { name: 'total', formula: sum });
  await run(book, branch, 'validation.set', {
    id: 'v',
    sheet,
    ranges: ['B2:B6'],
    rule: rule('custom'),
  });
  const style = { bold: true };
  await run(book, branch, 'cf.set', {
    id: 'c',
    sheet,
    ranges: ['C2:C6'],
    rule: rule('expression'),
    style,
  });
}

/** The texts of names and rules on main. */
async function rulesOf(book: Book): Promise<string> {
  const names = await book.ask('/diff?from=main@0&to=main&kinds=names');
  const rules = await book.ask('/records?ref=main&types=validation,cf');
  return JSON.stringify([names.json, rules.json]);
}

t.test('names and rules end where sums do when their last row goes', async (t) => {
  for (const deleter of ['main', 'f']) {
    const book = await makeBranches(async (started) => {
      await setRules(started, 'main');
      await write(started, 'main', ['E1', `=SUM($A$2:$A$6)`]);
    });
    const inserter = deleter === 'main' ? 'f' : 'main';
    await run(book, deleter, 'rows.delete', { sheet, from: 5, count: 2 });
    await run(book, inserter, 'rows.insert', { sheet, before: 6, count: 2 });
    await write(book, inserter, ['A6', 100], ['A7', 1000]);
    const merge = await propose(book, { source: 'f', apply: 'auto' });
    t.equal(merge.state, 'merged', `${deleter} deletes`);
    t.strictSame(await values(book, 'E1:E1'), [[2 + 3 + 4 + 1100]]);
    const text = await rulesOf(book);
    for (const range of ['$A$2:$A$6)"', 'B2:B6', 'C2:C6']) t.ok(text.includes(range), text);
    t.equal(text.split('$A$2:$A$6)>0').length, 3, text);
  }
});

t.test('a name or rule that one side writes is no conflict with a deleted row', async (t) => {
  for (const deleter of ['main', 'f']) {
    const book = await makeBranches((started) => setRules(started, 'main'));
    await run(book, deleter, 'rows.insert', { sheet, before: 6, count: 1 });
    await run(book, deleter, 'rows.delete', { sheet, from: 7, count: 1 });
    await setRules(book, deleter === 'main' ? 'f' : 'main', '*2');
    const merge = await propose(book, { source: 'f', apply: 'auto' });
    t.equal(merge.state, 'merged', `${deleter} deletes`);
    const text = await rulesOf(book);
    t.equal(text.split('$A$2:$A$5)*2').length, 4, text);
    for (const range of ['B2:B6', 'C2:C6']) t.ok(text.includes(range), text);
  }
});

t.test('cells of a rule are those of one side, and its formula that of the other', async (t) => {
  for (const mover of ['main', 'f']) {
    const book = await makeBranches((started) => setRules(started, 'main'));
    const rule = (more: string) => ({ type: 'custom', formula1: `=$A$1${more}` });
    const set = (branch: string, range: string, more: string) =>
      run(book, branch, 'validation.set', { id: 'v', sheet, ranges: [range], rule: rule(more) });
    await set('main', 'B2:B6', '>0');
    await fork(book, 'g');
    await set(mover === 'main' ? 'main' : 'g', 'B2:B9', '>0');
    await set(mover === 'main' ? 'g' : 'main', 'B2:B6', '>5');
    const merge = await propose(book, { source: 'g', apply: 'auto' });
    t.equal(merge.state, 'merged', `${mover} moves it`);
    const text = await rulesOf(book);
    for (const part of ['B2:B9', '=$A$1>5']) t.ok(text.includes(part), text);
  }
});

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

t.test(
  'a formula that lost a row on one side is no conflict, from neither direction',
  async (t) => {
    const book = await makeBranches();
    await write(book, 'f', ['D1', '=C4&"x"']);
    await run(book, 'f', 'rows.delete', { sheet, from: 8, count: 2 });
    const squashed = await propose(book, { source: 'f', squash: true, apply: 'auto' });
    t.equal(squashed.state, 'merged');
    await run(book, 'main', 'rows.delete', { sheet, from: 4, count: 1 });
    for (const [source, target] of [
      ['f', 'main'],
      ['main', 'f'],
    ]) {
      const { id } = await propose(book, { source, target });
      t.same(await conflictsOf(book, id), [], `${source} into ${target}`);
    }
  },
);

t.test(
  'a name that lost a column on one side is no conflict, from neither direction',
  async (t) => {
    const book = await makeBranches();
    await run(book, 'main', 'cols.delete', { sheet, from: 1, count: 1 });
    await run(book, 'f', 'name.set', { name: 'area', ref: `${sheet}!$A$4:$B$7` });
    await fork(book, 'g');
    const squashed = await propose(book, { source: 'f', target: 'g', squash: true, apply: 'auto' });
    t.equal(squashed.state, 'merged');
    for (const [source, target] of [
      ['f', 'g'],
      ['g', 'f'],
    ]) {
      const { id } = await propose(book, { source, target });
      t.same(await conflictsOf(book, id), [], `${source} into ${target}`);
      const names = await book.ask(`/diff?from=main@0&to=merge:${id}&kinds=names`);
      t.match(names.text, '$A$4:$A$7');
    }
  },
);
