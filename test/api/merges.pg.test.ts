import t from 'tap';

import {
  approve,
  conflictsOf,
  fork,
  hashOf,
  makeBook,
  propose,
  run,
  values,
  write,
} from '../support/merged-book.ts';

t.test('a merge without conflicts is proposed, looked at and applied', async (t) => {
  const book = await makeBook();
  await fork(book, 'q3');
  await run(book, 'main', 'rows.insert', { sheet: 'Sheet1', before: 2, count: 1 });
  await write(book, 'q3', ['B2', 7], ['C1', '=SUM(A1:A3)']);
  const merge = await propose(book, { source: 'q3', target: 'main', title: 'Third quarter' });
  t.match(merge, {
    id: /^mrg_/u,
    title: 'Third quarter',
    state: 'review',
    source: { branch: 'q3', seq: 1 },
    target: { branch: 'main', seq: 3 },
    base: { branch: 'main', seq: 2, virtual: false },
    fastForward: false,
    summary: { conflicts: { open: 0, resolved: 0 } },
    policy: { required: 0, approvals: 0, blockedBy: [] },
    digest: /^sha256:[0-9a-f]{64}$/u,
    revision: 1,
    result: null,
  });
  t.strictSame(await values(book, 'A1:C4'), [
    [11, 12, null],
    [null, null, null],
    [21, 22, null],
    [31, 32, null],
  ]);
  const diff = await book.ask(`/merges/${merge.id}/diff?values=true`);
  const cells = [{ change: 'modified' }, { change: 'added', after: { input: '=SUM(A1:A4)' } }];
  const values1 = [
    { a1: 'C1', after: 63 },
    { a1: 'B3', before: 22, after: 7, cause: 'edited' },
  ];
  t.match(diff, {
    status: 200,
    json: { from: { branch: 'main', seq: 3 }, to: { seq: 4 }, relation: 'ahead' },
  });
  const { cells: changed, values: shown } = diff.json as { cells: object[]; values: object[] };
  t.match(changed.toReversed(), cells);
  t.match(shown, values1);
  const applied = await approve(book, merge.id, { digest: merge.digest });
  t.match(applied, { status: 200, json: { state: 'merged', result: { branch: 'main', seq: 4 } } });
  t.strictSame(await values(book, 'A1:C4'), [
    [11, 12, 63],
    [null, null, null],
    [21, 7, null],
    [31, 32, null],
  ]);
  t.equal(await hashOf(book, 'main'), merge.stateHash, 'what was approved is what was written');
  t.match((await approve(book, merge.id)).json, { code: 'merge_closed' });
  const done = await book.ask(`/merges/${merge.id}/diff?values=true`);
  t.strictSame((done.json as { cells: unknown }).cells, changed, 'what it was going to do');
  t.match(await book.ask('/merges', { body: { source: 'q3' } }), {
    status: 409,
    json: { code: 'nothing_to_merge' },
  });
  t.match((await book.ask('/merges')).json, { total: 1, merges: [{ state: 'merged' }] });
});

t.test('scenario 33: a later merge proposes only what came since', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const first = await propose(book, { source: 'f' });
  await approve(book, first.id);
  await write(book, 'main', ['A1', 5]);
  await write(book, 'f', ['B3', 9]);
  const second = await propose(book, { source: 'f' });
  t.match(second, { state: 'review', base: { branch: 'f', seq: 1 } });
  await approve(book, second.id);
  t.strictSame(await values(book, 'A1:B3'), [
    [5, 12],
    [21, 22],
    [31, 9],
  ]);
});

t.test('conflicts are listed, settled one by one or in bulk, and taken back', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1], ['A2', 2], ['A3', '=B3']);
  await write(book, 'f', ['A1', 10], ['A2', 20], ['A3', 30]);
  const { id, state } = await propose(book, { source: 'f' });
  t.equal(state, 'conflicted');
  const conflicts = await conflictsOf(book, id);
  t.match(conflicts[0], {
    id: /^c_[0-9a-f]{12}$/u,
    kind: 'cell.value',
    status: 'open',
    path: { sheet: { name: 'Sheet1' }, a1: { base: 'A1', ours: 'A1', theirs: 'A1' } },
    base: { input: 11 },
    ours: { input: 1, change: 'modified', writer: 'w', at: 'main@3' },
    theirs: { input: 10, change: 'modified', writer: 'w', at: 'f@1' },
    choices: ['ours', 'theirs', 'base', 'custom'],
  });
  t.match((await approve(book, id)).json, { code: 'conflicts_open', open: 3 });
  const [first, second] = conflicts;
  const resolve = (body: object) => book.ask(`/merges/${id}/resolve`, { body });
  t.match((await resolve({ resolutions: [{ id: first?.id, choice: 'keep' }] })).json, {
    code: 'bad_choice',
    errors: [{ pointer: '/resolutions/0/choice' }],
  });
  t.match((await resolve({ resolutions: [{ id: 'c_0', choice: 'ours' }] })).json, {
    code: 'bad_choice',
  });
  const settled = await resolve({
    revision: 1,
    bulk: [{ where: { kind: 'cell.*', sheet: 'Sheet1' }, choice: 'theirs' }],
    resolutions: [{ id: second?.id, choice: 'custom', input: '=A1*2' }],
  });
  t.match(settled.json, { revision: 2, state: 'review', open: 0, resolved: 4 });
  t.match((await resolve({ revision: 1, resolutions: [] })).json, { code: 'stale_revision' });
  t.match((await resolve({ resolutions: [{ id: first?.id, choice: null }] })).json, { open: 1 });
  t.equal((await conflictsOf(book, id, '?status=open')).length, 1);
  await resolve({ resolutions: [{ id: first?.id, choice: 'base' }] });
  t.match(await approve(book, id), { status: 200, json: { state: 'merged' } });
  t.strictSame(await values(book, 'A1:A3'), [[11], [22], [30]]);
});

t.test('conflicts are settled by who wrote the side of the source, and by columns', async (t) => {
  const book = await makeBook();
  const columns = [{ name: 'k' }, { name: 'price' }, { name: 'stock' }];
  await run(book, 'main', 'table.create', { name: 'Items', keyColumn: 'k', schema: { columns } });
  const upsert = (price: number, stock: number) => ({
    table: 'Items',
    rows: [{ k: 'x', price, stock }],
  });
  await run(book, 'main', 'rows.upsert', upsert(1, 1));
  await fork(book, 'f');
  await run(book, 'main', 'rows.upsert', upsert(2, 2));
  await run(book, 'f', 'rows.upsert', upsert(3, 3));
  await write(book, 'main', ['A1', 1], ['A2', 2]);
  await write(book, 'f', ['A1', 10]);
  const cells = [{ a1: 'A2', input: 20 }];
  const ops = [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
  await book.ask('/branches/f/ops', { body: { ops, writer: 'agent-7' } });
  const { id } = await propose(book, { source: 'f' });
  t.equal((await conflictsOf(book, id)).length, 4);
  t.match(await conflictsOf(book, id, '?writer=agent-7'), [{ theirs: { writer: 'agent-7' } }]);
  t.match(await conflictsOf(book, id, '?table=Items&column=PRICE'), [
    { path: { column: 'price' } },
  ]);
  t.same(await conflictsOf(book, id, '?writer=w&column=price&sheet=Sheet1'), []);
  const bulk = [
    { where: {}, choice: 'ours' },
    { where: { writer: 'agent-7' }, choice: 'theirs' },
    { where: { table: 'Items', column: 'stock' }, choice: 'theirs' },
  ];
  const settled = await book.ask(`/merges/${id}/resolve`, { body: { bulk } });
  t.match(settled.json, { open: 0, resolved: 6 });
  await approve(book, id);
  t.strictSame(await values(book, 'A1:A2'), [[1], [20]]);
  t.strictSame(await values(book, 'Items!A2:C2'), [['x', 2, 3]]);
});

t.test('a merge follows its branches, and keeps what was chosen for the same sides', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1], ['A2', 2]);
  await write(book, 'f', ['A1', 10], ['A2', 20]);
  const merge = await propose(book, { source: 'f' });
  const where = { kind: 'cell.value' };
  await book.ask(`/merges/${merge.id}/resolve`, { body: { bulk: [{ where, choice: 'theirs' }] } });
  await write(book, 'f', ['A2', 23], ['C1', 'new']);
  await write(book, 'main', ['C2', 'too']);
  const answer = await approve(book, merge.id, { digest: merge.digest });
  t.match(answer.json, { code: 'digest_mismatch' });
  t.match((await book.ask(`/merges/${merge.id}`)).json, {
    state: 'conflicted',
    source: { seq: 2 },
    target: { seq: 4 },
    summary: { conflicts: { open: 1, resolved: 1 } },
  });
});

t.test('an edit follows cells that the other side cut and pasted', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await run(book, 'main', 'range.move', { sheet: 'Sheet1', source: 'B1:B3', to: 'D1' });
  await write(book, 'f', ['B2', 9], ['F1', '=B2']);
  const { id, state } = await propose(book, { source: 'f' });
  t.equal(state, 'review');
  await approve(book, id);
  t.strictSame(await values(book, 'A1:F3'), [
    [11, null, null, 12, null, 9],
    [21, null, null, 9, null, null],
    [31, null, null, 32, null, null],
  ]);
});

t.test('a merge is taken back by another one, and is a position by its id', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1], ['A2', 2]);
  const { id } = await propose(book, { source: 'f' });
  t.match(await book.ask(`/merges`, { body: { revertOf: id } }), {
    status: 409,
    json: { code: 'nothing_to_merge' },
  });
  t.match((await book.ask(`/diff?from=main&to=merge:${id}`)).json, { relation: 'ahead' });
  await approve(book, id);
  const listed = (await book.ask('/branches')).json as { branches: object[] };
  t.match(listed.branches, [{ mergedInto: [] }, { name: 'f', mergedInto: ['main'] }]);
  await write(book, 'main', ['A2', 5], ['A3', 3]);
  const revert = await propose(book, { revertOf: id });
  t.match(revert, { state: 'conflicted', revertOf: id, source: { branch: 'main', seq: 2 } });
  t.match(await conflictsOf(book, revert.id), [
    { base: { input: 2 }, ours: { input: 5 }, theirs: { input: 21 } },
  ]);
  const where = { kind: 'cell.*' };
  await book.ask(`/merges/${revert.id}/resolve`, { body: { bulk: [{ where, choice: 'ours' }] } });
  t.match((await approve(book, revert.id)).json, { state: 'merged' });
  t.strictSame(await values(book, 'A1:A3'), [[11], [5], [3]], 'but for what came since');
  t.match((await book.ask('/merges', { body: { source: 'f' } })).json, {
    code: 'nothing_to_merge',
  });
  const diff = await book.ask(`/diff?from=merge:${id}&to=main`);
  t.match(diff.json, { from: { branch: 'main', seq: 3 }, relation: 'ahead' });
  t.match((await book.ask('/merges', { body: { source: 'f', revertOf: id } })).status, 400);
});

t.test('who merges twice in a row gets one merge', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const { id } = await propose(book, { source: 'f' });
  const answers = await Promise.all([approve(book, id), approve(book, id), approve(book, id)]);
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.strictSame(await values(book, 'A1'), [[1]]);
});

t.test('the policy says who approves', async (t) => {
  const book = await makeBook();
  const policy = (more: object) => ({
    protectedBranches: [{ pattern: 'main', requiredApprovals: 1, ...more }],
  });
  const put = (body: object) => book.ask('/settings', { method: 'PUT', body });
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  await put({ policy: policy({}) });
  const { id } = await propose(book, { source: 'f' });
  t.match((await book.ask(`/merges/${id}`)).json, {
    policy: { required: 1, blockedBy: ['approvals'] },
  });
  t.match(await approve(book, id), { status: 403, json: { code: 'not_approver' } });
  await put({ policy: policy({ allowAgentApproval: true }) });
  t.match(await approve(book, id), { status: 403, json: { code: 'self_approval' } });
  await put({ policy: policy({ allowAgentApproval: true, allowSelfApproval: true }) });
  t.match(await approve(book, id), { status: 403, json: { code: 'self_approval' } });
  const all = { allowAgentApproval: true, allowSelfApproval: true, requireLastPushApproval: false };
  await put({ policy: policy(all) });
  const noted = await approve(book, id, { event: 'request_changes', comment: 'round it' });
  t.match(noted.json, {
    state: 'review',
    policy: { blockedBy: ['approvals', 'changes_requested'] },
  });
  t.match((await approve(book, id, { apply: false })).json, { state: 'approved' });
  await write(book, 'f', ['A2', 2]);
  t.match((await book.ask(`/merges/${id}`)).json, {
    state: 'review',
    approvals: [{}, { stale: true }],
  });
  t.match((await approve(book, id)).json, { state: 'merged' });
});

t.test('merges are tried, given up and refused', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const trial = await book.ask('/merges', { body: { source: 'f', dryRun: true } });
  t.match(trial, { status: 200, json: { state: 'review' } });
  t.match((await book.ask('/merges')).json, { total: 0 });
  const { id } = await propose(book, { source: 'f' });
  const abort = await book.ask(`/merges/${id}/abort`, { body: { reason: 'not now' } });
  t.match(abort.json, { state: 'aborted' });
  const refusals: [body: object, status: number, code: string][] = [
    [{ source: 'nowhere' }, 404, 'ref_not_found'],
    [{ source: 'f', target: 'nowhere' }, 404, 'branch_not_found'],
    [{ source: 'main' }, 409, 'nothing_to_merge'],
    [{ source: '$settings' }, 403, 'forbidden'],
    [{ source: 'f', squashed: true }, 400, 'unknown_member'],
    [{}, 400, 'invalid_request'],
  ];
  for (const [body, status, code] of refusals) {
    t.match(await book.ask('/merges', { body }), { status, json: { code } });
  }
  t.match(await book.ask('/merges/mrg_none'), { status: 404, json: { code: 'merge_not_found' } });
  const auto = await propose(book, { source: 'f', apply: 'auto' });
  t.equal(auto.state, 'merged');
});

t.test('scenario 40: archiving a workbook gives its open merges up', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const { id } = await propose(book, { source: 'f' });
  await book.archive();
  t.match((await approve(book, id)).json, { code: 'workbook_archived' });
  await book.ask('/restore', { body: {} });
  t.match((await book.ask(`/merges/${id}`)).json, { state: 'aborted' });
});

t.test('nobody else sees a merge, or does anything to it', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'f', ['A1', 1]);
  const { id: mid } = await propose(book, { source: 'f' });
  const { id, service } = book;
  const credential = await service.register();
  const calls: [path: string, body?: object][] = [
    [`/v1/workbooks/${id}/merges`],
    [`/v1/workbooks/${id}/merges`, { source: 'f' }],
    [`/v1/workbooks/${id}/merges/${mid}`],
    [`/v1/workbooks/${id}/merges/${mid}/conflicts`],
    [`/v1/workbooks/${id}/merges/${mid}/diff`],
    [`/v1/workbooks/${id}/merges/${mid}/resolve`, {}],
    [`/v1/workbooks/${id}/merges/${mid}/approve`, {}],
    [`/v1/workbooks/${id}/merges/${mid}/abort`, {}],
  ];
  const units = `/v1/workbooks/${id}/merges/${mid}/units`;
  const put = { method: 'PUT', body: { groups: [] } } as const;
  t.match(await service.request(units, { credential, ...put }), { status: 404 }, units);
  for (const [path, body] of calls) {
    const answer = await service.request(path, { credential, ...(body && { body }) });
    t.match(answer, { status: 404, json: { code: 'not_found' } }, path);
  }
  t.match((await book.ask(`/merges/${mid}`)).json, { state: 'review', revision: 1 });
});
