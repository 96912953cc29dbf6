import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

interface Operation {
  readonly id?: string;
  readonly kind: string;
  readonly payload: object;
}

interface Result {
  readonly status: string;
  readonly seq?: number;
  readonly clipped?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** Services on one database and one object store, one after the other. */
async function makeWorld(t: Test) {
  const url = await createMigratedDatabase();
  const objects = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
  const settings = { DATABASE_URL: url, OBJECT_STORE_URL: objects };
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  return { sql, start: () => TestService.start(t, settings, { formulas: new Formulas() }) };
}

async function submit(
  { ask }: Pick<Book, 'ask'>,
  ops: readonly Operation[],
  more: object = {},
): Promise<{ status: number; results: Result[]; json: unknown }> {
  const { branch = 'main', ...rest } = more as { branch?: string };
  const answer = await ask(`/branches/${branch}/ops`, { body: { ops, writer: 'w', ...rest } });
  const { results = [] } = answer.json as { results?: Result[] };
  return { status: answer.status, results, json: answer.json };
}

function asker(service: TestService, { id, credential }: Book): Pick<Book, 'ask'> {
  return {
    ask: (rest, options) =>
      service.request(`/v1/workbooks/${id}${rest}`, { credential, ...options }),
  };
}

const set = (a1: string, input: unknown): Operation => ({
  kind: 'cells.set',
  payload: { sheet: 'Sheet1', cells: [{ a1, input }] },
});
const undo = (of: number | string): Operation => ({ kind: 'undo', payload: { of } });
const redo = (of: number): Operation => ({ kind: 'redo', payload: { of } });
const lines = (kind: string, payload: object): Operation => ({
  kind,
  payload: { sheet: 'Sheet1', ...payload },
});

/** Rows as far as anything is in them. */
async function rows({ ask }: Pick<Book, 'ask'>, range: string, more = 'lens=input') {
  const answer = await ask(`/slice?range=${range}&${more}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.json as { rows: unknown[][] }).rows;
}

async function hashOf({ ask }: Pick<Book, 'ask'>, reference: string): Promise<string> {
  const { json } = await ask(`/branches/${reference}/state`);
  return (json as { stateHash: string }).stateHash;
}

t.test('operations are undone and redone, and others keep what they wrote', async (t) => {
  const { start } = await makeWorld(t);
  const service = await start();
  const book = await Book.create(service);
  const own = { ask: book.ask.bind(book) };
  await submit(own, [set('A1', 1), set('A2', 2), set('A3', '=SUM(A1:A2)')]);
  const { results } = await submit(own, [lines('rows.delete', { from: 2 })]);
  const deleted = results[0]?.seq ?? 0;
  await submit(own, [set('B1', 'mine')]);
  const before = await hashOf(own, `main@${deleted - 1}`);

  const undone = await submit(own, [undo(deleted)]);
  t.match(undone, { status: 200, results: [{ status: 'applied', seq: deleted + 2 }] });
  t.same(await rows(own, 'Sheet1!A1:B3', 'lens=value'), [
    [1, 'mine'],
    [2, null],
    [3, null],
  ]);
  await submit(own, [undo(deleted + 1)]);
  t.equal(await hashOf(own, 'main'), before, 'all is as it was, by its hash');

  const redone = await submit(own, [redo(deleted + 2)]);
  t.match(redone.results, [{ status: 'applied' }]);
  t.same(await rows(own, 'Sheet1!A1:A3', 'lens=value'), [[1], [1], [null]]);

  const { results: written } = await submit(own, [set('C1', 'old'), set('D1', 'x')]);
  const [first = 0, second = 0] = written.map(({ seq }) => seq);
  await submit(own, [set('C1', 'new')]);
  const reverted = await submit(own, [
    { kind: 'revert', payload: { of: { from: first, through: second } } },
  ]);
  t.match(reverted.results, [{ status: 'applied', clipped: ['Sheet1!C1'] }]);
  const refused = await submit(own, [undo(first)]);
  t.match(refused.results, [{ status: 'rejected', error: { code: 'nothing_to_undo' } }]);
  const after = (await own.ask(`/branches/main/ops?after=${(reverted.results[0]?.seq ?? 1) - 1}`))
    .json;
  t.match(after, {
    ops: [
      {
        kind: 'revert',
        payload: {
          of: { from: first, through: second },
          ops: [{ kind: 'range.clear' }],
          skipped: ['Sheet1!C1'],
        },
      },
    ],
  });

  const hash = await hashOf(own, 'main');
  await service.app.stop();
  const again = asker(await start(), book);
  t.equal(await hashOf(again, 'main'), hash, 'a replay leads to the same state');
  t.match((await again.ask('/verify', { method: 'POST' })).json, { ok: true });
});

t.test('a group is undone as one, however it was written', async (t) => {
  const { start } = await makeWorld(t);
  const service = await start();
  const book = await Book.create(service);
  const own = { ask: book.ask.bind(book) };
  await submit(own, [set('A1', 1)]);
  const wrong = [set('A2', 2), lines('rows.delete', { from: 0 })];
  t.equal((await submit(own, wrong, { group: 'g' })).status, 400);
  const half = [set('A2', 2), { kind: 'sheet.delete', payload: { sheet: 'None' } }];
  t.equal((await submit(own, half, { group: 'g' })).status, 409, 'a group is atomic');
  await submit(own, [set('A2', 2), set('A3', 3)], { group: 'g' });
  await submit(own, [set('B1', 'other')]);
  await submit(own, [set('A1', 10), lines('rows.insert', { before: 1 })], { group: 'g' });
  const { json } = await own.ask('/branches/main/ops?after=2&limit=1');
  t.match(json, { ops: [{ group: 'g', seq: 3 }] });
  t.match((await submit(own, [undo('g')])).results, [{ status: 'applied' }]);
  t.same(await rows(own, 'Sheet1!A1:B2'), [
    [1, 'other'],
    [null, null],
  ]);
  t.match((await submit(own, [redo(8)])).results, [{ status: 'applied' }]);
  t.same(await rows(own, 'Sheet1!A1:B4'), [
    [null, null],
    [10, 'other'],
    [2, null],
    [3, null],
  ]);
  t.match((await submit(own, [undo('none')])).results, [
    { status: 'rejected', error: { code: 'operation_not_found' } },
  ]);
});

t.test('what cannot be undone says why', async (t) => {
  const { start } = await makeWorld(t);
  const service = await start();
  const book = await Book.create(service);
  const own = { ask: book.ask.bind(book) };
  await submit(own, [set('A1', 1), set('A1', 2)]);
  const cases: [Operation, string][] = [
    [undo(99), 'operation_not_found'],
    [redo(2), 'not_an_undo'],
    [{ kind: 'revert', payload: { of: { from: 2, through: 1 } } }, 'operation_not_found'],
    [{ kind: 'revert', payload: { of: 'mg_1' } }, 'cannot_undo'],
    [undo(2), 'nothing_to_undo'],
  ];
  for (const [operation, code] of cases) {
    const { results } = await submit(own, [operation]);
    t.match(results, [{ status: 'rejected', error: { code, hint: String } }], code);
  }
  for (const payload of [{}, { of: 0 }, { of: -1 }, { of: '' }, { of: 2, ops: [] }]) {
    const { status } = await submit(own, [{ kind: 'undo', payload }]);
    t.equal(status, 400, JSON.stringify(payload));
  }
  const identified = { ...undo(3), id: 'undo-1' };
  const once = await submit(own, [identified]);
  const { seq = 0 } = once.results[0] ?? {};
  t.match(once.results, [{ status: 'applied' }]);
  t.match((await submit(own, [identified])).results, [{ status: 'duplicate', seq }]);
  const { results } = await submit(own, [undo(seq), undo(seq)]);
  t.match(results, [{ status: 'applied' }, { status: 'noop' }], 'it is as it was already');
  const tagged = await own.ask('/branches/main/commit', { body: { message: 'm', tag: 'v1' } });
  t.equal(tagged.status, 201);
  const { head } = (await own.ask('/branches/main/state')).json as { head: number };
  t.match((await submit(own, [undo(head)])).results, [{ status: 'noop' }]);
  const strict = await submit(own, [undo(seq + 1)], { mode: 'strict', baseSeq: 1 });
  t.match(strict, { status: 409 }, 'a strict one conflicts with what was written since');
});

t.test('protected cells stay so, and rules hold that came since', async (t) => {
  const { start } = await makeWorld(t);
  const service = await start();
  const book = await Book.create(service);
  const own = { ask: book.ask.bind(book) };
  const rule = { type: 'whole', operator: 'between', formula1: 1, formula2: 10 };
  const ruled = lines('validation.set', { ranges: ['A1:A9'], rule });
  const { results } = await submit(own, [set('A1', 50), set('B1', 1), ruled, set('A1', 5)]);
  const [value = 0, , setRule = 0, last = 0] = results.map(({ seq }) => seq);
  t.match(
    (await submit(own, [undo(last)])).results,
    [{ status: 'applied' }],
    'it was there before',
  );
  await submit(own, [set('A2', 50)]);
  t.same(await rows(own, 'Sheet1!A1:B1'), [[50, 1]]);
  await submit(own, [set('A1', 6)]);
  const revert = { kind: 'revert', payload: { of: { from: value, through: last } } };
  await submit(own, [undo(last + 2)]);
  t.match((await submit(own, [undo(setRule)])).results, [{ status: 'applied' }]);
  t.match((await submit(own, [revert])).status, 200);

  const group = [set('D1', 7), lines('protect.set', { ranges: ['D1:D9'], who: ['somebody/else'] })];
  await submit(own, group, { group: 'guarded' });
  t.match((await submit(own, [set('D1', 8)])).results, [{ error: { code: 'protected' } }]);
  t.match((await submit(own, [undo('guarded')])).results, [{ status: 'applied' }]);
  t.match((await submit(own, [set('D1', 8)])).results, [{ status: 'applied' }]);
  const { head } = (await own.ask('/branches/main/state')).json as { head: number };
  await submit(own, [lines('protect.set', { ranges: ['D1'], who: ['somebody/else'] })]);
  t.match((await submit(own, [undo(head)])).results, [{ error: { code: 'protected' } }]);
});

t.test('undoing reaches through trimmed history and forks, and is blamed', async (t) => {
  const { start, sql } = await makeWorld(t);
  const service = await start();
  const book = await Book.create(service);
  const own = { ask: book.ask.bind(book) };
  await submit(own, [set('A1', 'kept'), set('A2', 'gone'), set('B2', '=A2')]);
  await submit(own, [lines('rows.delete', { from: 2 })]);
  for (let at = 0; at < 20; at++) await submit(own, [set('C1', at)]);
  await own.ask('/branches', { body: { name: 'q3', from: 'main@6' } });
  await submit(own, [set('A1', 'here')], { branch: 'q3' });
  for (const branch of ['main', 'q3']) {
    await own.ask(`/branches/${branch}/checkpoint`, { body: {} });
  }
  await service.app.stop();
  await sql`delete from segment where workbook_id = ${book.id} and branch_no = 1 and last_seq < 20`;
  const cold = asker(await start(), book);
  const { results } = await submit(cold, [undo(5)]);
  t.match(results, [{ status: 'applied' }]);
  const { seq = 0 } = results[0] ?? {};
  t.same(await rows(cold, 'Sheet1!A1:C2'), [
    ['kept', null, 19],
    ['gone', '=A2', null],
  ]);
  t.match((await cold.ask('/blame?range=Sheet1!A1:B2')).json, {
    cells: [
      { cell: 'A1', seq: 2 },
      { cell: 'A2', seq, kind: 'undo' },
      { cell: 'B2', seq, kind: 'undo' },
    ],
  });
  t.match((await submit(cold, [undo(1)], { branch: 'q3' })).results, [{ status: 'applied' }]);
  t.same(await rows(cold, 'Sheet1!A1', 'ref=q3&lens=input'), [['kept']]);
  t.match((await submit(cold, [undo(5)], { branch: 'q3' })).results, [
    { status: 'rejected', error: { code: 'operation_not_found' } },
  ]);
  await cold.ask('/branches/main/checkpoint', { body: {} });
  t.match((await cold.ask('/verify', { method: 'POST' })).json, { ok: true });
});

t.test('a formula shows the row that comes back after its own sheet', async (t) => {
  const { start } = await makeWorld(t);
  const service = await start();
  const book = asker(service, await Book.create(service));
  const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
  const rows = [{ k: 0, v: 7 }];
  await submit(book, [
    { kind: 'sheet.add', payload: { name: 'Two' } },
    {
      kind: 'table.create',
      payload: { name: 'T', keyColumn: 'k', schema, sheetRange: 'Two!A1:B2' },
    },
    { kind: 'cells.set', payload: { sheet: 'Two', cells: [{ a1: 'B2', input: 5 }] } },
    set('C2', '=Two!B2'),
  ]);
  const shown = async () => (await book.ask('/slice?range=Sheet1!C2')).json;
  t.match(await shown(), { rows: [[5]] });
  const [, gone] = (
    await submit(book, [
      { kind: 'rows.import', payload: { table: 'T', rows } },
      { kind: 'sheet.delete', payload: { sheet: 'Sheet1' } },
    ])
  ).results;
  const through = gone?.seq ?? 0;
  await submit(book, [undo(through)]);
  t.match(await shown(), { rows: [[{ error: '#REF!' }]] });
  await submit(book, [{ kind: 'revert', payload: { of: { from: through - 1, through } } }]);
  t.match(await shown(), { rows: [[5]] });
});
