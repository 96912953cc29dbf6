import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';
import { relationshipsXml, sheetXml, workbookFile } from '../support/workbook-file.ts';

/**
 * Formulas see facts of a sheet beyond its cells: read, edited, restarted and exported over HTTP.
 * Runs long: services start again.
 */

const sheet = 'Sheet1';
const on = (kind: string, payload: object): object => ({ kind, payload: { sheet, ...payload } });
const enter = (a1: string, input: unknown, array?: string): object => {
  return { kind: 'cells.set', payload: { sheet, cells: [{ a1, input, array }] } };
};

t.test('# behind the first cell of an array of a file is the range that it fills', async (t) => {
  const book = await KeptWorkbook.create(t);
  const rows =
    '<row r="1"><c r="A1"><v>1</v></c><c r="C1"><f t="array" ref="C1:C3">A1:A3*2</f><v>2</v></c>' +
    '<c r="E1"><f>SUM(_xlfn.ANCHORARRAY(C1))</f></c></row>' +
    '<row r="2"><c r="A2"><v>2</v></c><c r="C2"><v>4</v></c>' +
    '<c r="E2"><f>ROWS(_xlfn.ANCHORARRAY(C1))</f></c></row>' +
    '<row r="3"><c r="A3"><v>3</v></c><c r="C3"><v>6</v></c>' +
    '<c r="E3"><f>SUM(_xlfn.ANCHORARRAY(C2))</f></c></row>';
  await book.import(workbookFile(rows));
  const expected = [[12], [3], [{ error: '#REF!' }]];
  t.same(await book.slice('E1:E3'), expected);
  t.same((await book.slice('E1:E1', '&lens=formula'))[0], ['=SUM(C1#)']);
  await book.set({ A3: 10 });
  t.same(await book.slice('E1:E1'), [[26]]);
  await book.submit({ kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 1 } });
  await book.restart();
  t.same(await book.slice('E2:E4'), [[26], [3], [{ error: '#REF!' }]]);
  const { bytes } = await book.export('format=xlsx');
  await book.import(bytes);
  t.same(await book.slice('E2:E4'), [[26], [3], [{ error: '#REF!' }]]);
});

t.test('an array of a fixed range is changed as a whole', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set({ A1: 1, A2: 2, B1: 3, B2: 4, D4: 'below' });
  await book.submit(enter('D1', '=A1:B2*2', 'D1:E2'));
  const filled = [
    [2, 6],
    [4, 8],
  ];
  t.same(await book.slice('D1:E2'), filled);
  const parts = [
    enter('E2', 5),
    enter('D1', 5),
    enter('D1', '=A1:A2', 'D1:D2'),
    enter('C2', '=A1:B1', 'C2:D2'),
    on('range.set', { range: 'E2:F2', inputs: [[7, 8]] }),
    on('range.fill', { range: 'D2:D5', input: 1 }),
    on('range.clear', { range: 'E1:E2' }),
    on('range.move', { source: 'D1:D2', to: 'G1' }),
    on('range.move', { source: 'A1:A2', to: 'E1' }),
    on('range.copy', { source: 'A1', to: 'E2' }),
    on('range.insert', { range: 'D2', shift: 'down' }),
    on('range.insert', { range: 'D1', shift: 'right' }),
    on('range.delete', { range: 'D2:E2', shift: 'up' }),
    on('range.sort', { range: 'A1:E2', order: [2, 1] }),
    on('range.autofill', { source: 'D4', target: 'D2:D4' }),
    on('rows.insert', { before: 2, count: 1 }),
    on('rows.delete', { from: 2, count: 1 }),
    on('rows.move', { from: 2, count: 1, before: 9 }),
    on('rows.move', { from: 9, count: 1, before: 2 }),
    on('cols.insert', { before: 'E', count: 1 }),
    on('cols.delete', { from: 'D', count: 1 }),
    on('cols.move', { from: 'E', count: 1, before: 'A' }),
  ];
  const { json, status } = await book.request('branches/main/ops', { ops: parts });
  t.equal(status, 409, JSON.stringify(json).slice(0, 300));
  const { results = [] } = json as { results?: { error?: { code: string } }[] };
  for (const [at, part] of parts.entries()) {
    t.match(results[at], { error: { code: 'array_part' } }, JSON.stringify(part));
  }
  t.match(results[0], { error: { message: /^E2 is a part of Sheet1!D1:E2, .* D1 fills/ } });
  const { bytes } = await book.export('format=xlsx');
  const { id } = book;
  await book.import(bytes);
  t.same(await book.slice('D1:E2'), filled, 'as it was, and so in a file');
  book.id = id;
  await book.submit(on('rows.insert', { before: 1, count: 1 }), on('rows.delete', { from: 1 }));
  await book.submit(on('range.move', { source: 'D1:E2', to: 'G1' }), enter('E2', 5));
  t.same(await book.slice('E1:H2'), [
    [null, null, 2, 6],
    [5, null, 4, 8],
  ]);
  await book.submit(enter('G1', '=A1:B2*3', 'G1:H2'));
  await book.restart();
  t.same((await book.slice('G1:H2'))[1], [6, 12]);
  await book.submit(on('range.clear', { range: 'G1:I3' }), enter('H2', 9));
  t.same((await book.slice('G1:H2'))[1], [null, 9]);
});

t.test('an array is entered over filled cells, and an undo brings them back', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set({ A1: 1, A2: 2, A3: 3, D1: 'one', D2: 5, D3: '=A1' });
  await book.submit(enter('D1', '=A1:A3*10', 'D1:D3'));
  const filled = [[10], [20], [30]];
  const check = async (when: string) => {
    t.same(await book.slice('D1:D3'), filled, when);
    t.same(await book.slice('D2:D3', '&lens=input'), [[null], [null]], when);
  };
  await check('at once');
  await book.restart();
  await check('after a restart');
  await book.submit(on('range.set', { range: 'A2', inputs: [[7]] }));
  t.same(await book.slice('D2'), [[70]]);
  const { json } = await book.request('branches/main/state');
  const { head } = json as { head: number };
  await book.submit({ kind: 'undo', payload: { of: head - 1 } });
  const before = [['one'], [5], [1]];
  t.same(await book.slice('D1:D3'), before, 'the cells are back');
  await book.restart();
  t.same(await book.slice('D1:D3'), before);
});

t.test('an undo leaves cells that an array fills by now', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set({ A1: 1, A2: 2, D2: 5 });
  await book.submit(on('range.clear', { range: 'D2' }));
  const { json } = await book.request('branches/main/state');
  const { head } = json as { head: number };
  await book.submit(enter('D1', '=A1:A2*10', 'D1:D2'));
  const undone = await book.request('branches/main/ops', {
    ops: [{ kind: 'undo', payload: { of: head } }],
  });
  t.match(undone.json, { results: [{ error: { code: 'nothing_to_undo' } }] });
  t.same(await book.slice('D1:D2'), [[10], [20]]);
  await book.restart();
  t.same(await book.slice('D1:D2'), [[10], [20]]);
  t.same(await book.slice('D2', '&lens=input'), [[null]]);
});

t.test('a reference through sheets takes in what is put between them', async (t) => {
  const sheets = [
    { name: 'Total', rows: [['=SUM(Jan:Mar!A1)', '=COUNT(Jan:Mar!A1:A2)', '=MAX(Jan:Mar!A:A)']] },
    { name: 'Jan', rows: [[1], [5]] },
    { name: 'Mar', rows: [[3]] },
  ];
  const book = await KeptWorkbook.create(t, { sheets });
  t.same(await book.slice('Total!A1:C1'), [[4, 3, 5]]);
  await book.submit({ kind: 'sheet.add', payload: { name: 'Feb', index: 2 } });
  const { head } = await book.set({ A1: 20, A2: 30 }, 'Feb');
  t.same(await book.slice('Total!A1:C1'), [[24, 5, 30]]);
  await book.restart();
  t.same(await book.slice('Total!A1:C1'), [[24, 5, 30]], 'in a model made anew');
  const { bytes } = await book.export('format=xlsx');
  const { id } = book;
  await book.import(bytes);
  t.same(await book.slice('Total!A1:C1'), [[24, 5, 30]], 'and in a file');
  book.id = id;
  await book.submit({ kind: 'sheet.move', payload: { sheet: 'Feb', index: 3 } });
  t.same(await book.slice('Total!A1:C1'), [[4, 3, 5]], 'no longer between them');
  await book.submit({ kind: 'sheet.rename', payload: { sheet: 'Mar', name: 'March 1' } });
  t.same(await book.slice('Total!A1:A1', '&lens=formula'), [["=SUM('Jan:March 1'!A1)"]]);
  t.same(await book.slice('Total!A1:C1', `&ref=main@${head}`), [[24, 5, 30]], 'as it was');
});

t.test('either of several sheets may have quotes of its own', async (t) => {
  const written = ["Jan:'My May'!A1", "'Jan':'My May'!A1", "'Jan:My May'!A1", "'My May':Jan!A1"];
  const sheets = [
    { name: 'Total', rows: [written.map((reference) => `=SUM(${reference})+1`)] },
    { name: 'Jan', rows: [[1]] },
    { name: 'My May', rows: [[3]] },
  ];
  const book = await KeptWorkbook.create(t, { sheets });
  const reads = async (last: string, place: string): Promise<void> => {
    const texts = [`Jan:${last}`, `Jan:${last}`, `Jan:${last}`, `${last}:Jan`];
    const formulas = [texts.map((sheet) => `=SUM('${sheet}'!A1)+1`)];
    t.same(await book.slice('Total!A1:D1', '&lens=formula'), formulas, place);
    t.same(await book.slice('Total!A1:D1'), [[5, 5, 5, 5]], place);
  };
  await reads('My May', 'as it was entered');
  await book.submit({ kind: 'sheet.rename', payload: { sheet: 'My May', name: "May's" } });
  await reads("May''s", 'renamed');
  await book.restart();
  await reads("May''s", 'after a restart');
  const { bytes } = await book.export('format=xlsx');
  await book.import(bytes);
  await reads("May''s", 'of a file');
});

t.test(
  'SUBTOTAL leaves out what the filter of a sheet hides, and one beside it is told',
  async (t) => {
    const book = await KeptWorkbook.create(t);
    const hidden = new Set([3, 6, 8]);
    const rows = ['n', 1, 2, 4, 8, 16, 32, 64].map((value, index) => {
      const row = index + 1;
      const type = typeof value === 'string' ? 't="inlineStr"' : '';
      const content = type === '' ? `<v>${value}</v>` : `<is><t>${value}</t></is>`;
      const code = { 1: 9, 2: 109, 4: 3 }[row];
      const total = code === undefined ? '' : `<c r="C${row}"><f>SUBTOTAL(${code},A2:A8)</f></c>`;
      const mark = hidden.has(row) ? ' hidden="1"' : '';
      return `<row r="${row}"${mark}><c r="A${row}" ${type}>${content}</c>${total}</row>`;
    });
    const filter = (range: string): string =>
      `<autoFilter ref="${range}"><filterColumn colId="0"><filters><filter val="1"/></filters>` +
      '</filterColumn></autoFilter>';
    const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
    const table =
      `<table xmlns="${main}" id="1" name="T" displayName="T" ref="A1:A4">${filter('A1:A4')}` +
      '<tableColumns count="1"><tableColumn id="1" name="n"/></tableColumns></table>';
    const more = `${filter('E5:E7')}<tableParts count="1"><tablePart r:id="rId1"/></tableParts>`;
    const links = [['table', '../tables/table1.xml']] as const;
    const made = await book.import(
      workbookFile('', {
        'xl/worksheets/sheet1.xml': sheetXml(rows.join(''), more),
        'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml(links),
        'xl/tables/table1.xml': table,
      }),
    );
    t.match(made.json, { dropped: [{ what: 'filters of tables', where: 'Sheet1', count: 1 }] });
    // The filter of the sheet hides row 6. The one of the table is not kept: row 3 is as row 8 by hand.
    const expected = [[111], [45], [6]];
    const read = async () => [...(await book.slice('C1:C2')), ...(await book.slice('C4:C4'))];
    t.same(await read(), expected);
    await book.restart();
    t.same(await read(), expected, 'in a model made anew');
    const { bytes } = await book.export('format=xlsx');
    await book.import(bytes);
    t.same(await read(), expected, 'and in the file that comes of it');
  },
);
