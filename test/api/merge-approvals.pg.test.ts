import t from 'tap';

import type { Book } from '../support/book.ts';
import { claimedAgent, type ClaimedAgent } from '../support/claimed-agent.ts';
import { clock, fork, makeBook, propose, run, write, type Merge } from '../support/merged-book.ts';
import type { TestAnswer } from '../support/test-service.ts';

// Approving and applying merges: by owners of parts, by those who merge, and by those whom no
// policy binds.

async function collaborator(book: Book, role: 'editor' | 'reviewer'): Promise<ClaimedAgent> {
  const agent = await claimedAgent(book.service.url);
  const given = await book.ask(`/collaborators/${agent.userId}`, { method: 'PUT', body: { role } });
  if (given.status !== 200) throw new Error(given.text);
  return agent;
}

async function protect(book: Book, more: object): Promise<void> {
  const entry = { pattern: 'main', allowAgentApproval: true, allowSelfApproval: true, ...more };
  const policy = { protectedBranches: [{ ...entry, requireLastPushApproval: false }] };
  const answer = await book.ask('/settings', { method: 'PUT', body: { policy } });
  if (answer.status !== 200) throw new Error(answer.text);
}

function approveAs(
  { credential }: Pick<ClaimedAgent, 'credential'>,
  { service, id: bookId }: Book,
  { id }: Pick<Merge, 'id'>,
  body: object = {},
): Promise<TestAnswer> {
  const path = `/v1/workbooks/${bookId}/merges/${id}/approve`;
  return service.request(path, { credential, body });
}

const rows = { sheet: 'Sheet1', range: 'A2:B3' };

t.test('what has owners is merged once one of them approves', async (t) => {
  const book = await makeBook();
  const [owner, other] = [await collaborator(book, 'reviewer'), await collaborator(book, 'editor')];
  const owners = [
    { match: rows, approvers: [`user:${owner.userId}`] },
    { match: { sheet: 'Other' }, approvers: ['role:owner'] },
    { match: { table: 'Items' }, approvers: ['role:owner'] },
  ];
  await protect(book, { owners });
  await fork(book, 'f');
  await write(book, 'f', ['B3', 9]);
  const merge = await propose(book, { source: 'f' });
  t.match(merge, {
    policy: {
      required: 1,
      blockedBy: ['approvals', 'owners'],
      owners: [{ match: rows, approvers: [`user:${owner.userId}`], approved: false }],
    },
  });
  t.match((await approveAs(other, book, merge)).json, {
    state: 'review',
    policy: { approvals: 1, blockedBy: ['owners'], owners: [{ approved: false }] },
  });
  t.match((await approveAs(owner, book, merge)).json, { state: 'merged' });
});

t.test('only what a merge changes needs its owners, wherever it goes', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'sheet.add', { name: 'Other' });
  const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
  await run(book, 'main', 'table.create', { name: 'Items', keyColumn: 'k', schema });
  const owners = [
    { match: rows, approvers: ['role:reviewer'] },
    { match: { sheet: 'Other' }, approvers: ['role:reviewer'] },
    { match: { table: 'Items' }, approvers: ['role:reviewer'] },
  ];
  await protect(book, { owners });
  const touched = async (kind: string, payload: object, ...then: [string, object][]) => {
    const name = `f${++count}`;
    await fork(book, name);
    for (const [one, what] of [[kind, payload] as const, ...then]) await run(book, name, one, what);
    const body = { source: name, dryRun: true };
    const { json } = await book.ask('/merges', { body });
    const { policy } = json as { policy: { owners: { match: object }[] } };
    return policy.owners.map(({ match }) => match);
  };
  let count = 0;
  const sheet = 'Sheet1';
  const set = (a1: string, on = sheet): [string, object] => [
    'cells.set',
    { sheet: on, cells: [{ a1, input: 7 }] },
  ];
  t.same(await touched(...set('A1')), []);
  t.same(await touched(...set('C2')), []);
  t.same(await touched(...set('A3')), [rows]);
  t.same(await touched(...set('F9', 'Other')), [{ sheet: 'Other' }]);
  t.same(await touched('sheet.rename', { sheet: 'Other', name: 'Else' }), [{ sheet: 'Other' }]);
  t.same(await touched('range.fill', { sheet, range: 'A1:A9', input: '=$C$1' }), [rows]);
  const bold = { sheet, range: 'A1:A2', style: { bold: true } };
  t.same(await touched('format.set', bold), [rows]);
  t.same(await touched('rows.delete', { sheet, from: 2, count: 1 }), [rows]);
  const above = { sheet, before: 1, count: 1 };
  t.same(await touched('rows.insert', above), [], 'rows above move it');
  t.same(await touched('rows.insert', above, set('A4')), [rows], 'and it is still its own');
  t.same(await touched('rows.insert', above, set('A2')), [], 'nothing else is');
  t.same(await touched('rows.insert', { sheet, before: 3, count: 1 }), [rows]);
  const upsert = { table: 'Items', rows: [{ k: 'x', v: 1 }] };
  t.same(await touched('rows.upsert', upsert), [{ table: 'Items' }]);
});

t.test('an approval of parts counts once it is for all that hold something', async (t) => {
  const book = await makeBook();
  const approver = await collaborator(book, 'editor');
  await run(book, 'main', 'sheet.add', { name: 'Other' });
  await protect(book, { requiredApprovals: 1 });
  await fork(book, 'f');
  await write(book, 'f', ['B3', 9]);
  await run(book, 'f', 'cells.set', { sheet: 'Other', cells: [{ a1: 'A1', input: 1 }] });
  const merge = await propose(book, { source: 'f' });
  const groups = [
    { id: 'one', members: [{ sheet: 'Sheet1' }], decision: 'accept' },
    { id: 'other', members: [{ sheet: 'Other' }], decision: 'accept' },
  ];
  t.match(await book.ask(`/merges/${merge.id}/units`, { method: 'PUT', body: { groups } }), {
    status: 200,
    json: { units: [{ id: 'one' }, { id: 'other' }, { id: 'rest', changes: 0 }] },
  });
  t.match((await approveAs(approver, book, merge, { units: ['one'] })).json, {
    state: 'review',
    policy: { approvals: 0, blockedBy: ['approvals'] },
  });
  t.match((await approveAs(approver, book, merge, { units: ['one', 'other'] })).json, {
    state: 'merged',
  });
});

t.test('those who merge apply what others have approved', async (t) => {
  const book = await makeBook();
  const [merger, approver] = [
    await collaborator(book, 'reviewer'),
    await collaborator(book, 'editor'),
  ];
  const mergers = [`user:${merger.userId}`];
  await protect(book, { mergers, approvers: ['role:editor'] });
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const merge = await propose(book, { source: 'f', apply: 'auto' });
  t.match(merge, { state: 'review' });
  t.match(await approveAs(merger, book, merge), { status: 403, json: { code: 'not_approver' } });
  t.match((await approveAs(approver, book, merge)).json, { state: 'approved' });
  const seen = await approveAs(merger, book, merge, { apply: false });
  t.match(seen, { status: 403, json: { code: 'not_approver' } });
  const applied = await approveAs(merger, book, merge);
  t.match(applied, { status: 200, json: { state: 'merged' } });
  const { timeline } = applied.json as { timeline: readonly { by: string }[] };
  for (const { by } of timeline) t.notMatch(by, /^(?:agt|usr)_/u, `${by} is a name`);
  t.match(timeline, [
    { event: 'created' },
    { event: 'approved', actor: approver.userId },
    { event: 'applied', actor: merger.userId },
  ]);
});

t.test('whom the policy does not bind needs nobody', async (t) => {
  const book = await makeBook();
  const free = await collaborator(book, 'editor');
  const owners = [{ match: { sheet: 'Sheet1' }, approvers: ['role:owner'] }];
  await protect(book, { requiredApprovals: 2, owners, bypass: [`user:${free.userId}`] });
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const merge = await propose(book, { source: 'f' });
  t.match((await approveAs(book, book, merge)).json, { state: 'review' });
  t.match((await approveAs(free, book, merge)).json, { state: 'merged' });
});

t.test('a source that is behind is merged once it holds its target', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  await write(book, 'main', ['B2', 2]);
  await protect(book, { requireUpToDate: true });
  const merge = await propose(book, { source: 'f' });
  t.match(merge, { policy: { blockedBy: ['approvals', 'behind'] } });
  const approved = await approveAs(book, book, merge);
  t.match(approved, { status: 200, json: { state: 'review', policy: { blockedBy: ['behind'] } } });
  const caughtUp = await propose(book, { source: 'main', target: 'f', apply: 'auto' });
  t.match(caughtUp, { state: 'merged' });
  t.match((await book.ask(`/merges/${merge.id}`)).json, { policy: { blockedBy: ['approvals'] } });
  t.match((await approveAs(book, book, merge)).json, { state: 'merged' });
  const back = await propose(book, { revertOf: merge.id });
  t.match((await approveAs(book, book, back)).json, { state: 'merged' }, 'one that takes back can');
});

t.test('a source that has to be committed is merged once it is', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  await protect(book, { requireCheckpoint: true });
  const merge = await propose(book, { source: 'f' });
  t.match((await approveAs(book, book, merge)).json, { policy: { blockedBy: ['checkpoint'] } });
  const committed = await book.ask('/branches/f/commit', { body: { message: 'for review' } });
  t.equal(committed.status, 201, committed.text);
  t.match((await approveAs(book, book, merge)).json, { state: 'merged' });
});

t.test('a merge that was open for too long is given up', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const answer = await book.ask('/settings', {
    method: 'PUT',
    body: { policy: { merge: { maxOpenDays: 2 } } },
  });
  t.equal(answer.status, 200, answer.text);
  const { id } = await propose(book, { source: 'f' });
  clock.forward(47 * 3600);
  t.match((await book.ask(`/merges/${id}`)).json, { state: 'review' });
  clock.forward(2 * 3600);
  t.match((await book.ask('/merges')).json, { merges: [{ id, state: 'aborted' }] });
  t.match((await book.ask(`/merges/${id}`)).json, {
    state: 'aborted',
    timeline: [{ event: 'created' }, { event: 'aborted', detail: 'open for more than 2 days' }],
  });
  t.match((await approveAs(book, book, { id })).json, { code: 'merge_closed' });
  t.match(await propose(book, { source: 'f' }), { state: 'review' });
});
