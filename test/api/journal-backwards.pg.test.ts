import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

/** Runs long: a long journal is read page by page. */

interface Page {
  readonly head: number;
  readonly next: number | null;
  readonly ops: readonly { seq: number; kind: string; payload?: unknown; count?: object }[];
}

t.test('the journal is read from its end, without payloads', async (t) => {
  const book = await KeptWorkbook.create(t);
  const page = async (query: string): Promise<Page> => {
    const { status, json, text } = await book.request(`branches/main/ops?${query}`);
    if (status !== 200) throw new Error(text);
    return json as Page;
  };
  await book.set({ A1: 1, A2: 2, B1: '=A1' });
  const inputs = [
    [1, null],
    [3, 4],
  ];
  await book.submit(
    { kind: 'range.set', payload: { range: 'C1:D2', inputs } },
    { kind: 'range.fill', payload: { range: 'F1:G10', input: 0 } },
    { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 2 } },
    { kind: 'note.set', payload: { sheet: 'Sheet1', a1: 'A1', text: 'here' } },
  );
  for (let value = 0; value < 300; value++) await book.set({ A9: value });
  const everything = await page('limit=10000');
  const { head } = everything;
  for (const query of ['before=99999999', `before=${head + 1}`]) {
    const whole = await page(`${query}&limit=10000`);
    t.same(whole.ops, everything.ops.toReversed(), query);
    t.equal(whole.next, null);
  }
  const seqs: number[] = [];
  let before: number | null = head - 10;
  for (let count = 0; before !== null && count < 50; count++) {
    const found: Page = await page(`before=${before}&limit=7&payload=false`);
    seqs.push(...found.ops.map(({ seq }) => seq));
    t.ok(found.ops.every((one) => one.payload === undefined && one.count !== undefined));
    before = found.next;
  }
  t.same(
    seqs,
    Array.from({ length: head - 11 }, (_, at) => head - 11 - at),
  );
  const first = everything.ops.length - 304;
  const counted = (await page('payload=false&limit=10000')).ops.slice(first - 1, first + 4);
  t.same(
    counted.map(({ kind, count }) => [kind, count]),
    [
      ['cells.set', { cells: 3, ranges: 0 }],
      ['range.set', { cells: 3, ranges: 1 }],
      ['range.fill', { cells: 20, ranges: 1 }],
      ['rows.insert', { cells: 0, ranges: 0 }],
      ['note.set', { cells: 1, ranges: 0 }],
    ],
  );
  await book.request('branches/main/flush', {});
  await book.restart();
  t.same((await page('before=99999999&limit=10000')).ops, everything.ops.toReversed(), 'sealed');
  t.same((await page('before=1')).ops, []);
  for (const query of ['before=0', 'before=x', 'payload=no', 'after=1&before=5']) {
    t.match(await book.request(`branches/main/ops?${query}`), { status: 400 }, query);
  }
});

t.test('operations on one sheet are told from others, whatever it was called', async (t) => {
  const book = await KeptWorkbook.create(t);
  const seqs = async (query: string) => {
    const { status, json, text } = await book.request(`branches/main/ops?${query}`);
    if (status !== 200) throw new Error(text);
    const { ops, next } = json as Page;
    return { seqs: ops.map(({ seq }) => seq), next };
  };
  const schema = { columns: [{ name: 'k' }] };
  const table = { name: 'T', keyColumn: 'k', sheetRange: 'Plan!D1:D2', schema };
  await book.submit({ kind: 'sheet.add', payload: { name: 'Plan' } });
  await book.set({ 'Plan!A1': 1 });
  for (let value = 0; value < 400; value++) await book.set({ A9: value });
  await book.submit(
    { kind: 'table.create', payload: table },
    { kind: 'rows.upsert', payload: { table: 'T', rows: [{ k: 'x' }] } },
    { kind: 'sheet.rename', payload: { sheet: 'Plan', name: 'Budget' } },
    { kind: 'table.rename', payload: { table: 'T', name: 'U' } },
    { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 2 }] } },
    { kind: 'name.set', payload: { name: 'rate', ref: 'Budget!$A$1' } },
  );
  const set = ((await book.request('branches/main/ops?before=9999')).json as Page).ops[1]?.seq;
  await book.submit({ kind: 'undo', payload: { of: set } });
  const { ops, head } = (await book.request('branches/main/ops?before=9999&limit=9')).json as Page;
  const undone = ops.find(({ kind }) => kind === 'undo')?.seq;
  t.equal(undone, head);
  const added = head - 408;
  const own = [head - 1, head - 3, head - 4, head - 5, head - 6, added + 1, added];
  const all = await seqs('before=9999&sheet=Budget&payload=false');
  t.same(all, { seqs: own, next: null });
  const first = await seqs('before=9999&sheet=budget&limit=5');
  t.same(first, { seqs: own.slice(0, 5), next: head - 6 });
  t.same((await seqs(`before=${head - 6}&sheet=Budget&limit=5`)).seqs, own.slice(5));
  const none = await book.request('branches/main/ops?before=9&sheet=Plan');
  t.match(none, { status: 404, json: { code: 'sheet_not_found', hint: /Budget/ } });
  const late = await book.request('branches/main/ops?sheet=Budget');
  t.match(late, { status: 400, json: { errors: [{ pointer: '?sheet' }], hint: /before=/ } });
});
