import t from 'tap';

import { realEnvironment } from '../../server/foundation.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import {
  approve,
  clock,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  write,
  type Merge,
} from '../support/merged-book.ts';
import { TestService } from '../support/test-service.ts';

// The states that a merge goes through, and what it refuses in each of them.

async function contested(): Promise<{ book: Book; merge: Merge }> {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1]);
  await write(book, 'f', ['A1', 10]);
  return { book, merge: await propose(book, { source: 'f' }) };
}

/** Lists say the same of it, whether they found it out before or not. */
async function look(book: Book, { id }: Merge): Promise<Merge> {
  const before = await listed(book);
  const merge = (await book.ask(`/merges/${id}`)).json as Merge;
  t.same([before, await listed(book)], [merge.state, merge.state]);
  return merge;
}

/** The state of the only merge of a workbook, in the list. */
async function listed(book: Book): Promise<string | undefined> {
  const { json } = await book.ask('/merges');
  return (json as { merges: { state: string }[] }).merges[0]?.state;
}

function resolve(book: Book, { id }: Merge, body: object) {
  return book.ask(`/merges/${id}/resolve`, { body });
}

/** All that changes a merge. */
function writesTo({ id }: Merge): readonly (readonly [string, object])[] {
  return [
    [`/merges/${id}/resolve`, { body: { bulk: [{ where: {}, choice: 'ours' }] } }],
    [`/merges/${id}/approve`, { body: {} }],
    [`/merges/${id}/abort`, { body: {} }],
    [`/merges/${id}/units`, { method: 'PUT', body: { groups: [] } }],
  ];
}

async function refusesAll(book: Book, merge: Merge): Promise<object[]> {
  const answers: object[] = [];
  for (const [path, options] of writesTo(merge)) {
    const { status, json } = await book.ask(path, options);
    const { code, hint } = json as { code?: string; hint?: string };
    answers.push({ status, code, hasHint: hint !== undefined && hint !== '' });
  }
  return answers;
}

const closed = { status: 409, code: 'merge_closed', hasHint: true };

t.test('conflicted, in review, approved and merged: then nothing changes it', async (t) => {
  const { book, merge } = await contested();
  const entry = { pattern: 'main', allowAgentApproval: true, allowSelfApproval: true };
  const policy = { protectedBranches: [{ ...entry, requireLastPushApproval: false }] };
  await book.ask('/settings', { method: 'PUT', body: { policy } });
  t.equal((await look(book, merge)).state, 'conflicted');
  await resolve(book, merge, { bulk: [{ where: {}, choice: 'ours' }] });
  t.equal((await look(book, merge)).state, 'review');
  const [conflict] = await conflictsOf(book, merge.id);
  await resolve(book, merge, { resolutions: [{ id: conflict?.id, choice: null }] });
  t.equal((await look(book, merge)).state, 'conflicted', 'and back');
  await resolve(book, merge, { bulk: [{ where: {}, choice: 'ours' }] });
  await approve(book, merge.id, { apply: false });
  t.equal((await look(book, merge)).state, 'approved');
  t.match((await approve(book, merge.id)).json, { state: 'merged' });
  t.same(await refusesAll(book, merge), [closed, closed, closed, closed]);
  t.equal((await look(book, merge)).state, 'merged');
});

t.test('its timeline begins when it was created', async (t) => {
  clock.forward(60);
  const { book, merge } = await contested();
  const { createdAt, timeline } = (await look(book, merge)) as Merge & {
    createdAt: string;
    timeline: readonly { at: string }[];
  };
  t.equal(timeline[0]?.at, createdAt);
});

t.test('one whose branch is deleted is given up', async (t) => {
  const { book, merge } = await contested();
  await book.ask('/branches/f', { method: 'DELETE' });
  t.match((await book.ask('/merges')).json, { merges: [{ state: 'aborted' }] });
  t.match(await look(book, merge), { state: 'aborted', timeline: [{}, { event: 'aborted' }] });
  t.same(await refusesAll(book, merge), [closed, closed, closed, closed]);
});

t.test('one that is told to stay is outdated until it is made anew', async (t) => {
  const { book, merge } = await contested();
  const policy = { merge: { autoRefresh: false } };
  await book.ask('/settings', { method: 'PUT', body: { policy } });
  await resolve(book, merge, { bulk: [{ where: {}, choice: 'ours' }] });
  await write(book, 'main', ['B1', 1]);
  t.match(await look(book, merge), {
    state: 'outdated',
    policy: { blockedBy: ['outdated'] },
    target: { seq: 3 },
  });
  const { status, json } = await approve(book, merge.id);
  t.match({ status, json }, { status: 409, json: { code: 'digest_mismatch', hint: /refresh/u } });
  const anew = await resolve(book, merge, { refresh: true });
  t.match(anew, { status: 200, json: { state: 'review', open: 0, resolved: 0 } });
  t.match(await look(book, merge), { target: { seq: 4 } });
  t.match((await approve(book, merge.id)).json, { state: 'merged' });
});

t.test('a list of many merges comes to an end of computing, however slow they are', async (t) => {
  const time = { isSlow: false, passed: 0 };
  const elapsed = () => Date.now() + (time.passed += time.isSlow ? 250 : 0);
  const environment = { ...realEnvironment, elapsed };
  const options = { formulas: new Formulas(), environment };
  const book = await Book.create(await TestService.start(t, {}, options));
  const count = 12;
  for (let at = 0; at < count; at++) {
    await fork(book, `f${at}`);
    await write(book, `f${at}`, [`A${at + 1}`, at]);
    await propose(book, { source: `f${at}` });
  }
  await write(book, 'main', ['A1', 99]);
  time.isSlow = true;
  const known: number[] = [];
  while ((known.at(-1) ?? 0) < count && known.length < 2 * count) {
    const { json } = await book.ask('/merges');
    const { merges } = json as { merges: { state: string }[] };
    known.push(merges.filter(({ state }) => state !== 'computing').length);
  }
  t.ok((known[0] ?? 0) < count, 'one answer does not have all of them');
  t.equal(known.at(-1), count, known.join(' '));
});

t.test('a list does not wait for a merge that takes long to compute', async (t) => {
  const listMilliseconds = 2_000;
  const time = { isOver: false };
  const began = Date.now();
  const after: typeof realEnvironment.after = (delay, action) =>
    realEnvironment.after(time.isOver && delay === listMilliseconds ? 0 : delay, action);
  const environment = { ...realEnvironment, elapsed: () => began, after };
  const options = { formulas: new Formulas(), environment };
  const book = await Book.create(await TestService.start(t, {}, options));
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1]);
  await write(book, 'f', ['A1', 10]);
  await propose(book, { source: 'f' });
  await write(book, 'main', ['A1', 2]);
  time.isOver = true;
  t.equal(await listed(book), 'computing');
  time.isOver = false;
  t.equal(await listed(book), 'conflicted');
});

t.test('every refusal says what to do', async (t) => {
  const { book, merge } = await contested();
  const { id } = merge;
  const [conflict] = await conflictsOf(book, id);
  const one = (choice: string, more: object = {}) => ({
    resolutions: [{ id: conflict?.id, choice, ...more }],
  });
  const branches = '/branches';
  const refusals: [path: string, body: object, status: number, code: string, hint: RegExp][] = [
    [branches, { name: 'f' }, 409, 'branch_exists', /another name/u],
    [branches, { name: 'g', from: 'commit:none' }, 404, 'ref_not_found', /./u],
    [branches, { name: 'a//b' }, 422, 'bad_name', /letters, digits/u],
    ['/merges', { source: 'main' }, 409, 'nothing_to_merge', /Write to the source/u],
    ['/merges', { source: 'commit:none' }, 404, 'ref_not_found', /./u],
    ['/merges', { revertOf: 'mrg_none' }, 404, 'merge_not_found', /lists them/u],
    ['/merges', { revertOf: id }, 409, 'nothing_to_merge', /merged/u],
    [`/merges/${id}/resolve`, { revision: 7 }, 409, 'stale_revision', /decide anew/u],
    [`/merges/${id}/resolve`, one('keep'), 422, 'bad_choice', /lists its choices/u],
    [`/merges/${id}/resolve`, one('custom'), 422, 'bad_choice', /lists its choices/u],
    [`/merges/${id}/approve`, { digest: merge.digest }, 409, 'conflicts_open', /resolve/u],
    [
      `/merges/${id}/approve`,
      { digest: `sha256:${'0'.repeat(64)}` },
      409,
      'digest_mismatch',
      /digest/u,
    ],
  ];
  for (const [path, body, status, code, hint] of refusals) {
    const answer = await book.ask(path, { body });
    t.match(answer, { status, json: { code, hint } }, `${path} ${JSON.stringify(body)}`);
  }
  t.match((await approve(book, id)).json, { open: 1, conflicts: [conflict?.id] }, 'and which');
  t.equal((await look(book, merge)).revision, 1, 'nothing of it was done');
});

t.test('what the policy does not let in is refused', async (t) => {
  const { book, merge } = await contested();
  await resolve(book, merge, { bulk: [{ where: {}, choice: 'theirs' }] });
  const put = (policy: object) => book.ask('/settings', { method: 'PUT', body: { policy } });
  await put({ branch: { maxBranches: 2 }, merge: { squash: 'forbidden' } });
  const branch = await book.ask('/branches', { body: { name: 'g' } });
  t.match(branch, { status: 403, json: { code: 'policy', hint: /maxBranches/u } });
  const squashed = await book.ask('/merges', { body: { source: 'f', squash: true } });
  t.match(squashed, { status: 403, json: { code: 'policy', hint: /squash/u } });
  await put({ protectedBranches: [{ pattern: 'main' }] });
  const agent = await approve(book, merge.id);
  t.match(agent, { status: 403, json: { code: 'not_approver', hint: /protectedBranches/u } });
  await put({ protectedBranches: [{ pattern: 'main', allowAgentApproval: true }] });
  const own = await approve(book, merge.id);
  t.match(own, { status: 403, json: { code: 'self_approval', hint: /somebody else/u } });
  const direct = await book.ask('/branches/main/ops', {
    body: { ops: [{ kind: 'sheet.add', payload: { name: 'X' } }], writer: 'w' },
  });
  t.match(direct, { status: 403, json: { code: 'policy', hint: /merge/u } });
  t.match((await look(book, merge)).state, 'review');
});

t.test('units that nobody decided on, or that cannot be split, are refused', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  const sheet = 'Sheet1';
  await run(book, 'f', 'rows.insert', { sheet, before: 2, count: 1 });
  await write(book, 'f', ['A2', 5]);
  const merge = await propose(book, { source: 'f' });
  const put = (groups: object[]) =>
    book.ask(`/merges/${merge.id}/units`, { method: 'PUT', body: { groups } });
  const split = [{ id: 'rows', members: [{ kind: 'structure' }], decision: 'reject' }];
  t.match(await put(split), { status: 422, json: { code: 'unit_dependency', hint: /requires/u } });
  const same = [...split, ...split];
  t.match(await put(same), { status: 422, json: { code: 'bad_unit', hint: /member/u } });
  await put([{ id: 'all', members: ['*'] }]);
  t.match(await approve(book, merge.id), {
    status: 409,
    json: { code: 'units_pending', hint: /accept, reject or defer/u },
  });
});

t.test('a proposal under one key is made once', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const body = { source: 'f', units: 'auto', idempotencyKey: 'q3-into-main' };
  const [first, again] = [await book.ask('/merges', { body }), await book.ask('/merges', { body })];
  t.equal(first.status, 201);
  t.strictSame(again.json, first.json);
  t.match((await book.ask('/merges')).json, { total: 1 });
  const other = await book.ask('/merges', { body: { ...body, title: 'another' } });
  t.match(other, { status: 422, json: { code: 'idempotency_mismatch' } });
  t.match(await book.ask('/merges', { body: { ...body, idempotencyKey: 'ü' } }), { status: 400 });
});
