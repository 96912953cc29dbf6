import * as fc from 'fast-check';
import t from 'tap';

import type { Commit } from '../../../server/branches/commit.ts';
import { Sequencer } from '../../../server/branches/sequencer.ts';
import type { SubmissionAnswer } from '../../../server/branches/submission.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import type { Environment } from '../../../server/model/environment.ts';
import { Failure } from '../../../server/model/failure.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { findFaults, replayWhole, type Acknowledged } from '../../support/branch-checks.ts';
import { failureOf } from '../../support/failure-of.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { memoryLoader } from '../../support/memory-history.ts';
import { MemoryJournal, quickEnvironment, type AppendFault } from '../../support/memory-journal.ts';

const address = { workbookId: 'wb_1', branchNo: 1 };
const formulas = new FormulaDouble();

function set(id: string | undefined, a1: string, input: number): Operation {
  const operation = { kind: 'cells.set' as const, payload: { cells: [{ a1, input }] } };
  return id === undefined ? operation : { ...operation, id };
}

const addSheet: Operation = { kind: 'sheet.add', payload: { name: 'One' }, id: 'sheet' };

function start(store: MemoryJournal): { sequencer: Sequencer; commits: Commit[] } {
  const commits: Commit[] = [];
  const onCommit = (commit: Commit): void => void commits.push(commit);
  const environment = quickEnvironment();
  const loader = memoryLoader(store, { formulas, environment });
  return { sequencer: new Sequencer(address, { store, loader, environment, onCommit }), commits };
}

function request(writer: string, ops: readonly Operation[], more: object = {}) {
  return { principalId: 'agt_1', writer, ops, byteCount: 100, ...more };
}

interface Wave {
  readonly node: number;
  readonly writer: string;
  readonly mode: 'rebase' | 'atomic';
  readonly ids: readonly number[];
}

const wave = fc.array(
  fc.record({
    node: fc.nat(1),
    writer: fc.constantFrom('ann', 'bob'),
    mode: fc.constantFrom('rebase' as const, 'rebase' as const, 'atomic' as const),
    ids: fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 5 },
);
const fault = fc.constantFrom<AppendFault>('none', 'none', 'none', 'lost', 'unanswered', 'late');

/** A client that sends the same again as long as it is told to come back. */
async function insist(sequencer: Sequencer, sent: ReturnType<typeof request>) {
  for (;;) {
    try {
      return await sequencer.submit(sent);
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 503) throw error;
    }
  }
}

function acknowledgements({ writer, ids }: Wave, { results }: SubmissionAnswer): Acknowledged[] {
  return results.map(({ seq = 0 }, index) => ({ writer, id: `id${ids[index] ?? ''}`, seq }));
}

async function checkListeners(store: MemoryJournal, commits: readonly Commit[]): Promise<void> {
  let heard = commits[0]?.firstSeq ?? 1;
  for (const { firstSeq, lastSeq, records } of commits) {
    if (firstSeq !== heard) throw new Error(`a listener heard ${firstSeq} after ${heard - 1}`);
    if (records.length !== lastSeq - firstSeq + 1) throw new Error('a commit lacks records');
    heard = lastSeq + 1;
  }
  const { mutations } = await replayWhole(store, address, { formulas, through: heard - 1 });
  const told = commits.flatMap((commit) => commit.mutations);
  const expected = told.length === 0 ? [] : mutations.slice(-told.length);
  if (JSON.stringify(told) !== JSON.stringify(expected)) throw new Error('mutations differ');
}

t.test('two nodes that fight over one branch keep one journal', async (t) => {
  const waves = fc.array(wave, { minLength: 1, maxLength: 8 });
  const faults = fc.array(fault, { minLength: 1, maxLength: 40 });
  let lostCount = 0;
  await fc.assert(
    fc.asyncProperty(waves, faults, async (allWaves, allFaults) => {
      let faultIndex = 0;
      const store = new MemoryJournal(() => allFaults[faultIndex++] ?? 'none');
      const nodes = [start(store), start(store)];
      await insist(nodes[0]?.sequencer ?? start(store).sequencer, request('setup', [addSheet]));
      const acknowledged: Acknowledged[] = [];
      for (const members of allWaves) {
        const answers = members.map(async (member) => {
          const { node, writer, mode, ids } = member;
          const ops = ids.map((id) => set(`id${id}`, `A${id + 1}`, id));
          const sequencer = nodes[node]?.sequencer;
          if (!sequencer) throw new Error('no such node');
          const answer = await insist(sequencer, request(writer, ops, { mode }));
          acknowledged.push(...acknowledgements(member, answer));
        });
        await Promise.all(answers);
      }
      const replayed = await replayWhole(store, address, { formulas });
      const wrong = findFaults(replayed.records, acknowledged);
      if (wrong.length > 0) throw new Error(wrong.join('; '));
      for (const { sequencer, commits } of nodes) {
        const seen = await sequencer.read(function* (state) {
          return { head: state.head, stateHash: yield* state.stateHash() };
        });
        const there = await replayWhole(store, address, { formulas, through: seen.head });
        if (there.stateHash !== seen.stateHash) throw new Error('the state is not its replay');
        await checkListeners(store, commits);
      }
      lostCount += store.appendCount - store.rows.length;
    }),
    { numRuns: 150 },
  );
  t.ok(lostCount > 100, `${lostCount} appends found no place or no answer`);
});

t.test('what piles up during a commit goes into the next one', async (t) => {
  const store = new MemoryJournal();
  const { sequencer } = start(store);
  await sequencer.submit(request('a', [addSheet]));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      sequencer.submit(request('a', [set(undefined, `A${index + 1}`, index)])),
    ),
  );
  t.same(
    answers.map(({ firstSeq }) => firstSeq),
    Array.from({ length: 200 }, (_, index) => index + 2),
  );
  t.ok(store.rows.length <= 3, `${store.rows.length} segments`);
});

t.test('a look sees only what is durable', async (t) => {
  const store = new MemoryJournal();
  const { sequencer } = start(store);
  await sequencer.submit(request('a', [addSheet]));
  const heads: [number, number][] = [];
  const work: Promise<unknown>[] = [];
  for (let round = 0; round < 40; round++) {
    work.push(sequencer.submit(request('a', [set(undefined, 'A1', round)])));
    const look = sequencer.read(function* (state) {
      yield;
      heads.push([state.head, store.head]);
    });
    work.push(look);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(work);
  t.ok(heads.length === 40 && heads.every(([seen, durable]) => seen <= durable));
});

t.test(
  'a large submission takes several segments and commits, an atomic one only segments',
  async (t) => {
    const store = new MemoryJournal();
    const { sequencer } = start(store);
    await sequencer.submit(request('a', [addSheet]));
    const ops = Array.from({ length: 9_500 }, (_, index) => set(`i${index}`, 'A1', index));
    const answer = await sequencer.submit(request('a', ops));
    t.match(answer, { firstSeq: 2, lastSeq: 9_501, head: 9_501, status: 'applied' });
    t.equal(store.appendCount, 3);
    const whole = await sequencer.submit(request('b', ops, { mode: 'atomic' }));
    t.match(whole, { firstSeq: 9_502, lastSeq: 19_001 });
    t.equal(store.appendCount, 4);
    const sizes = store.rows.map(({ firstSeq, lastSeq }) => lastSeq - firstSeq + 1);
    t.equal(Math.max(...sizes), 1_000);
    t.equal((await replayWhole(store, address, { formulas })).records.length, 19_001);
  },
);

t.test(
  'a database that stays away is told to the senders, and its return is noticed',
  async (t) => {
    const store = new MemoryJournal();
    const { sequencer } = start(store);
    await sequencer.submit(request('a', [addSheet]));
    store.isDown = true;
    const down = sequencer.submit(request('a', [set('one', 'A1', 1)]));
    const failure = await failureOf(() => down);
    t.match(failure, { key: 'unavailable', headers: { 'Retry-After': '1' } });
    store.isDown = false;
    t.match(await sequencer.submit(request('a', [set('one', 'A1', 1)])), { firstSeq: 2 });
  },
);

t.test('an error of PostgreSQL is answered at once, and the branch goes on', async (t) => {
  let isRefused = false;
  const store = new MemoryJournal(() => (isRefused ? 'refused' : 'none'));
  const { sequencer } = start(store);
  await sequencer.submit(request('a', [addSheet]));
  isRefused = true;
  const before = store.appendCount;
  await t.rejects(sequencer.submit(request('a', [set('one', 'A1', 1)])), { code: '22021' });
  t.equal(store.appendCount - before, 1, 'it is not tried again');
  isRefused = false;
  t.match(await sequencer.submit(request('a', [set('one', 'A1', 1)])), { firstSeq: 2 });
});

t.test('an archived branch takes nothing and can still be looked at', async (t) => {
  const store = new MemoryJournal();
  const { sequencer } = start(store);
  await sequencer.submit(request('a', [addSheet]));
  store.archived = true;
  const failure = await failureOf(() => sequencer.submit(request('a', [set('one', 'A1', 1)])));
  t.equal(failure?.key, 'workbookArchived');
  const head = await sequencer.read(function* (state) {
    yield;
    return state.head;
  });
  t.equal(head, 1);
});

t.test('too much at a time is refused with a time to come back', async (t) => {
  const { sequencer } = start(new MemoryJournal());
  await sequencer.submit(request('a', [addSheet]));
  const large = request('a', [set(undefined, 'A1', 1)], { byteCount: 40 << 20 });
  const first = sequencer.submit(large);
  const second = sequencer.submit(large);
  t.equal((await failureOf(async () => sequencer.submit(large)))?.key, 'unavailable');
  await Promise.all([first, second]);
  t.match(await sequencer.submit(large), { status: 'applied' });
});

t.test('a newer epoch takes over without losing anything', async (t) => {
  const store = new MemoryJournal();
  const { sequencer } = start(store);
  await sequencer.submit(request('a', [addSheet]));
  store.epoch = 7;
  t.match(await sequencer.submit(request('a', [set('one', 'A1', 1)])), { firstSeq: 2 });
});

t.test('others have the thread before a large write is planned, and sent', async (t) => {
  let turns = 0;
  const environment: Environment = {
    // Time stands still, so that no slice ends.
    now: () => 1_800_000_000_000,
    elapsed: () => 1_800_000_000_000,
    random: (count) => new Uint8Array(count),
    after: (delay, action) => {
      if (delay === 0) turns++;
      return realEnvironment.after(delay, action);
    },
  };
  const store = new MemoryJournal();
  const loader = memoryLoader(store, { formulas, environment });
  const onCommit = (): void => undefined;
  const sequencer = new Sequencer(address, { store, loader, environment, onCommit });
  await sequencer.submit(request('ann', [addSheet]));
  t.equal(turns, 0, 'a small one takes no turn of its own');
  const before = turns;
  await sequencer.submit(request('ann', [set('large', 'A1', 1)], { byteCount: 30_000 }));
  t.equal(turns - before, 2);
});
