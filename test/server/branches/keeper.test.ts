import t from 'tap';

import type { Commit, CommitListener } from '../../../server/branches/commit.ts';
import type { BranchAddress } from '../../../server/branches/journal-store.ts';
import { Keeper, type KeeperSettings } from '../../../server/branches/keeper/keeper.ts';
import { Metrics } from '../../../server/metrics.ts';
import { Failure } from '../../../server/model/failure.ts';

/** Time that passes when the test says so. */
class Clock {
  #now = 1_000_000;
  #timers: { at: number; action: () => void }[] = [];

  readonly environment = {
    now: () => this.#now,
    elapsed: () => this.#now,
    random: (byteCount: number) => new Uint8Array(byteCount),
    after: (delay: number, action: () => void) => {
      const timer = { at: this.#now + delay, action };
      this.#timers.push(timer);
      return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
    },
  };

  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await turns();
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      this.#timers = this.#timers.filter((other) => other !== next);
      next.action();
    }
    this.#now = end;
    await turns();
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Run {
  readonly key: string;
  readonly at: number;
  end(error?: unknown): void;
}

/** A keeper whose runs last until the test ends them. */
class World {
  readonly clock = new Clock();
  readonly metrics = new Metrics();
  readonly runs: Run[] = [];
  readonly reports: string[] = [];
  /** Branches that a look at the table finds. */
  found: BranchAddress[] = [];
  isAutomatic = true;
  runningMost = 0;
  readonly keeper: Keeper;
  readonly #running = new Set<string>();
  #listener: CommitListener | undefined;

  constructor(settings: Partial<KeeperSettings> = {}) {
    this.keeper = new Keeper({
      sealOperations: 100,
      idleMilliseconds: 60_000,
      hotOperations: 200,
      ...settings,
      upkeep: { run: (address) => this.#run(address) },
      table: { due: async ({ after }) => (after ? [] : this.found) },
      branches: {
        subscribe: (listener) => {
          this.#listener = listener;
          return () => (this.#listener = undefined);
        },
      },
      environment: this.clock.environment,
      metrics: this.metrics,
      report: (step) => void this.reports.push(step),
    });
    this.keeper.start();
  }

  commit(workbookId: string, firstSeq: number, lastSeq = firstSeq): void {
    const commit: Commit = {
      workbookId,
      branchNo: 1,
      firstSeq,
      lastSeq,
      records: [],
      mutations: [],
    };
    this.#listener?.(commit);
  }

  get isListening(): boolean {
    return this.#listener !== undefined;
  }

  get keys(): string[] {
    return this.runs.map(({ key }) => key);
  }

  async waiting(): Promise<number> {
    const { values } = await this.metrics.keeperWaiting.get();
    return values[0]?.value ?? 0;
  }

  #run({ workbookId }: BranchAddress): Promise<void> {
    if (this.#running.has(workbookId)) throw new Error(`two runs of ${workbookId}`);
    this.#running.add(workbookId);
    this.runningMost = Math.max(this.runningMost, this.#running.size);
    return new Promise<void>((resolve, reject) => {
      const end = (error?: unknown): void => {
        this.#running.delete(workbookId);
        if (error === undefined) resolve();
        else reject(error);
      };
      this.runs.push({ key: workbookId, at: this.clock.environment.now(), end });
      if (this.isAutomatic) end();
    });
  }
}

t.test('a branch is kept up each so many operations, and when it is idle', async (t) => {
  const world = new World();
  await world.clock.pass(10);
  world.commit('a', 1, 99);
  await world.clock.pass(1_000);
  t.same(world.keys, [], 'not yet');
  world.commit('a', 100);
  await world.clock.pass(10);
  t.same(world.keys, ['a'], 'at the hundredth');
  t.equal(await world.waiting(), 0);
  world.commit('a', 101, 350);
  world.commit('b', 5);
  await world.clock.pass(10);
  t.same(world.keys, ['a', 'a'], 'once for many');
  await world.clock.pass(50_000);
  world.commit('b', 6);
  await world.clock.pass(50_000);
  t.same(world.keys, ['a', 'a'], 'b is not idle');
  t.equal(await world.waiting(), 1);
  await world.clock.pass(20_000);
  t.same(world.keys, ['a', 'a', 'b']);
  await world.clock.pass(500_000);
  t.equal(world.runs.length, 3, 'and nothing more');
});

t.test('few run at one time, and one of a branch', async (t) => {
  const world = new World();
  world.isAutomatic = false;
  for (let round = 0; round < 3; round++) {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      world.commit(name, round * 100 + 1, 100 * (round + 1));
  }
  await world.clock.pass(10);
  t.equal(world.runs.length, 2);
  for (let ended = 0; ended < world.runs.length; ended++) {
    world.runs[ended]?.end();
    await world.clock.pass(10);
  }
  t.same(world.keys.toSorted(), ['a', 'b', 'c', 'd', 'e']);
  t.equal(world.runningMost, 2);
  t.equal(await world.waiting(), 0);
});

t.test('what is written during a run is kept up by the next', async (t) => {
  const world = new World();
  world.isAutomatic = false;
  world.commit('a', 100);
  await world.clock.pass(10);
  world.commit('a', 101, 200);
  world.commit('a', 201);
  await world.clock.pass(100);
  t.equal(world.runs.length, 1);
  world.runs[0]?.end();
  await world.clock.pass(70_000);
  t.equal(world.runs.length, 2);
  world.runs[1]?.end();
  await world.clock.pass(200_000);
  t.equal(world.runs.length, 2);
  t.equal(await world.waiting(), 0);
});

t.test('what fails is tried again, each time later, and told once', async (t) => {
  const world = new World();
  world.isAutomatic = false;
  world.commit('a', 100);
  const gaps: number[] = [];
  for (let attempt = 0; attempt < 14; attempt++) {
    while (world.runs.length <= attempt) await world.clock.pass(50);
    const [before, run] = [world.runs.at(-2), world.runs.at(-1)];
    if (before && run) gaps.push(run.at - before.at);
    run?.end(new Error('the store is away'));
    // Writers go on, which makes it neither sooner nor later.
    world.commit('a', 101 + attempt * 100, 200 + attempt * 100);
  }
  // A tick of 6 s may come late, and no wait is longer than 300 s.
  for (const [index, gap] of gaps.entries()) {
    const due = Math.min(1_000 * 2 ** index, 300_000);
    t.ok(gap >= due && gap <= due + 7_000, `${gap} ms after failure ${index + 1}`);
  }
  t.equal(world.reports.length, 1);
  const { values } = await world.metrics.keeperFailures.get();
  t.equal(values[0]?.value, 14);
  while (world.runs.length < 15) await world.clock.pass(1_000);
  world.runs.at(-1)?.end();
  await world.clock.pass(10);
  t.equal(await world.waiting(), 0);
});

t.test('one that fails does not hold up the others', async (t) => {
  const world = new World();
  world.isAutomatic = false;
  world.found = [{ workbookId: 'broken', branchNo: 1 }];
  await world.clock.pass(61_000);
  t.same(world.keys, ['broken']);
  for (let attempt = 0; attempt < 3; attempt++) {
    world.commit('b', attempt * 100 + 1, attempt * 100 + 100);
    await world.clock.pass(2_000);
    for (const run of world.runs) run.end(run.key === 'broken' ? new Error('damaged') : undefined);
  }
  t.equal(world.keys.filter((key) => key === 'b').length, 3);
});

t.test('a purged branch is let go of', async (t) => {
  const world = new World();
  world.isAutomatic = false;
  world.commit('a', 1);
  world.commit('b', 1);
  world.keeper.forget('b');
  await world.clock.pass(75_000);
  t.same(world.keys, ['a']);
  world.runs[0]?.end(new Failure('branchNotFound'));
  await world.clock.pass(1_000_000);
  t.same(world.keys, ['a']);
  t.equal(await world.waiting(), 0);
  t.same(world.reports, []);
});

t.test('a start goes on with what was left, and a stop ends it', async (t) => {
  const world = new World();
  world.isAutomatic = false;
  world.found = Array.from({ length: 5 }, (_, at) => ({ workbookId: `w${at}`, branchNo: 1 }));
  await world.clock.pass(60_000);
  t.equal(world.runs.length, 2, 'two at a time');
  const stopped = world.keeper.stop();
  for (const run of world.runs) run.end();
  await world.clock.pass(10);
  await stopped;
  t.equal(world.isListening, false);
  await world.clock.pass(10_000_000);
  t.equal(world.runs.length, 2, 'and no more');
});

t.test('a stop does not wait for a store that hangs', async (t) => {
  const world = new World();
  world.isAutomatic = false;
  world.commit('a', 100);
  await world.clock.pass(10);
  let hasStopped = false;
  void world.keeper.stop().then(() => (hasStopped = true));
  await world.clock.pass(1_900);
  t.equal(hasStopped, false);
  await world.clock.pass(200);
  t.equal(hasStopped, true);
});
