import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

interface Page {
  readonly ops: readonly { readonly seq: number; readonly kind: string }[];
  readonly next: number | null;
}

/** The journal is read for one cell: what wrote it, wherever it stood then. */
t.test('operations that wrote a cell are told from others', async (t) => {
  const book = await KeptWorkbook.create(t);
  const read = async (query: string) => {
    const { status, json, text } = await book.request(`branches/main/ops?before=9999&${query}`);
    if (status !== 200) throw new Error(text);
    return json as Page;
  };
  const kinds = async (cell: string) =>
    (await read(`sheet=Sheet1&cell=${cell}`)).ops.map(({ kind }) => kind);
  await book.set({ B2: 1, C3: 1 });
  await book.set({ C3: 2 });
  await book.submit(
    {
      kind: 'range.set',
      payload: {
        range: 'A1:B2',
        inputs: [
          ['a', 'b'],
          ['c', null],
        ],
      },
    },
    { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 3 } },
    { kind: 'format.set', payload: { range: 'B5', style: { bold: true } } },
    { kind: 'range.clear', payload: { range: 'B:B' } },
  );
  const [cleared] = (await read('limit=1')).ops;
  await book.submit({ kind: 'undo', payload: { of: cleared?.seq } });
  t.same(
    await kinds('B5'),
    ['undo', 'range.clear', 'format.set', 'cells.set'],
    'of a block only the cells that it wrote, and from before rows were put in above',
  );
  t.same(await kinds('C6'), ['cells.set', 'cells.set']);
  t.same(await kinds('A5'), ['range.set']);
  t.same(await kinds('Z99'), []);
  const alone = await book.request('branches/main/ops?before=9&cell=B5');
  t.match(alone, { status: 400, json: { errors: [{ pointer: '?cell', code: 'not_together' }] } });
  const wrong = await book.request('branches/main/ops?before=9&sheet=Sheet1&cell=5B');
  t.match(wrong, { status: 400, json: { errors: [{ pointer: '?cell' }] } });
});
