import t from 'tap';

import { op, Quire, Rejected, type Workbook } from '../../client/library/quire.ts';
import { TestService } from '../support/test-service.ts';

async function begin(t: Parameters<typeof TestService.start>[0]): Promise<{
  quire: Quire;
  book: Workbook;
}> {
  const { url } = await TestService.start(t, {}, {});
  const quire = await Quire.register({ url, name: 'reader' });
  const sheets = [{ name: 'Plan', rows: [['Tea', 2.5, '=B1*2']] }];
  return { quire, book: await quire.create({ sheets }) };
}

t.test('cells are written and read, and a write says what it brought about', async (t) => {
  const { book } = await begin(t);
  const { changes, ref } = await book.set('Plan!B1', 3);
  t.match(changes.cells, [{ sheet: 'Plan', a1: 'C1', before: 5, after: 6 }]);
  t.match(ref, /^main@\d+$/);
  t.match(await book.read('Plan!A1:C1'), { rows: [['Tea', 3, 6]] });
  t.match(await book.read('Plan!A1:C1', { ref: 'main@2' }), { rows: [['Tea', 2.5, 5]] });
  t.match(await book.read('Plan!C1', { lens: 'formula' }), { rows: [['=B1*2']] });
  await book.set('Plan!A2:B3', [
    ['Milk', 1],
    ['Rice', 4],
  ]);
  await book.set('Plan!C2:C3', '=B2*2');
  t.match((await book.read('Plan!C1:C3')).rows, [[6], [2], [8]]);
  const undone = await book.undo((await book.state()).head);
  t.equal(undone.results[0]?.status, 'applied');
  t.match((await book.clear('Plan!A2:C3')).status, 'applied');
  const values = [];
  for await (const { cell, value } of book.values())
    values.push(`${cell}=${JSON.stringify(value)}`);
  t.same(values, ['A1="Tea"', 'B1=3', 'C1=6']);
});

t.test('cells that are not loaded are found', async (t) => {
  const { book } = await begin(t);
  const many = Array.from({ length: 150 }, (_, row) => [`tea ${row}`]);
  await book.set('Plan!D1:D150', many);
  const found = await book.find('TEA').all();
  t.equal(found.length, 151, 'over two pages');
  t.same(found[0], { sheet: 'Plan', cell: 'A1', value: 'Tea' });
  t.same(await book.find('TEA', { caseSensitive: true }).all(), []);
  const formulas = await book.find('=B', { lens: 'formula', match: 'starts' }).all();
  t.same(formulas, [{ sheet: 'Plan', cell: 'C1', value: '=B1*2' }]);
  t.match(await book.edge('Plan!D1', 'down'), { sheet: 'Plan', cell: 'D150', filled: true });
  t.match(await book.edge('Plan!D1', 'down', { ref: 'main@2' }), { filled: false });
});

t.test('a what-if writes nothing, and the journal is read from its end', async (t) => {
  const { book } = await begin(t);
  const found = await book.scenario({ set: { 'Plan!B1': 4 }, formulas: ['=SUM(B1:C1)'] });
  t.match(found, { formulas: [{ rows: [[12]] }], changes: { total: 2 } });
  t.match((await book.read('Plan!B1')).rows, [[2.5]]);
  for (let value = 0; value < 3; value++) await book.set('Plan!B1', value);
  const { head } = await book.state();
  const seqs = [];
  for await (const { seq, payload, count } of book.history({ limit: 2 })) {
    t.equal(payload, undefined);
    if (seqs.push(seq) < 4) t.same(count, { cells: 1, ranges: 0 });
  }
  t.same(
    seqs,
    Array.from({ length: head }, (_, at) => head - at),
    'over several pages',
  );
  const [one] = await book.history({ before: 3, payload: true }).all();
  t.match(one, { seq: 2, payload: {} });
});

t.test('a refused operation is thrown by set, and told by submit', async (t) => {
  const { book } = await begin(t);
  await t.rejects(book.set('Nowhere!B1', 3), { name: 'Rejected', code: 'sheet_not_found' });
  const failed = await book.set('Nowhere!B1', 3).catch((error: unknown) => error);
  t.ok(failed instanceof Rejected && failed.results.length === 1);
  t.match(failed, { requestId: /^req_/, body: { requestId: /^req_/, results: [{}] } });
  const told = await book.submit([op.sheetDelete({ sheet: 'Nowhere' })]);
  t.match(told, { status: 'rejected', results: [{ status: 'rejected' }] });
  const partly = await book.submit([
    op.sheetDelete({ sheet: 'Nowhere' }),
    op.cellsSet({ cells: [{ a1: 'A9', input: 1 }] }),
  ]);
  t.match(partly, { status: 'partial', results: [{ status: 'rejected' }, { status: 'applied' }] });
  await t.rejects(book.read('nonsense!!'), { name: 'Problem', status: 400, retryable: false });
});

t.test('a branch is forked, compared and merged', async (t) => {
  const { book } = await begin(t);
  const q3 = await book.fork('q3');
  await q3.submit([
    op.rowsInsert({ sheet: 'Plan', before: 1, count: 1 }),
    op.rangeSet({ sheet: 'Plan', range: 'A1:B1', inputs: [['Milk', 1.25]] }),
  ]);
  const lists = (await book.diff('main', 'q3', { values: true }).all()).map(({ list }) => list);
  t.ok(lists.includes('structure') && lists.includes('cells'), lists.join(' '));
  const merge = await book.merge('q3');
  t.equal(merge.state, 'review');
  t.same(await merge.conflicts().all(), []);
  t.ok((await merge.diff().all()).length > 0);
  await merge.approve();
  t.equal(merge.state, 'merged');
  t.match(await book.read('Plan!A1:C2'), {
    rows: [
      ['Milk', 1.25, null],
      ['Tea', 2.5, 5],
    ],
  });
  t.ok((await book.merges().all()).length === 1);
  t.same(
    (await book.branches().all()).map(({ name }) => name),
    ['main', 'q3'],
  );
});

t.test('a conflict is resolved by its reviewer', async (t) => {
  const { book } = await begin(t);
  const other = await book.fork('other');
  await other.set('Plan!B1', 7);
  await book.set('Plan!B1', 8);
  const merge = await book.merge('other');
  const [conflict, ...more] = await merge.conflicts().all();
  t.match(conflict, { kind: 'cell.value', ours: { input: 8 }, theirs: { input: 7 } });
  t.same(more, []);
  await t.rejects(merge.approve(), { code: 'conflicts_open' });
  await merge.resolve({ resolutions: [{ id: conflict?.id ?? '', choice: 'theirs' }] });
  t.equal((await merge.approve()).state, 'merged');
  t.match((await book.read('Plan!B1:C1')).rows, [[7, 14]]);
});

t.test('every way of paging is one list', async (t) => {
  const { quire, book } = await begin(t);
  const ops = Array.from({ length: 1_200 }, (_, at) =>
    op.cellsSet({ cells: [{ a1: `D${at + 1}`, input: at }] }),
  );
  await book.submit(ops, { writer: 'many' });
  const seqs = [];
  for await (const { seq } of book.ops({ after: 1 })) seqs.push(seq);
  t.same([seqs.length, seqs[0], seqs.at(-1)], [1_201, 2, 1_202]);
  for (let at = 0; at < 60; at++) await book.commit(`number ${at}`);
  t.equal((await book.commits().all()).length, 60);
  const diff = await book.diff('main@2', 'main').all();
  t.equal(diff.filter(({ list }) => list === 'cells').length, 1_200);
  const blame = await book.blame('Plan!D1:D1200').all();
  t.match(blame, { length: 1_200, 0: { cell: 'D1', writer: 'many' } });
  t.equal((await quire.workbooks().all()).length, 1);
  t.match(await quire.workbooks().page(), { total: 1, workbooks: [{ id: book.id }] });
});

t.test('files come in and go out, and what is put away comes back', async (t) => {
  const { quire, book } = await begin(t);
  const bytes = await book.export('xlsx');
  t.same([bytes[0], bytes[1]], [0x50, 0x4b]);
  const copy = await quire.importFile(bytes, { ending: 'xlsx', name: 'copy' });
  t.match(copy.created, { name: 'copy', sheets: [{ name: 'Plan' }] });
  t.match((await copy.read('Plan!A1:C1')).rows, [['Tea', 2.5, 5]]);
  t.match(new TextDecoder().decode(await copy.export('csv')), 'Tea,2.5,5');
  await t.rejects(quire.importFile(new Uint8Array([1, 2, 3]), { ending: 'xlsx' }), {
    code: 'invalid_file',
  });
  await copy.rename('other');
  const { namespace } = (await copy.info()) as { namespace: string };
  t.equal((await quire.find(`${namespace}/other`)).id, copy.id);
  await copy.archive();
  await t.rejects(copy.set('A1', 1), { code: 'workbook_archived' });
  t.equal((await quire.workbooks({ archived: true }).all()).length, 2);
  await copy.restore();
  await copy.checkpoint();
  await copy.set('A1', 1);
  await copy.deleteBranch((await copy.fork('gone')).branch);
  t.match(await quire.whoami(), { user_id: /^agt_/, scopes: ['read', 'write'] });
  t.match(await quire.usage(), { usage: { requests: Number } });
});

t.test('tables are made and filled by operations', async (t) => {
  const { book } = await begin(t);
  const schema = { columns: [{ name: 'Item' }, { name: 'Price', type: 'number' as const }] };
  await book.submit([op.tableCreate({ name: 'Sales', keyColumn: 'Item', schema })]);
  const { ref } = await book.upsert('Sales', [{ Item: 'Tea', Price: 2 }]);
  await book.upsert('Sales', [{ Item: 'Tea', Price: 3 }]);
  const changes = await book.tableChanges('Sales', ref).all();
  t.match(changes, [{ key: 'Tea', change: 'modified' }]);
  t.match((await book.state()).tables, [{ name: 'Sales' }]);
});

t.test('an operation is proven, and the proof is checked without the service', async (t) => {
  const { quire, book } = await begin(t);
  const { ref } = await book.set('Plan!B1', 4);
  const proof = await book.proofOf(ref);
  const policy = await quire.policy();
  const kept = await Quire.proof(proof.text);
  t.match(await kept.verify(policy), { seq: Number(ref.split('@')[1]), origin: String });
  const changed = proof.text.replace(/^extra (.)/m, (_, letter: string) => {
    return `extra ${letter === 'd' ? 'e' : 'd'}`;
  });
  await t.rejects((await Quire.proof(changed)).verify(policy), { name: 'ProofFault' });
  const other = await TestService.start(t, { TLOG_ORIGIN: 'other.example/log' });
  const stranger = await new Quire({ url: other.url }).policy();
  await t.rejects(kept.verify(stranger), { name: 'ProofFault' });
});
