import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Answers say the same thing in the same way wherever they say it. */

const set = (a1: string, input: unknown, sheet?: string) => ({
  kind: 'cells.set',
  payload: { ...(sheet !== undefined && { sheet }), cells: [{ a1, input }] },
});

let service: TestService;
t.before(async () => {
  service = await TestService.start(t, {}, { formulas: new Formulas() });
});

async function makeBook(): Promise<{
  book: Book;
  submit: (...ops: object[]) => ReturnType<Book['ask']>;
}> {
  const book = await Book.create(service);
  return { book, submit: (...ops) => book.ask('/branches/main/ops', { body: { ops } }) };
}

t.test('a submission of which nothing was applied is refused, with its results', async (t) => {
  const { submit } = await makeBook();
  const bad = set('A1', 1, 'None');
  const refused = await submit(bad, bad);
  t.match(refused, {
    status: 409,
    json: {
      code: 'nothing_applied',
      status: 409,
      outcome: 'rejected',
      firstSeq: null,
      lastSeq: null,
      head: 1,
      results: [
        { status: 'rejected', error: { code: 'sheet_not_found' } },
        { status: 'rejected', error: { code: 'sheet_not_found' } },
      ],
      errors: [{ pointer: '/ops/0', code: 'sheet_not_found' }, { pointer: '/ops/1' }],
    },
  });
  t.match(await submit(bad, set('A1', 1)), { status: 200, json: { status: 'partial' } });
  t.match(await submit(set('A1', 1)), { status: 200, json: { results: [{ status: 'noop' }] } });
  const once = { id: 'once', ...set('A2', 1) };
  await submit(once);
  t.match(await submit(once), { status: 200, json: { status: 'duplicate' } });
  t.match(await submit(), { status: 200 });
});

t.test('a merge has one state, in a list as by its id', async (t) => {
  const { book, submit } = await makeBook();
  await submit(set('A1', 'base'));
  await book.ask('/branches', { body: { name: 'side' } });
  await book.ask('/branches/side/ops', { body: { ops: [set('A1', 'theirs')] } });
  const trial = await book.ask('/merges', {
    body: { source: 'side', target: 'main', dryRun: true },
  });
  t.match(trial, { status: 200, json: { state: 'review' } });
  t.notMatch(trial.json, { id: String });
  t.notMatch(trial.json, { links: {} });
  const made = await book.ask('/merges', { body: { source: 'side', target: 'main' } });
  const { id } = made.json as { id: string };
  const states = async (): Promise<unknown[]> => {
    const list = (await book.ask('/merges')).json as { merges: { state: string }[] };
    const one = (await book.ask(`/merges/${id}`)).json as { state: string };
    return [list.merges[0]?.state, one.state];
  };
  t.same(await states(), ['review', 'review']);
  await submit(set('A1', 'ours'));
  t.same(await states(), ['conflicted', 'conflicted']);
  await book.ask(`/merges/${id}/abort`, { method: 'POST' });
  t.same(await states(), ['aborted', 'aborted']);
});

t.test('a merge that was applied is taken back by its id', async (t) => {
  const { book, submit } = await makeBook();
  await submit(set('A1', 'before'));
  await book.ask('/branches', { body: { name: 'side' } });
  await book.ask('/branches/side/ops', { body: { ops: [set('A1', 'theirs'), set('B1', 2)] } });
  const made = await book.ask('/merges', {
    body: { source: 'side', target: 'main', apply: 'auto' },
  });
  const { id } = made.json as { id: string };
  const elsewhere = await book.ask('/branches/side/ops', {
    body: { ops: [{ kind: 'revert', payload: { of: id } }] },
  });
  t.match(elsewhere, { status: 409 });
  t.match(elsewhere.text, /applied to main/);
  t.match((await submit({ kind: 'revert', payload: { of: id } })).json, { status: 'applied' });
  const slice = await book.ask('/slice?range=A1:B1');
  t.match(slice.text, /before/);
  t.notMatch(slice.text, /theirs/);
  t.match(await submit({ kind: 'revert', payload: { of: 'mrg_none' } }), { status: 409 });
});

t.test('settings are sent back as they were read', async (t) => {
  const { book } = await makeBook();
  const read = await book.ask('/settings');
  t.match(await book.ask('/settings', { method: 'PUT', body: read.json }), { status: 200 });
  const policy = { branch: { maxBranches: 7 } };
  const changed = await book.ask('/settings', { method: 'PUT', body: { policy } });
  t.match(await book.ask('/settings', { method: 'PUT', body: changed.json }), { status: 200 });
  const stale = await book.ask('/settings', { method: 'PUT', body: read.json });
  t.match(stale, { status: 409, json: { code: 'stale_version' } });
});

t.test('what makes a sheet or a table answers its id, and state names the same', async (t) => {
  const { book, submit } = await makeBook();
  const added = await submit({ kind: 'sheet.add', payload: { name: 'Plan' } });
  const { results } = added.json as { results: { sheet: string }[] };
  const cells = [['k', 'v']];
  await submit({ kind: 'range.set', payload: { sheet: 'Plan', range: 'A1:B1', inputs: cells } });
  const made = await submit({
    kind: 'table.create',
    payload: { name: 'T', sheetRange: 'Plan!A1:B3' },
  });
  const [table] = (made.json as { results: { table: string }[] }).results;
  const { json } = await book.ask('/branches/main/state');
  const state = json as { sheets: { id: string; name: string }[] };
  const plan = state.sheets.find(({ name }) => name === 'Plan');
  t.equal(results[0]?.sheet, plan?.id);
  t.match(json, { tables: [{ id: table?.table, sheet: 'Plan', sheetId: plan?.id }] }, made.text);
  const from = 'main@1';
  await submit({ kind: 'sheet.rename', payload: { sheet: 'Sheet1', name: 'First' } });
  const diff = (await book.ask(`/diff?from=${from}&to=main`)).json;
  t.match(JSON.stringify(diff), /"op":"sheet.rename","sheet":"First","sheetId":"/);
});

t.test('a range without a sheet is one of the first sheet, read or written', async (t) => {
  const { book, submit } = await makeBook();
  await submit({ kind: 'sheet.add', payload: { name: 'Second' } });
  t.match(await submit(set('A1', 'here')), { status: 200, json: { status: 'applied' } });
  t.match((await book.ask('/slice?range=A1')).text, /here/);
  t.match((await book.ask('/slice?range=Sheet1!A1')).text, /here/);
  await submit({ kind: 'sheet.move', payload: { sheet: 'Second', before: 'Sheet1' } });
  const base = { baseSeq: 3, ops: [set('B1', 'there')] };
  await book.ask('/branches/main/ops', { body: base });
  t.match((await book.ask('/slice?range=Sheet1!B1')).text, /there/, 'first as of the base');
});

t.test('one rule says what branches and tags are called', async (t) => {
  const { book } = await makeBook();
  const makers = {
    branch: (name: string) => book.ask('/branches', { body: { name } }),
    tag: (tag: string) => book.ask('/branches/main/commit', { body: { message: 'm', tag } }),
  };
  const refused = ['', ' ', 'a b', ' a', 'a\t', 'a\u00a0b', 'a$b', '$a', 'a@1', 'a:b', '.a', 'a.'];
  refused.push(
    '-a',
    'a/',
    '/a',
    'a//b',
    'a..b',
    'a\u200db',
    'a\u202eb',
    'a?b',
    'a#b',
    'a%b',
    '"a"',
  );
  refused.push("a'", '\ufeffa', '💥', 'a'.repeat(101), 'a\\b', 'a,b', 'a;b', '<a>', '*');
  const taken = ['a', '1', '_a_', 'a.b-c_d/e', 'Ä/ω', '日本', 'a'.repeat(100)];
  for (const [thing, make] of Object.entries(makers)) {
    for (const name of refused) {
      const answer = await make(name);
      t.match(answer, { status: 422, json: { code: 'bad_name' } }, `${thing} ${name}`);
      const { hint } = answer.json as { hint: string };
      t.match(hint, /letters, digits and _ \. - \/.*at most 100/u);
    }
    for (const name of taken) {
      t.equal((await make(name)).status, 201, `${thing} ${name}`);
      const reference = encodeURIComponent(thing === 'tag' ? `commit:${name}` : name);
      t.equal((await book.ask(`/slice?range=A1&ref=${reference}`)).status, 200);
    }
  }
  t.equal((await makers.tag('v1.0+5')).status, 201);
});

t.test('an unknown branch has one code', async (t) => {
  const { book, submit } = await makeBook();
  const ops = [set('A1', 1)];
  const code = { status: 404, json: { code: 'branch_not_found' } };
  t.match(await book.ask('/branches/none/ops', { body: { ops } }), code);
  t.match(await book.ask('/branches/none/state'), code);
  t.match(await book.ask('/branches/none/export'), code);
  t.match(await book.ask('/branches/none/ops'), code);
  const reference = { status: 404, json: { code: 'ref_not_found' } };
  t.match(await book.ask('/slice?ref=none&range=A1'), reference);
  t.match(await submit(...ops), { status: 200 });
});
