import t from 'tap';

import { defaultPolicy, type Policy } from '../../server/model/policy.ts';
import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

interface Settings {
  readonly version: number;
  readonly policy: Policy;
}

async function createBook(): Promise<Book> {
  return Book.create(await TestService.start(t));
}

const put = (book: Book, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  book.ask('/settings', { method: 'PUT', body, headers });

t.test('settings have every member, a version and a history', async (t) => {
  const book = await createBook();
  const first = await book.ask('/settings');
  t.match(first, { status: 200, json: { version: 0 } });
  t.equal(first.headers.get('etag'), '"$settings@0"');
  const { policy } = first.json as Settings;
  t.same(policy, defaultPolicy);
  t.match(policy, {
    protectedBranches: [],
    merge: {
      strategy: 'none',
      conflictGranularity: 'cell',
      deleteVsEdit: 'conflict',
      deleteVsFormat: 'ignore',
      insertInsertSameKey: 'merge',
      semanticEffects: 'warn',
      newErrors: 'block',
      violations: 'block',
      numericTolerance: 0,
      blankEqualsEmptyString: true,
      autoRefresh: true,
      maxOpenDays: 30,
      squash: 'allowed',
    },
    branch: { maxBranches: 200, autoArchiveMergedAfterDays: 14 },
  });

  const wanted = { protectedBranches: [{ pattern: 'release/*' }], branch: { maxBranches: 3 } };
  const changed = await put(book, { policy: wanted, expectVersion: 0 });
  t.match(changed, {
    status: 200,
    json: {
      version: 1,
      policy: {
        branch: { maxBranches: 3, autoArchiveMergedAfterDays: 14 },
        merge: { squash: 'allowed' },
      },
    },
  });
  const [protection] = (changed.json as Settings).policy.protectedBranches;
  t.same(protection, {
    pattern: 'release/*',
    directWrites: 'deny',
    requiredApprovals: 1,
    dismissStaleApprovals: true,
    requireLastPushApproval: true,
    allowSelfApproval: false,
    approvers: [],
    mergers: [],
    allowAgentApproval: false,
    owners: [],
    requireUpToDate: false,
    requireCheckpoint: false,
    bypass: [],
    allowDelete: false,
    allowForce: false,
  });
  t.same((await book.ask('/settings')).json, changed.json);
  t.same((await put(book, { policy: wanted })).json, changed.json, 'no change, no version');
  t.match(await put(book, { policy: wanted, expectVersion: 0 }), {
    status: 409,
    json: { code: 'stale_version', version: 1, hint: /GET the settings/ },
  });
  t.match((await put(book, { policy: {}, expectVersion: 1 })).json, { version: 2 });
  const history = await book.ask('/branches/$settings/ops');
  t.match(history, {
    status: 200,
    json: {
      head: 2,
      ops: [
        { seq: 1, kind: 'policy.set', payload: { policy: (changed.json as Settings).policy } },
        { seq: 2, kind: 'policy.set', payload: { policy: defaultPolicy } },
      ],
    },
  });
  t.match((await book.ask('')).json, { head: 1 }, 'the main branch is not touched');
});

t.test('of two who change the same version one is refused', async (t) => {
  const book = await createBook();
  const change = (maxBranches: number) =>
    put(book, { policy: { branch: { maxBranches } }, expectVersion: 0 });
  const answers = await Promise.all([7, 8, 9, 10, 11].map(change));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  t.same(statuses, [200, 409, 409, 409, 409]);
  for (const { status, json } of answers) {
    if (status === 409) t.match(json, { code: 'stale_version', version: 1 });
  }
  t.match((await book.ask('/settings')).json, { version: 1 });
  t.match(await put(book, { policy: {} }, { 'if-match': '"$settings@0"' }), {
    status: 412,
    json: { code: 'head_moved', version: 1 },
  });
  t.match(await put(book, { policy: {} }, { 'if-match': '"$settings@1"' }), {
    status: 200,
    json: { version: 2 },
  });
});

t.test('branches that are made at once find no more room than there is', async (t) => {
  const book = await createBook();
  await put(book, { policy: { branch: { maxBranches: 3 } } });
  const fork = (name: string) => book.ask('/branches', { body: { name, from: 'main' } });
  const statusesOf = async (names: readonly string[]) => {
    const answers = await Promise.all(names.map(fork));
    return answers.map(({ status }) => status).toSorted((a, b) => a - b);
  };
  t.same(await statusesOf(['a', 'b', 'c', 'd', 'e']), [201, 201, 403, 403, 403]);
  t.match(await fork('f'), { status: 403, json: { code: 'policy', hint: /maxBranches/ } });
  const { branches } = (await book.ask('/branches')).json as { branches: { name: string }[] };
  t.equal(branches.length, 3);
  const made = branches.find(({ name }) => name !== 'main')?.name ?? '';
  t.equal((await book.ask(`/branches/${made}`, { method: 'DELETE' })).status, 200);
  t.equal((await book.ask(`/branches/${made}`, { method: 'DELETE' })).status, 404);
  t.same(await statusesOf(['g', 'h']), [201, 403], 'a deletion makes room once');
});

t.test('what is wrong with a policy is said', async (t) => {
  const book = await createBook();
  const refuse = async (policy: unknown, errors: object, code = 'invalid_request') => {
    t.match(await put(book, { policy }), { status: 400, json: { code, errors: [errors] } });
  };
  await refuse(
    { merg: {} },
    { pointer: '/policy/merg', message: /did you mean "merge"/ },
    'unknown_member',
  );
  await refuse(
    { protectedBranches: [{ pattern: 'main', directWrite: 'deny' }] },
    { pointer: '/policy/protectedBranches/0/directWrite', message: /"directWrites"/ },
    'unknown_member',
  );
  await refuse(
    { protectedBranches: [{ pattern: 'main', requiredApprovals: 7 }] },
    { pointer: '/policy/protectedBranches/0/requiredApprovals' },
  );
  await refuse({ protectedBranches: [{}] }, { pointer: '/policy/protectedBranches/0/pattern' });
  await refuse(
    { protectedBranches: [{ pattern: 'main', approvers: ['ann'] }] },
    { pointer: '/policy/protectedBranches/0/approvers/0', message: /user:<id>/ },
  );
  await refuse(
    { protectedBranches: [{ pattern: 'main', owners: [{ match: {} }] }] },
    { pointer: '/policy/protectedBranches/0/owners/0/match', message: 'names nothing' },
  );
  await refuse({ merge: { newErrors: 'maybe' } }, { pointer: '/policy/merge/newErrors' });
  await refuse({ merge: { numericTolerance: -1 } }, { pointer: '/policy/merge/numericTolerance' });
  await refuse({ branch: { maxBranches: 0 } }, { pointer: '/policy/branch/maxBranches' });
  t.match(await put(book, {}), { status: 400, json: { errors: [{ pointer: '/policy' }] } });
  t.match(await put(book, { policy: {}, versions: 3 }), {
    status: 400,
    json: { code: 'unknown_member' },
  });
  t.match(await put(book, { policy: {}, expectVersion: -1 }), { status: 400 });
  t.match((await book.ask('/settings')).json, { version: 0 });
  const stranger = { credential: await book.service.register() };
  const path = `/v1/workbooks/${book.id}/settings`;
  t.match(await book.service.request(path, stranger), { status: 404 });
  const change = { ...stranger, method: 'PUT', body: { policy: {} } };
  t.match(await book.service.request(path, change), { status: 404 });
});

t.test('a protected branch takes no direct writes', async (t) => {
  const book = await createBook();
  const protect = (entry: object) =>
    put(book, { policy: { protectedBranches: [{ pattern: 'ma?n', ...entry }] } });
  t.match(await book.set('A1', 1), { status: 200 });
  await protect({});
  t.match(await book.set('A1', 2), {
    status: 403,
    json: { code: 'policy', detail: /main .*protects ma\?n/, hint: /merges/ },
  });
  t.match((await book.ask('/slice?range=A1&lens=input')).json, { rows: [[1]] });
  await protect({ directWrites: 'owners' });
  t.match(await book.set('A1', 3), { status: 200 }, 'the owner of the workbook is one');
  await protect({ bypass: ['role:owner'] });
  t.match(await book.set('A1', 4), { status: 200 });
  await protect({ bypass: ['user:agt_other', 'role:editor'] });
  t.match(await book.set('A1', 5), { status: 403 });
  const { user_id: userId } = (
    (await book.service.request('/agent/auth/me', { credential: book.credential })).json as {
      data: { user_id: string };
    }
  ).data;
  await protect({ bypass: [`user:${userId}`] });
  t.match(await book.set('A1', 6), { status: 200 });
  await protect({ pattern: 'release/*' });
  t.match(await book.set('A1', 7), { status: 200 }, 'another branch');
  await put(book, {
    policy: {
      protectedBranches: [{ pattern: 'main', directWrites: 'allow' }, { pattern: '**' }],
    },
  });
  t.match(await book.set('A1', 8), { status: 200 }, 'the first entry that fits counts');
});

t.test('nobody writes to the branch of the settings by operations', async (t) => {
  const book = await createBook();
  const submit = (branch: string, op: object) =>
    book.ask(`/branches/${branch}/ops`, { body: { ops: [op] } });
  const cell = { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } };
  const policy = { kind: 'policy.set', payload: { policy: {} } };
  const sheet = { kind: 'sheet.add', payload: { name: 'S' } };
  // The branch is checked before the body.
  for (const op of [cell, sheet, policy]) {
    t.match(await submit('$settings', op), {
      status: 403,
      json: { code: 'branch_reserved', hint: /PUT .*settings/ },
    });
  }
  t.match(await submit('main', policy), { status: 400, json: { code: 'invalid_request' } });
  t.match(await submit('%24settings', cell), { status: 403 });
  t.match((await book.ask('/settings')).json, { version: 0 });
});

t.test('the branch of the settings can be read like one without content', async (t) => {
  const book = await createBook();
  const empty = (await book.ask('/branches/$settings/state')).json as { stateHash: string };
  await put(book, { policy: { branch: { maxBranches: 9 } } });
  const changed = await book.ask('/branches/$settings/state');
  t.match(changed, { status: 200, json: { branch: '$settings', head: 1, sheets: [] } });
  t.not((changed.json as { stateHash: string }).stateHash, empty.stateHash);
  for (const rest of [
    '/values?ref=$settings',
    '/eval-stats?ref=$settings@1',
    '/slice?ref=$settings&range=A1',
    '/branches/$settings/export',
    '/branches/$settings/export?format=csv',
    '/branches/$settings/export?format=xlsx',
  ]) {
    const { status } = await book.ask(rest);
    t.ok(status === 200 || status === 404, `${rest} answers ${status}`);
  }
});
