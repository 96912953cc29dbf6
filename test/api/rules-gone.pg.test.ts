import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { TestService } from '../support/test-service.ts';

// A rule that names a sheet, a row, a name or a table which is gone reads as a cell does, whatever
// becomes of its first cell, and after a restart.

interface Gone {
  readonly formula: string;
  readonly without: object;
  /** The formula then. */
  readonly reads: string;
}

const cases: readonly Gone[] = [
  {
    formula: '=Other!$A$1>0',
    without: { kind: 'sheet.delete', payload: { sheet: 'Other' } },
    reads: '=#REF!>0',
  },
  {
    formula: '=SUM($A$20:$A$21)>0',
    without: { kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 20, count: 2 } },
    reads: '=SUM(#REF!)>0',
  },
  {
    formula: '=Tax>0',
    without: { kind: 'name.delete', payload: { name: 'Tax' } },
    reads: '=Tax>0',
  },
  {
    formula: '=SUM(T[x])>0',
    without: { kind: 'table.drop', payload: { table: 'T' } },
    reads: '=SUM(T[x])>0',
  },
];

const moves: readonly (object | undefined)[] = [
  undefined,
  { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 2 } },
  { kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 3, count: 1 } },
  { kind: 'range.insert', payload: { sheet: 'Sheet1', range: 'C1:C2', shift: 'down' } },
  { kind: 'range.move', payload: { sheet: 'Sheet1', source: 'C3:C6', to: 'E3' } },
];

async function submit(book: Book, ...ops: object[]): Promise<number> {
  const { json, text } = await book.ask('/branches/main/ops', { body: { ops } });
  const { status, lastSeq } = json as { status: string; lastSeq: number };
  if (status !== 'applied') throw new Error(text);
  return lastSeq;
}

async function rulesOf(book: Book): Promise<string[]> {
  const { text } = await book.ask('/records');
  return [...text.matchAll(/"formula1":"([^"]*)"/gu)].map(([, formula = '']) => formula);
}

async function begin(service: TestService, credential: string, formula: string): Promise<Book> {
  const book = await Book.create(service, { credential });
  const sheet = 'Sheet1';
  const rows = { sheet: 'Other', range: 'A1:A3', inputs: [['x'], [1], [2]] };
  await submit(
    book,
    { kind: 'sheet.add', payload: { name: 'Other' } },
    { kind: 'name.set', payload: { name: 'Tax', formula: '=1' } },
    { kind: 'range.set', payload: rows },
    { kind: 'table.create', payload: { name: 'T', sheetRange: 'Other!A1:A3' } },
  );
  const validation = { sheet, ranges: ['C3:C6'], rule: { type: 'custom', formula1: formula } };
  const rule = { type: 'expression', formula1: formula };
  await submit(
    book,
    { kind: 'cells.set', payload: { sheet, cells: [{ a1: 'H9', input: formula }] } },
    { kind: 'validation.set', payload: validation },
    { kind: 'cf.set', payload: { sheet, ranges: ['C3:C6'], rule, style: { color: '#FF0000' } } },
  );
  return book;
}

t.test('a rule that names what is gone reads the same wherever it begins', async (t) => {
  const settings = await sharedSettings(t);
  const service = await TestService.start(t, settings, { formulas: new Formulas() });
  const credential = await service.registerClaimed();
  const books: { book: Book; reads: string; hash: unknown; gone: number }[] = [];
  const hashOf = async (book: Book): Promise<unknown> => {
    const { json } = await book.ask('/branches/main/state');
    return (json as { stateHash: string }).stateHash;
  };
  for (const { formula, without, reads } of cases) {
    for (const move of moves) {
      const book = await begin(service, credential, formula);
      const gone = await submit(book, without);
      if (move) await submit(book, move);
      t.same(await rulesOf(book), [reads, reads], `${formula} ${JSON.stringify(move)}`);
      const { text } = await book.ask('/slice?range=Sheet1!H7:H12&lens=formula');
      t.ok(text.includes(JSON.stringify(reads)), 'as a cell');
      books.push({ book, reads, gone, hash: await hashOf(book) });
    }
  }
  await service.app.stop();
  const again = await TestService.start(t, settings, { formulas: new Formulas() });
  for (const { book: before, reads, hash, gone } of books) {
    const book = before.at(again);
    t.same(await rulesOf(book), [reads, reads], 'after a restart');
    t.equal(await hashOf(book), hash);
    await submit(book, { kind: 'undo', payload: { of: gone } });
    for (const formula of await rulesOf(book)) t.notMatch(formula, /#REF!/u, 'and is back');
  }
});
