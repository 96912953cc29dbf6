import { unpack } from 'msgpackr';
import t, { type Test } from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';
import { workbookFile } from '../support/workbook-file.ts';

/** A text of length zero is a value of its own, and no blank cell. */

const readers = {
  B1: '=COUNTA(A1:A4)',
  B2: '=ISBLANK(A1)',
  B3: '=A1',
  B4: '=MATCH("",A1:A4,0)',
  C1: '=ISTEXT(B3)',
  C2: '=LEN(A1)',
  C3: '=COUNTBLANK(A1:A4)',
  C4: '=ISBLANK(A2)',
};

const shown = [
  ['', 2, true],
  [null, false, 0],
  ['x', '', 3],
  [null, 1, true],
];

const inputs = [
  ["'", '=COUNTA(A1:A4)', '=ISTEXT(B3)'],
  [null, '=ISBLANK(A1)', '=LEN(A1)'],
  ['x', '=A1', '=COUNTBLANK(A1:A4)'],
  [null, '=MATCH("",A1:A4,0)', '=ISBLANK(A2)'],
];

async function checkBook(t: Test, book: KeptWorkbook): Promise<void> {
  t.same(await book.slice('A1:C4'), shown);
  t.same(await book.slice('A1:C4', '&lens=input'), inputs, 'what gives the same cells again');
}

t.test('what is written, read, kept and exported', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set({ A1: "'", A2: '', A3: 'x', ...readers });
  await checkBook(t, book);
  await book.restart();
  await checkBook(t, book);

  const lines = (await book.export('format=ndjson')).text.split('\n').filter(Boolean);
  const cells = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  t.match(
    cells.find(({ cell }) => cell === 'A1'),
    { input: "'", value: '' },
  );
  const whole = JSON.parse((await book.export('format=json')).text) as object;
  t.match(whole, { sheets: [{ cells: [{ cell: 'A1', input: "'", value: '' }] }] });
  t.match((await book.request('values')).json, { values: [{ cell: 'A1', value: '' }] });
  const { credential } = book;
  for (const accept of ['application/msgpack', 'application/vnd.quire.columns+msgpack']) {
    const at = `/v1/workbooks/${book.id}/values`;
    const answer = await book.service.request(at, { credential, headers: { accept } });
    t.equal(answer.status, 200);
    if (accept === 'application/msgpack') {
      t.match(unpack(answer.bytes), { values: [{ cell: 'A1', value: '' }] });
    } else t.ok(answer.bytes.length > 0);
  }

  const { bytes } = await book.export('format=xlsx');
  const imported = await book.import(bytes);
  t.notMatch(imported.text, 'empty text');
  await checkBook(t, book);
});

t.test('what a file holds', async (t) => {
  const strings = '<sst><si><t></t></si><si><t/></si><si><t>x</t></si></sst>';
  const file = workbookFile(
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>' +
      '<c r="C1" t="inlineStr"><is><t></t></is></c><c r="D1" t="inlineStr"><is/></c>' +
      '<c r="E1" t="str"><v></v></c><c r="F1" t="s"><v>2</v></c>' +
      '<c r="G1"/><c r="H1" t="s"/><c r="I1" t="str"/><c r="J1"><v></v></c>' +
      '<c r="K1"><f>COUNTA(A1:J1)</f><v>6</v></c></row>',
    { 'xl/sharedStrings.xml': strings },
  );
  const book = await KeptWorkbook.create(t);
  t.notMatch((await book.import(file)).text, 'empty text');
  t.same(await book.slice('A1:K1'), [['', '', '', '', '', 'x', null, null, null, null, 6]]);
  await book.restart();
  t.same(await book.slice('A1:K1'), [['', '', '', '', '', 'x', null, null, null, null, 6]]);
});

t.test('a diff and a merge tell it from a blank cell', async (t) => {
  const book = await KeptWorkbook.create(t);
  await book.set({ A1: 'x', A2: 'y', B1: '=COUNTA(A1:A3)' });
  await book.request('branches', { name: 'side' });
  const write = (branch: string, cells: object[]): Promise<{ status: number }> => {
    const ops = [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
    return book.request(`branches/${branch}/ops`, { ops });
  };
  t.match(
    await write('side', [
      { a1: 'A1', input: "'" },
      { a1: 'A2', input: '' },
    ]),
    { status: 200 },
  );
  t.match(await write('main', [{ a1: 'C1', input: 1 }]), { status: 200 });
  const diff = await book.request('diff?from=main&to=side&values=true');
  const { cells } = diff.json as { cells: { a1: { to: string } }[] };
  t.match(JSON.stringify(cells), /"input":"'"/u);
  const expect = { A1: "'", A2: '' };
  const merge = await book.request('merges', { source: 'side', apply: 'auto' });
  t.equal(merge.status, 201, merge.text);
  t.same(await book.slice('A1:B2'), [
    ['', 1],
    [null, null],
  ]);
  const conditional = {
    ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'C2', input: 2 }] }, expect }],
  };
  t.match((await book.request('branches/main/ops', conditional)).json, {
    results: [{ status: 'applied' }],
  });
  const undone = await book.submit({
    kind: 'cells.set',
    payload: { cells: [{ a1: 'A1', input: '' }] },
  });
  t.same(await book.slice('A1:B1'), [[null, 0]]);
  await book.submit({ kind: 'undo', payload: { of: undone.head } });
  t.same(await book.slice('A1:B1'), [['', 1]]);
});
