import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

// References to the first and last rows of the grid, over HTTP: the same after a restart, from the
// journal and from a snapshot.

/** Rules of lines that come and go, and that name what is gone. */
const ruled = [
  { kind: 'sheet.add', payload: { name: 'Two' } },
  {
    kind: 'validation.set',
    payload: {
      sheet: 'Sheet1',
      ranges: ['B2:A2', 'A:A'],
      rule: { type: 'custom', formula1: '=A3>1' },
    },
  },
  {
    kind: 'cf.set',
    payload: {
      sheet: 'Sheet1',
      ranges: ['F2:F9'],
      rule: { type: 'expression', formula1: '=$B2+Two!C3+Two!$C$9' },
    },
  },
  {
    kind: 'range.clear',
    payload: { sheet: 'Sheet1', range: 'A2:B2', what: ['validation'] },
  },
  { kind: 'rows.delete', payload: { sheet: 'Two', from: 3, count: 1 } },
  { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 1 } },
  { kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 1, count: 1 } },
];

const numbers = Array.from({ length: 12 }, (_, at) => [at + 1]);

async function stateHash(book: KeptWorkbook): Promise<string> {
  const { json } = await book.request('branches/main/state');
  return (json as { stateHash: string }).stateHash;
}

async function snapshot(book: KeptWorkbook): Promise<void> {
  const { status, text } = await book.request('branches/main/checkpoint', {});
  if (status !== 200) throw new Error(text);
}

t.test(
  'references below a deleted first row, and to the last one, outlive a restart',
  async (t) => {
    const sheets = [{ name: 'Sheet1', rows: numbers }];
    const book = await KeptWorkbook.create(t, { sheets });
    await book.submit({ kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 1, count: 1 } });
    await book.set({ C1: '=$A$4', C2: '=SUM(A$1:A2)' });
    const payload = { sheet: 'Sheet1', range: 'E1048575:E1048576', input: '=A1048576+1' };
    await book.submit({ kind: 'range.fill', payload });
    await book.submit({ kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 9, count: 2 } });
    await book.set({ C3: '=SUM($A$2:$A$1048576)' });
    await book.submit({ kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 2, count: 1 } });
    for (const operation of ruled) await book.submit(operation);
    const read = async () => ({
      records: (await book.request('records')).json,
      values: await book.slice('C1:C4'),
      formulas: await book.slice('C1:C4', '&lens=formula'),
      last: await book.slice('E1048573:E1048576', '&lens=formula'),
      hash: await stateHash(book),
    });
    const before = await read();
    t.match(before, {
      values: [[5], [null], [5], [54]],
      formulas: [['=$A$5'], [null], ['=SUM(A$1:A3)'], ['=SUM($A$3:$A$1048576)']],
      last: [[null], ['=A1048575+1'], ['=#REF!+1'], [null]],
    });
    await snapshot(book);
    await book.restart();
    t.same(await read(), before);
    t.match((await book.request('verify', {})).json, { ok: true });
    const more = { kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 2, count: 1 } };
    await book.submit(more);
    t.match((await book.request('verify', {})).json, { ok: true }, 'after a rule moved on');
  },
);

t.test('a range whose ends changed places is the same as one that is typed anew', async (t) => {
  const book = await KeptWorkbook.create(t, { sheets: [{ name: 'Sheet1', rows: numbers }] });
  const payload = { sheet: 'Sheet1', range: 'C1:C6', input: '=SUM(A$4:A1)' };
  await book.submit({ kind: 'range.fill', payload });
  const texts = (await book.slice('C1:C6', '&lens=formula')).flat();
  t.same(texts.slice(0, 5), [
    '=SUM(A1:A$4)',
    '=SUM(A2:A$4)',
    '=SUM(A3:A$4)',
    '=SUM(A4:A$4)',
    '=SUM(A$4:A5)',
  ]);
  const hash = await stateHash(book);
  await book.set({ C1: 'x', C6: 'x' });
  t.not(await stateHash(book), hash);
  await book.set({ C1: texts[0], C6: texts[5] });
  t.equal(await stateHash(book), hash);
  await snapshot(book);
  await book.restart();
  t.equal(await stateHash(book), hash);
  t.same((await book.slice('C1:C6', '&lens=formula')).flat(), texts);
});
