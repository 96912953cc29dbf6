import t from 'tap';

import type { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
  write,
  type Merge,
} from '../support/merged-book.ts';

// Tricky merges that are more than two states: what policies, histories and reviews make of them.
// The others are in test/workers/merge-scenarios.test.ts, which tells where each of the forty is.

async function settings(book: Book, merge: object): Promise<void> {
  const answer = await book.ask('/settings', { method: 'PUT', body: { policy: { merge } } });
  if (answer.status !== 200) throw new Error(answer.text);
}

async function settle(book: Book, { id }: Merge, choice: string): Promise<void> {
  const bulk = [{ where: {}, choice }];
  const answer = await book.ask(`/merges/${id}/resolve`, { body: { bulk } });
  if (answer.status !== 200) throw new Error(answer.text);
}

t.test('scenario 12: numbers within the tolerance of the policy are the same', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1.001], ['A2', 5]);
  await write(book, 'f', ['A1', 1.002], ['A2', 6]);
  const merge = await propose(book, { source: 'f' });
  t.equal((await conflictsOf(book, merge.id)).length, 2);
  await settings(book, { numericTolerance: 0.01 });
  t.match(await conflictsOf(book, merge.id), [{ ours: { input: 5 }, theirs: { input: 6 } }]);
});

t.test('scenario 32: merges that crossed and came to the same leave nothing to ask', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1]);
  await write(book, 'f', ['A1', 2]);
  // Both are made before either is applied, and both settled for the same.
  const into = await propose(book, { source: 'f@1', target: 'main' });
  const back = await propose(book, { source: 'main@3', target: 'f' });
  await settle(book, into, 'theirs');
  await settle(book, back, 'ours');
  for (const { id } of [into, back]) t.match((await approve(book, id)).json, { state: 'merged' });
  await write(book, 'f', ['C2', 'new']);
  const crossed = await propose(book, { source: 'f', target: 'main' });
  t.match(crossed, { base: { virtual: true }, state: 'review' });
  t.same(await conflictsOf(book, crossed.id), []);
  await approve(book, crossed.id);
  t.strictSame(await values(book, 'A1:C2'), [
    [2, 12, null],
    [21, 22, 'new'],
  ]);
});

t.test('scenario 35: what is approved is not what comes after', async (t) => {
  const book = await makeBook();
  const entry = { pattern: 'main', allowAgentApproval: true, allowSelfApproval: true };
  const policy = { protectedBranches: [{ ...entry, requireLastPushApproval: false }] };
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1], ['A2', 2]);
  await write(book, 'f', ['A1', 10], ['A2', 20]);
  await book.ask('/settings', { method: 'PUT', body: { policy } });
  const merge = await propose(book, { source: 'f' });
  await settle(book, merge, 'theirs');
  const { json } = await approve(book, merge.id, { apply: false });
  t.match(json, { state: 'approved', approvals: [{ stale: false }] });
  await write(book, 'f', ['A2', 25]);
  const { digest } = json as Merge;
  t.match(await approve(book, merge.id, { digest }), {
    status: 409,
    json: { code: 'digest_mismatch' },
  });
  const now = (await book.ask(`/merges/${merge.id}`)).json;
  t.match(now, {
    state: 'conflicted',
    approvals: [{ stale: true }],
    policy: { approvals: 0 },
    timeline: [{}, {}, {}, { event: 'refreshed' }],
  });
  t.match(await conflictsOf(book, merge.id), [
    { status: 'resolved', path: { a1: { merged: 'A1' } } },
    { status: 'open', previousResolution: { choice: 'theirs' } },
  ]);
});

t.test('scenario 36: what ours takes back is an edit of ours', async (t) => {
  const book = await makeBook();
  const edited = await write(book, 'main', ['A1', 1], ['A2', 2]);
  await fork(book, 'f');
  await run(book, 'main', 'undo', { of: edited });
  t.strictSame(await values(book, 'A1:A2'), [[11], [21]]);
  await write(book, 'f', ['A1', 9]);
  const merge = await propose(book, { source: 'f' });
  const conflicts = await conflictsOf(book, merge.id);
  t.match(conflicts, [{ base: { input: 1 }, ours: { input: 11 }, theirs: { input: 9 } }]);
  t.equal(conflicts.length, 1, 'but only where the source has changed it');
  await settle(book, merge, 'theirs');
  await approve(book, merge.id);
  t.strictSame(await values(book, 'A1:A2'), [[9], [21]]);
});

t.test('a table that one side moved keeps its header, which the other one deleted', async (t) => {
  const sheet = 'Sheet1';
  const remove = ['rows.delete', { sheet, from: 1, count: 1 }] as const;
  const move = ['range.move', { sheet, source: 'A1:B3', to: 'D5' }] as const;
  for (const [ours, theirs] of [
    [remove, move],
    [move, remove],
  ] as const) {
    const book = await makeBook();
    const inputs = [
      ['k', 'v'],
      ['a', 1],
      ['b', 2],
    ];
    await run(book, 'main', 'range.set', { sheet, range: 'A1:B3', inputs });
    const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
    const sheetRange = `${sheet}!A1:B3`;
    await run(book, 'main', 'table.create', { name: 'T', keyColumn: 'k', sheetRange, schema });
    await fork(book, 'f');
    await run(book, 'main', ours[0], ours[1]);
    await run(book, 'f', theirs[0], theirs[1]);
    const { id } = await propose(book, { source: 'f' });
    t.match(await approve(book, id), { status: 200, json: { state: 'merged' } });
    t.same(await values(book, 'D4:E6'), inputs);
    const { tables } = (await book.ask('/branches/main/state')).json as { tables: object[] };
    t.match(tables, [{ name: 'T', range: 'D4:E6', headerRow: true }]);
  }
});
