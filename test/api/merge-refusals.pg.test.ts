import t, { type Test } from 'tap';

import type { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  write,
  type Conflict,
  type Merge,
} from '../support/merged-book.ts';

// Refusals of branches, merges and comparisons, after which nothing is changed.

type Refusal = readonly [
  request: string,
  body: unknown,
  status: number,
  code: string,
  detail: RegExp,
];

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly hint?: string;
}

const sheet = 'Sheet1';
const tooLong = 'x'.repeat(20_000);

function upsert(book: Book, branch: string, rows: object[]): Promise<number> {
  return run(book, branch, 'rows.upsert', { table: 'Items', rows });
}

/** A merge with conflicts of most kinds. */
async function contested() {
  const book = await makeBook();
  const columns = [
    { name: 'sku', type: 'text' },
    { name: 'price', type: 'number' },
  ];
  const table = { name: 'Items', keyColumn: 'sku', schema: { columns } };
  await run(book, 'main', 'table.create', table);
  await upsert(book, 'main', [{ sku: 'a', price: 1 }]);
  await run(book, 'main', 'sheet.add', { name: 'Other' });
  await fork(book, 'f');
  for (const [branch, value] of [
    ['main', 1],
    ['f', 2],
  ] as const) {
    await write(book, branch, ['A1', value]);
    const rows = [
      { sku: 'k', price: value },
      { sku: 'a', price: value + 5 },
    ];
    await upsert(book, branch, rows);
    const style = { fill: value === 1 ? '#ff0000' : '#00ff00' };
    await run(book, branch, 'format.set', { sheet, range: 'B1', style });
    await run(book, branch, 'sheet.rename', { sheet: 'Other', name: `Other${value}` });
  }
  await run(book, 'main', 'rows.delete', { sheet, from: 3, count: 1 });
  await write(book, 'f', ['B3', 9]);
  const merge = await propose(book, { source: 'f' });
  const conflicts = await conflictsOf(book, merge.id);
  const of = (kind: string) => conflicts.find((one) => one.kind === kind)?.id ?? kind;
  return { book, merge, of };
}

async function face(book: Book, { id }: Merge): Promise<object> {
  const { revision, digest, state } = (await book.ask(`/merges/${id}`)).json as Merge;
  const { branches } = (await book.ask('/branches')).json as { branches: { head: number }[] };
  return { revision, digest, state, heads: branches.map(({ head }) => head) };
}

/** Asks for each, and that it changes nothing. */
async function refuseAll(
  t: Test,
  { book, merge }: { book: Book; merge: Merge },
  refusals: readonly Refusal[],
): Promise<void> {
  const before = await face(book, merge);
  for (const [request, body, status, code, detail] of refusals) {
    const [method = '', path = ''] = request.replace(':mid', merge.id).split(' ');
    const answer = await book.ask(path, { method, ...(body !== undefined && { body }) });
    const name = `${request} ${JSON.stringify(body ?? null).slice(0, 100)}`;
    const { hint = '', ...problem } = (answer.json ?? {}) as Problem;
    t.match({ status: answer.status, ...problem }, { status, code, detail }, name);
    t.match(hint, /\w{3}.*\w{3}/u, `${name} has a hint`);
  }
  t.same(await face(book, merge), before, 'nothing was done');
}

t.test('branches', async (t) => {
  const branches = 'POST /branches';
  await refuseAll(t, await contested(), [
    [branches, {}, 400, 'invalid_request', /^\/name: /u],
    [branches, { name: 5 }, 400, 'invalid_request', /^\/name: /u],
    [branches, [], 400, 'invalid_request', /must be an object, and is a list/u],
    [branches, { name: 'x', fro: 'main' }, 400, 'unknown_member', /"fro".*"from"/u],
    [branches, { name: 'x', description: tooLong }, 400, 'invalid_request', /^\/description: /u],
    [branches, { name: '' }, 422, 'bad_name', /^"": /u],
    [branches, { name: 'x'.repeat(101) }, 422, 'bad_name', /^"xxx/u],
    [branches, { name: '$x' }, 422, 'bad_name', /begin with \$/u],
    [branches, { name: 'a/../b' }, 422, 'bad_name', /neither/u],
    [branches, { name: 'commit:x' }, 422, 'bad_name', /could not spell/u],
    [branches, { name: 'main' }, 409, 'branch_exists', /called main/u],
    [branches, { name: 'x', from: 'a@b' }, 400, 'invalid_reference', /"a@b"/u],
    [branches, { name: 'x', from: 'main@-1' }, 400, 'invalid_reference', /"main@-1"/u],
    [branches, { name: 'x', from: 'main@999' }, 404, 'ref_not_found', /main@999 .* main@10/u],
    [branches, { name: 'x', from: 'none' }, 404, 'ref_not_found', /none/u],
    [branches, { name: 'x', from: '$settings' }, 403, 'forbidden', /settings/u],
    ['GET /branches?x=1', undefined, 400, 'unknown_member', /"x"/u],
    ['DELETE /branches/none', undefined, 404, 'branch_not_found', /none/u],
    ['DELETE /branches/main', undefined, 403, 'forbidden', /main/u],
    ['DELETE /branches/$settings', undefined, 403, 'branch_reserved', /settings/u],
  ]);
});

t.test('proposals', async (t) => {
  const merges = 'POST /merges';
  await refuseAll(t, await contested(), [
    [merges, {}, 400, 'invalid_request', /a source, or a merge/u],
    [merges, { source: 'f', revertOf: 'mrg_1' }, 400, 'invalid_request', /a source, or a merge/u],
    [merges, { source: 5 }, 400, 'invalid_request', /^\/source: /u],
    [merges, { source: 'f', strategy: 'mine' }, 400, 'invalid_request', /^\/strategy: .*"ours"/u],
    [merges, { source: 'f', granularity: 'x' }, 400, 'invalid_request', /^\/granularity: .*"row"/u],
    [merges, { source: 'f', units: 'colour' }, 400, 'invalid_request', /^\/units: .*"auto"/u],
    [merges, { source: 'f', apply: 'now' }, 400, 'invalid_request', /^\/apply: .*"manual"/u],
    [merges, { source: 'f', squash: 'yes' }, 400, 'invalid_request', /^\/squash: /u],
    [merges, { source: 'f', title: tooLong }, 400, 'invalid_request', /^\/title: .*200/u],
    [merges, { source: 'f', target: '' }, 400, 'invalid_request', /^\/target: /u],
    [merges, { revertOf: '' }, 400, 'invalid_request', /^\/revertOf: /u],
    [merges, { source: '' }, 400, 'invalid_reference', /""/u],
    [merges, { source: 'f@99' }, 404, 'ref_not_found', /f@99 .* f@/u],
    [merges, { source: 'f', target: 'main@3' }, 404, 'branch_not_found', /main@3/u],
    [merges, { source: 'f', target: '$settings' }, 403, 'forbidden', /settings/u],
    [merges, { source: 'f', target: 'f' }, 409, 'nothing_to_merge', /f@\d+ holds all of f@/u],
    ['GET /merges?limit=0', undefined, 400, 'invalid_request', /^\?limit: /u],
    ['GET /merges?offset=-1', undefined, 400, 'invalid_request', /^\?offset: /u],
    ['DELETE /merges/:mid', undefined, 405, 'method_not_allowed', /takes GET/u],
    ['GET /merges/none', undefined, 404, 'merge_not_found', /none/u],
    ['GET /merges/none/conflicts', undefined, 404, 'merge_not_found', /none/u],
    ['GET /merges/none/diff', undefined, 404, 'merge_not_found', /none/u],
    ['POST /merges/none/resolve', {}, 404, 'merge_not_found', /none/u],
    ['POST /merges/none/approve', {}, 404, 'merge_not_found', /none/u],
    ['POST /merges/none/abort', {}, 404, 'merge_not_found', /none/u],
    ['PUT /merges/none/units', { groups: [] }, 404, 'merge_not_found', /none/u],
  ]);
});

t.test('what is read of a merge, and comparisons', async (t) => {
  const conflicts = 'GET /merges/:mid/conflicts';
  const diff = 'GET /merges/:mid/diff';
  const changes = 'GET /tables/Items/changes?from=main&to';
  await refuseAll(t, await contested(), [
    [`${conflicts}?status=shut`, undefined, 400, 'invalid_request', /^\?status: .*"open"/u],
    [`${conflicts}?limit=1001`, undefined, 400, 'invalid_request', /^\?limit: /u],
    [`${conflicts}?who=1`, undefined, 400, 'unknown_member', /"who".*writer/u],
    [`${diff}?sheet=None`, undefined, 404, 'sheet_not_found', /None/u],
    [`${diff}?kinds=x`, undefined, 400, 'invalid_request', /^\?kinds: .*structure/u],
    [`${diff}?values=maybe`, undefined, 400, 'invalid_request', /^\?values: /u],
    ['GET /diff', undefined, 400, 'invalid_request', /^\?from: /u],
    ['GET /diff?from=main&to=merge:none', undefined, 400, 'invalid_reference', /"merge:none"/u],
    ['GET /blame?ref=merge::mid&range=A1', undefined, 404, 'ref_not_found', /No merge/u],
    ['GET /tables/none/changes', undefined, 400, 'invalid_request', /^\?from: /u],
    ['GET /tables/none/changes?from=main&to=f', undefined, 404, 'not_found', /table called none/u],
    [`${changes}=none`, undefined, 404, 'ref_not_found', /none/u],
    [`${changes}=a@b`, undefined, 400, 'invalid_reference', /"a@b"/u],
    [`${changes}=f&limit=0`, undefined, 400, 'invalid_request', /^\?limit: /u],
    ['PUT /settings', {}, 400, 'invalid_request', /^\/policy: /u],
    ['PUT /settings', { policy: {}, expectVersion: 9 }, 409, 'stale_version', /version 0.* 9/u],
  ]);
});

t.test('choices', async (t) => {
  const made = await contested();
  const { of } = made;
  const cell = of('cell.value');
  const twin = of('tablerow.insert_insert');
  const resolve = 'POST /merges/:mid/resolve';
  const one = (id: string, choice: unknown, more: object = {}): object => ({
    resolutions: [{ id, choice, ...more }],
  });
  const bulk = (where: object, choice = 'ours'): object => ({ bulk: [{ where, choice }] });
  const rekey = (newKey: unknown): object => one(twin, 'rekey', { side: 'theirs', newKey });
  const unread: Refusal[] = [
    [resolve, { resolutions: {} }, 400, 'invalid_request', /^\/resolutions: /u],
    [resolve, { resolutions: [{ id: cell }] }, 400, 'invalid_request', /0\/choice: /u],
    [resolve, one(cell, 5), 400, 'invalid_request', /0\/choice: /u],
    [resolve, one(cell, 'ours', { colour: 1 }), 400, 'unknown_member', /"colour"/u],
    [resolve, one(cell, 'custom', { input: {} }), 400, 'invalid_request', /0\/input: /u],
    [resolve, one(cell, 'rekey', { side: 'up' }), 400, 'invalid_request', /0\/side: .*"ours"/u],
    [resolve, { bulk: [{ where: {} }] }, 400, 'invalid_request', /0\/choice: /u],
    [resolve, { bulk: [{ choice: 'ours' }] }, 400, 'invalid_request', /0\/where: /u],
    [resolve, bulk({ colour: 1 }), 400, 'unknown_member', /"colour"/u],
    [resolve, { revision: 'x' }, 400, 'invalid_request', /^\/revision: /u],
    [resolve, { comment: 5 }, 400, 'invalid_request', /^\/comment: /u],
    [resolve, { revision: 9, ...one(cell, 'ours') }, 409, 'stale_revision', /revision 9/u],
  ];
  const taken: readonly (readonly [body: object, detail: RegExp])[] = [
    [one(cell, 'mine'), /Sheet1!A1 .* takes ours, theirs, base, custom with an input/u],
    [one(cell, 'custom'), /Sheet1!A1 .* takes /u],
    [one(cell, 'custom', { input: '=1+' }), /formula ends .* of =1\+/u],
    [one(cell, 'custom', { input: '=LET(x,1,X,2,x)' }), /of =LET\(x,1,X,2,x\)/u],
    [one(cell, 'custom', { input: `=${'1+'.repeat(4100)}1` }), /at most 8192 characters/u],
    [one(cell, 'keep'), /takes/u],
    [one(cell, 'accept'), /takes/u],
    [one(cell, 'combine'), /takes/u],
    [one(cell, 'ours', { input: 4 }), /input goes with the choice custom/u],
    [one(cell, 'ours', { prefer: 'ours' }), /prefer goes with the choice combine/u],
    [one(cell, 'ours', { newKey: 4 }), /newKey goes with the choice rekey/u],
    [one('c_000000000000', 'ours'), /no conflict c_000000000000/u],
    [one('c_000000000000', null), /no conflict c_000000000000/u],
    [one(of('cell.format'), 'custom', { input: 1 }), /B1 \(cell.format\) takes ours, theirs/u],
    [one(of('row.edit_delete'), 'base'), /takes ours, theirs, keep, delete/u],
    [one(of('sheet.rename'), 'custom', { input: 'a/b' }), /the name of the sheet Other1/u],
    [one(of('tablerow.cell'), 'keep'), /Items!B2 .*takes/u],
    [one(twin, 'custom', { input: 1 }), /rekey with a side and a newKey/u],
    [one(twin, 'rekey'), /rekey with a side and a newKey/u],
    [rekey('a'), /the table has a row "a" already/u],
    [rekey('k'), /the table has a row "k" already/u],
    [rekey(5), /sku: not a text/u],
    [rekey(''), /sku: a key is a text/u],
    [bulk({}, 'combine'), /takes/u],
    [bulk({}, 'custom'), /takes/u],
    [bulk({ sheet: 'None' }), /no sheet None/u],
    [bulk({ table: 'None' }), /no table None/u],
    [bulk({ unit: 'none' }), /no unit none/u],
  ];
  const refused = taken.map(([body, detail]): Refusal => [
    resolve,
    body,
    422,
    'bad_choice',
    detail,
  ]);
  const twice = { resolutions: [cell, cell].map((id) => ({ id, choice: 'ours' })) };
  await refuseAll(t, made, [...unread, ...refused]);
  await refuseAll(t, made, [[resolve, twice, 422, 'bad_choice', /stands twice/u]]);
  const { book, merge } = made;
  const before = await face(book, merge);
  for (const where of [{ kind: 'nothing' }, { writer: 'nobody' }]) {
    const answer = await book.ask(`/merges/${merge.id}/resolve`, { body: bulk(where) });
    t.match(answer, { status: 200, json: { revision: 1, resolved: 0, open: 6 } });
  }
  t.same(await face(book, merge), before, 'what fits nothing settles nothing');
});

t.test('units, approvals and giving up', async (t) => {
  const made = await contested();
  const units = 'PUT /merges/:mid/units';
  const [approval, abort] = ['POST /merges/:mid/approve', 'POST /merges/:mid/abort'];
  const of = (...members: unknown[]): object => ({ groups: [{ id: 'a', members }] });
  const rest = { id: 'a', members: ['*'] };
  const none = { units: ['none'] };
  await refuseAll(t, made, [
    [units, {}, 400, 'invalid_request', /^\/groups: /u],
    [units, { groups: [{}] }, 400, 'invalid_request', /0\/id: /u],
    [units, { groups: [{ ...rest, id: 'a b' }] }, 400, 'invalid_request', /0\/id: /u],
    [units, { groups: [{ ...rest, decision: 'maybe' }] }, 400, 'invalid_request', /"defer"/u],
    [units, { groups: [{ ...rest, requires: 'b' }] }, 400, 'invalid_request', /requires: /u],
    [units, of({ colour: 1 }), 400, 'unknown_member', /"colour"/u],
    [units, of(5), 400, 'invalid_request', /members\/0/u],
    [units, of('nonsense'), 422, 'bad_unit', /no conflict nonsense/u],
    [units, of({ kind: 'nothing' }), 422, 'bad_unit', /kind nothing/u],
    [units, of({ table: 'Items', column: 'none' }), 422, 'bad_unit', /no column none/u],
    [units, of({ sheet, range: 'ZZZZ1' }), 422, 'bad_unit', /a range is one/u],
    [units, { groups: [{ ...rest, requires: ['a'] }] }, 422, 'bad_unit', /requires itself/u],
    [units, { groups: [{ ...rest, requires: ['b'] }] }, 422, 'bad_unit', /no unit b/u],
    [units, { groups: [rest, { ...rest, id: 'b' }] }, 422, 'bad_unit', /a has "\*" already/u],
    [units, { groups: [], revision: 9 }, 409, 'stale_revision', /revision 9/u],
    [approval, { digest: 'x' }, 400, 'invalid_request', /^\/digest: /u],
    [approval, { event: 'like' }, 400, 'invalid_request', /^\/event: .*"approve"/u],
    [approval, { apply: 'yes' }, 400, 'invalid_request', /^\/apply: /u],
    [approval, { comment: tooLong }, 400, 'invalid_request', /^\/comment: /u],
    [approval, { who: 1 }, 400, 'unknown_member', /"who"/u],
    [approval, none, 422, 'bad_unit', /no unit none/u],
    [approval, { event: 'comment', ...none }, 422, 'bad_unit', /no unit none/u],
    [approval, {}, 409, 'conflicts_open', /6 conflicts/u],
    [abort, { reason: 5 }, 400, 'invalid_request', /^\/reason: /u],
    [abort, { because: 'x' }, 400, 'unknown_member', /"because"/u],
  ]);
});

interface Open extends Merge {
  readonly refusal?: string;
}

async function look(book: Book, id: string): Promise<Open> {
  return (await book.ask(`/merges/${id}`)).json as Open;
}

t.test('a choice that cannot be done any more is open again', async (t) => {
  const { book, merge, of } = await contested();
  const path = `/merges/${merge.id}/resolve`;
  const [twin, cell] = [of('tablerow.insert_insert'), of('cell.value')];
  const rekeyed = { id: twin, choice: 'rekey', side: 'theirs', newKey: 'z' };
  const settled = { resolutions: [rekeyed, { id: cell, choice: 'theirs' }] };
  t.match(await book.ask(path, { body: settled }), { status: 200, json: { open: 4 } });
  await upsert(book, 'main', [{ sku: 'z', price: 3 }]);
  t.match(await look(book, merge.id), { state: 'conflicted', refusal: /has a row "z" already/u });
  const open = await conflictsOf(book, merge.id, '?status=open');
  t.equal(open.length, 6, 'nothing that was chosen counts');
  const found = open.find(({ id }) => id === twin) as Conflict & { previousResolution: object };
  t.match(found.previousResolution, { choice: 'rekey', newKey: 'z' });
  const other = { resolutions: [{ id: cell, choice: 'ours' }] };
  t.match(await book.ask(path, { body: other }), { status: 422, json: { detail: /row "z"/u } });
  const taken = { resolutions: [{ ...rekeyed, newKey: 'y' }] };
  t.match(await book.ask(path, { body: taken }), { status: 200, json: { open: 4 } });
  t.notOk((await look(book, merge.id)).refusal, 'with another key all of it counts again');
  t.match(await approve(book, merge.id), { status: 409, json: { open: 4 } });
});

t.test('what was chosen elsewhere and cannot be done here stops no proposal', async (t) => {
  const { book, merge, of } = await contested();
  const id = of('tablerow.insert_insert');
  const resolutions = [{ id, choice: 'rekey', side: 'theirs', newKey: 'z' }];
  await book.ask(`/merges/${merge.id}/resolve`, { body: { resolutions } });
  await upsert(book, 'main', [{ sku: 'z', price: 3 }]);
  t.match(await book.ask(`/merges/${merge.id}/abort`, { body: {} }), { status: 200 });
  const again = (await propose(book, { source: 'f' })) as Open;
  t.match(again, { state: 'conflicted', summary: { conflicts: { open: 6 } } });
  t.notOk(again.refusal);
  t.match(await book.ask(`/merges/${again.id}/abort`, { body: {} }), { status: 200 });
  const headers = { prefer: 'wait=0' };
  const { json, status } = await book.ask('/merges', { body: { source: 'f' }, headers });
  const later = await look(book, (json as Open).id);
  t.match([status, later.state], [202, 'conflicted'], 'nor one that is compared later');
  t.match(later, { summary: { conflicts: { open: 6 } } });
  t.notOk(later.refusal);
  const chosen = { resolutions: [{ id, choice: 'rekey', side: 'theirs', newKey: 'y' }] };
  const path = `/merges/${later.id}/resolve`;
  t.match(await book.ask(path, { body: chosen }), { status: 200, json: { open: 5 } });
  t.notOk((await look(book, later.id)).refusal);
});

t.test('a choice of an earlier merge settles one that is compared later', async (t) => {
  const { book, merge, of } = await contested();
  const resolutions = [{ id: of('cell.value'), choice: 'theirs' }];
  await book.ask(`/merges/${merge.id}/resolve`, { body: { resolutions } });
  t.match(await book.ask(`/merges/${merge.id}/abort`, { body: {} }), { status: 200 });
  const headers = { prefer: 'wait=0' };
  const { json } = await book.ask('/merges', { body: { source: 'f' }, headers });
  const { id } = json as Open;
  t.match(await look(book, id), { revision: 1, summary: { conflicts: { open: 5 } } });
});

t.test('a value that its column does not take is told, and blocks', async (t) => {
  const { book, merge, of } = await contested();
  const body = { resolutions: [{ id: of('tablerow.cell'), choice: 'custom', input: 'dear' }] };
  await book.ask(`/merges/${merge.id}/resolve`, { body });
  const bulk = [{ where: { status: 'open' }, choice: 'ours' }];
  await book.ask(`/merges/${merge.id}/resolve`, { body: { bulk } });
  const { violations } = (await book.ask(`/merges/${merge.id}/conflicts`)).json as {
    violations: object[];
  };
  t.match(violations, [
    { kind: 'violation.schema', severity: 'block', text: /B2 does not fit price/u },
  ]);
  t.match(await approve(book, merge.id), { status: 409, json: { code: 'conflicts_open' } });
});
