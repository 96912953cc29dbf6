import * as fc from 'fast-check';
import t from 'tap';

import { Branches } from '../../../server/branches/branches.ts';
import { Policies } from '../../../server/branches/policies.ts';
import type { Operation } from '../../../server/model/operation.ts';
import {
  defaultPolicy,
  policySchema,
  settingsBranchNo,
  type Policy,
} from '../../../server/model/policy.ts';
import type { Principal } from '../../../server/model/scope.ts';
import { BranchState } from '../../../server/state/branch-state.ts';
import { PolicyDocument } from '../../../server/state/records/policy-document.ts';
import { failureOf } from '../../support/failure-of.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { memoryLoader, memoryParts } from '../../support/memory-history.ts';
import { MemoryJournal, quickEnvironment } from '../../support/memory-journal.ts';
import { replayWhole } from '../../support/branch-checks.ts';
import { drive } from '../../support/state-driver.ts';

const formulas = new FormulaDouble();
const ann: Principal = {
  userId: 'agt_ann',
  kind: 'anonymous',
  scopes: ['read', 'write'],
  credentialId: 'crd_1',
  namespace: 'ann',
};
const facts = { id: 'wb_1', ownerId: 'agt_ann', archived: false };
const bob: Principal = { ...ann, userId: 'agt_bob' };

function start(store = new MemoryJournal()): { branches: Branches; policies: Policies } {
  const environment = quickEnvironment();
  const report = (): void => undefined;
  const loader = memoryLoader(store, { formulas, environment });
  const branches = new Branches({ store, loader, environment, report, ...memoryParts() });
  return { branches, policies: new Policies(branches, environment) };
}

function entriesOf(document: PolicyDocument): string {
  return JSON.stringify([...document.entries()]);
}

function change(policy: object, expectVersion?: number) {
  return { policy: policySchema.parse(policy), expectVersion, byteCount: 10 };
}

const entry = fc.record({
  pattern: fc.constantFrom('main', 'release/*', '**'),
  directWrites: fc.constantFrom('deny' as const, 'allow' as const, 'owners' as const),
  allowDelete: fc.boolean(),
});
const policies = fc.record({
  protectedBranches: fc.array(entry, { maxLength: 3 }),
  merge: fc.record({ numericTolerance: fc.constantFrom(0, 0.5), autoRefresh: fc.boolean() }),
  branch: fc.record({ maxBranches: fc.integer({ min: 1, max: 9 }) }),
});

t.test('the policy is that of the last change, in memory, journal and replay', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(policies, { maxLength: 6 }), async (changes) => {
      const store = new MemoryJournal();
      const here = start(store);
      let last: Policy = defaultPolicy;
      let version = 0;
      for (const wanted of changes) {
        const parsed = policySchema.parse(wanted);
        if (JSON.stringify(parsed) !== JSON.stringify(last)) version++;
        last = parsed;
        const answer = await here.policies.replace('wb_1', change(wanted, undefined), ann);
        t.same(answer, { version, policy: last });
        t.same(await here.policies.policyOf('wb_1'), last, 'at once');
      }
      t.same(await start(store).policies.current('wb_1'), { version, policy: last });
      const address = { workbookId: 'wb_1', branchNo: settingsBranchNo };
      const replayed = await replayWhole(store, address, { formulas });
      t.equal(replayed.stateHash, (await here.branches.summary(address)).stateHash);
    }),
    { numRuns: 60 },
  );
});

t.test('of two nodes that change the same version, one writes', async (t) => {
  const store = new MemoryJournal();
  const nodes = [start(store), start(store)];
  const outcomes = await Promise.allSettled(
    [3, 4, 5, 6].map((maxBranches, index) => {
      const node = nodes[index % 2] ?? start(store);
      return node.policies.replace('wb_1', change({ branch: { maxBranches } }, 0), ann);
    }),
  );
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') t.match(outcome.reason, { key: 'staleVersion' });
  }
  t.equal(store.head, 1);
});

t.test('a document is its entries, and a copy goes its own way', async (t) => {
  fc.assert(
    fc.property(policies, policies, (one, other) => {
      const [first, second] = [policySchema.parse(one), policySchema.parse(other)];
      const document = new PolicyDocument();
      document.set(first);
      const again = PolicyDocument.from(document.entries());
      t.ok(again.is(first) && document.is(first));
      t.equal(entriesOf(again), entriesOf(document));
      const copy = document.copy();
      copy.set(second);
      t.ok(document.is(first) && copy.is(second));
      const isSame = JSON.stringify(first) === JSON.stringify(second);
      t.equal(entriesOf(copy) === entriesOf(document), isSame);
    }),
    { numRuns: 100 },
  );
  const empty = new PolicyDocument();
  t.same([...empty.entries()], []);
  t.notOk(empty.is(defaultPolicy));
  t.equal(entriesOf(empty), '[]');
});

t.test('the policy has a branch for itself', async (t) => {
  const { branches } = start();
  const submit = (branchNo: number, operation: Operation) =>
    branches.submit(
      { workbookId: 'wb_1', branchNo },
      { principalId: 'agt_ann', writer: 'w', ops: [operation], byteCount: 1 },
    );
  const policy: Operation = { kind: 'policy.set', payload: { policy: defaultPolicy } };
  const sheet: Operation = { kind: 'sheet.add', payload: { name: 'S' } };
  const cells: Operation = { kind: 'range.fill', payload: { range: 'A1', input: 1 } };
  for (const [branchNo, operation] of [
    [1, policy],
    [settingsBranchNo, sheet],
    [settingsBranchNo, cells],
  ] as const) {
    const { results } = await submit(branchNo, operation);
    t.match(results, [{ status: 'rejected', error: { code: 'wrong_branch', hint: /PUT/ } }]);
  }
});

t.test('other branches hash as if there were no policy', async (t) => {
  const state = new BranchState(1, formulas);
  const hash = drive(state.stateHash());
  state.policy.set(defaultPolicy);
  t.not(drive(state.stateHash()), hash);
});

t.test('the policy says how many branches there may be and which stay', async (t) => {
  const { policies: checked } = start();
  t.equal(await checked.branchesMost('wb_1'), 200);
  await checked.checkBranchDeletion(facts, 'main', bob);
  await checked.replace(
    'wb_1',
    change({
      branch: { maxBranches: 2 },
      protectedBranches: [
        { pattern: 'a*', allowDelete: true },
        { pattern: 'b', bypass: ['user:agt_bob'] },
        { pattern: '**', bypass: ['role:owner'] },
      ],
    }),
    ann,
  );
  t.equal(await checked.branchesMost('wb_1'), 2);
  t.match(await checked.tooManyBranches('wb_1'), { key: 'policy', hint: /maxBranches/ });
  const deletion = (branch: string, who: Principal) =>
    failureOf(() => checked.checkBranchDeletion(facts, branch, who));
  t.equal(await deletion('abc', bob), undefined);
  t.equal(await deletion('b', bob), undefined);
  t.equal((await deletion('b', ann))?.key, 'policy');
  t.equal(await deletion('c', ann), undefined);
  t.equal((await deletion('c', bob))?.key, 'policy');
  t.equal((await deletion('$settings', ann))?.key, 'branchReserved');
});
