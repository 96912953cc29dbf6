import t from 'tap';

import { realEnvironment } from '../../../server/foundation.ts';
import { Branches } from '../../../server/branches/branches.ts';
import type {
  Append,
  BranchAddress,
  BranchRow,
  JournalStore,
  StoredSegment,
} from '../../../server/branches/journal-store.ts';
import { StateMemory, type Resident } from '../../../server/branches/memory.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { Scale } from '../../../server/state/ids/scale.ts';
import { toEnd } from '../../../server/state/plan/steps.ts';
import { weighState } from '../../../server/state/state-weight.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { memoryLoader, memoryParts } from '../../support/memory-history.ts';
import { memoryInUse } from '../../support/memory-in-use.ts';
import { MemoryJournal, quickEnvironment } from '../../support/memory-journal.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { testSeed } from '../../support/test-seed.ts';

/** Runs long: many workbooks are opened, and what they take is weighed. */

interface Block {
  readonly bytes: number;
}

/** A resident of parts that others may have too. */
class Tenant implements Resident {
  readonly workbookId: string;
  readonly parts: readonly Block[];
  isIdle: boolean;
  hasLeft = false;

  constructor(workbookId: string, parts: readonly Block[], isIdle: boolean) {
    this.workbookId = workbookId;
    this.parts = parts;
    this.isIdle = isIdle;
  }

  *weigh(scale: Scale): Generator<void, void> {
    for (const part of this.parts) {
      if (scale.isNew(part)) scale.add(part.bytes);
      yield;
    }
  }

  leave(): void {
    this.hasLeft = true;
  }
}

/** Returns the weight of the residents, counted in the plainest way. */
function plainWeight(tenants: Iterable<Tenant>): number {
  const parts = new Set<Block>();
  for (const tenant of tenants) for (const part of tenant.parts) parts.add(part);
  return [...parts].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Milliseconds in which half of a use is forgotten, and how much more a newcomer needs. */
const halfLife = 5_000;
const newcomerFactor = 2;

/** Model of the memory: the tenants that have to be inside, and when they were used. */
class Rooms {
  readonly memory: StateMemory;
  readonly inside = new Map<string, Tenant>();
  readonly #used = new Map<string, number[]>();
  readonly #newcomers = new Set<string>();
  #now = 0;
  readonly #bytesMost: number;
  readonly #random: SeededRandom;
  readonly #shared = new Map<string, Block[]>();

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#bytesMost = random.between(10, 400);
    const environment = { after: () => () => undefined, elapsed: () => this.#now };
    this.memory = new StateMemory({ bytesMost: this.#bytesMost, environment });
  }

  step(): void {
    this.#now += this.#random.between(0, 3_000);
    const key = `k${this.#random.between(0, 25)}`;
    const known = this.inside.get(key);
    const action = known ? this.#random.between(0, 5) : 5;
    if (known && action === 3) {
      known.isIdle = !known.isIdle;
      return;
    }
    if (action === 0) {
      this.inside.delete(key);
      this.#used.delete(key);
      this.memory.remove(key);
      return;
    }
    this.#used.set(key, [...(this.#used.get(key) ?? []), this.#now]);
    if (known && action < 3) this.memory.touch(key);
    else this.#enter(key);
  }

  #worth(key: string): number {
    const uses = this.#used.get(key) ?? [];
    const sum = uses.reduce((all, at) => all + 2 ** (-(this.#now - at) / halfLife), 0);
    return this.#newcomers.has(key) ? sum : sum * newcomerFactor;
  }

  #enter(key: string): void {
    const random = this.#random;
    const workbookId = `wb_${Number(key.slice(1)) % 4}`;
    const pool = this.#shared.get(workbookId) ?? [{ bytes: 30 }, { bytes: 7 }, { bytes: 1 }];
    this.#shared.set(workbookId, pool);
    const parts = [...pool.slice(random.between(0, 2)), { bytes: random.between(1, 60) }];
    const tenant = new Tenant(workbookId, parts, random.between(0, 4) > 0);
    this.memory.enter(key, tenant);
    this.inside.set(key, tenant);
    this.#newcomers.add(key);
  }

  /** Makes room, and answers what is wrong with what stayed and what left. */
  weigh(): string[] {
    const before = [...this.inside];
    this.memory.weigh();
    const faults: string[] = [];
    for (const [key, { hasLeft, isIdle }] of before) {
      if (hasLeft) this.inside.delete(key);
      if (hasLeft && !isIdle) faults.push('one in use had to leave');
    }
    const worthOf = (chosen: [string, Tenant][]) => chosen.map(([key]) => this.#worth(key));
    const mostLeaving = Math.max(...worthOf(before.filter(([, one]) => one.hasLeft)));
    const idle = before.filter(([, one]) => !one.hasLeft && one.isIdle);
    const leastStaying = Math.min(...worthOf(idle));
    if (mostLeaving > leastStaying * 1.000_001) faults.push('the wrong one left');
    this.#newcomers.clear();
    const weight = plainWeight(this.inside.values());
    if (this.memory.bytes !== weight) faults.push(`${this.memory.bytes} instead of ${weight}`);
    const canLeave = this.inside.size > 1 && [...this.inside.values()].some((one) => one.isIdle);
    if (weight > this.#bytesMost && canLeave) faults.push('room could be made');
    const hadToLeave = before.some(([, one]) => one.hasLeft);
    if (hadToLeave && plainWeight(before.map(([, one]) => one)) <= this.#bytesMost) {
      faults.push('there was room');
    }
    return faults;
  }
}

t.test('those used least of late leave until the rest has room, and the busy stay', async (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const random = new SeededRandom(seed);
  for (let round = 0; round < 300; round++) {
    const rooms = new Rooms(random);
    const faults: string[] = [];
    for (let step = 0; step < 60; step++) {
      rooms.step();
      faults.push(...rooms.weigh());
    }
    t.same(faults, [], `round ${round}`);
    t.equal(rooms.memory.residentCount, rooms.inside.size);
  }
});

const addSheet: Operation = { kind: 'sheet.add', payload: { name: 'S' } };

function set(a1: string, input: string | number): Operation {
  return { kind: 'cells.set', payload: { sheet: 'S', cells: [{ a1, input }] } };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

t.test('after many workbooks were opened no more is kept than there is room for', async (t) => {
  const environment = quickEnvironment();
  const store = new MemoryJournal();
  const bytesMost = 400_000;
  const loader = memoryLoader(store, { formulas: new FormulaDouble(), environment, bytesMost });
  const report = (): void => undefined;
  const branches = new Branches({ store, loader, environment, report, ...memoryParts() });
  const submit = (workbookId: string, ...ops: Operation[]) => {
    const request = { principalId: 'agt_1', writer: 'w', ops, byteCount: 100 };
    return branches.submit({ workbookId, branchNo: 1 }, request);
  };
  await submit(
    'wb_first',
    addSheet,
    ...Array.from({ length: 60 }, (_, at) => set(`A${at + 1}`, at)),
  );
  const states = new Set<string>();
  for (let count = 0; count < 600; count++) {
    const address = { workbookId: `wb_${count}`, branchNo: 1 };
    states.add((await branches.summary(address)).stateHash);
    if (count % 3 === 0) await branches.summary(address, 5 + (count % 50));
  }
  t.equal(states.size, 1);
  await settle();
  const { memory } = loader;
  t.ok(memory.bytes <= bytesMost, `${memory.bytes} bytes`);
  t.ok(memory.departureCount > 600);
  t.ok(branches.liveCount > 2, 'as many stay as there is room for');
  t.ok(branches.liveCount < 60, `${branches.liveCount} branches`);
  t.equal(memory.residentCount, branches.liveCount + loader.positionCount);
  t.equal((await submit('wb_3', set('B1', 'still works'))).head, 62);

  for (let count = 0; count < 600; count++) branches.forget(`wb_${count}`);
  branches.forget('wb_first');
  await settle();
  t.equal(branches.liveCount, 0);
  t.equal(loader.positionCount, 0);
  t.equal(memory.residentCount, 0);
  t.equal(memory.bytes, 0, 'what is gone weighs nothing');
});

for (const [what, usesOfBusy] of [
  ['used in turn', 1],
  ['of which one is used more', 3],
] as const) {
  t.test(`of two branches too large together, ${what}, one stays`, async (t) => {
    const environment = quickEnvironment();
    const store = new ManyJournals();
    const loader = memoryLoader(store, {
      formulas: new FormulaDouble(),
      environment,
      bytesMost: 400_000,
    });
    const report = (): void => undefined;
    const branches = new Branches({ store, loader, environment, report, ...memoryParts() });
    const submit = async (workbookId: string, ...ops: Operation[]): Promise<void> => {
      const request = { principalId: 'agt_1', writer: 'w', ops, byteCount: 100 };
      await branches.submit({ workbookId, branchNo: 1 }, request);
      loader.memory.weigh();
      t.ok(loader.memory.bytes <= 400_000, `${loader.memory.bytes} bytes`);
    };
    const fill = { sheet: 'S', range: 'A1:A30000', input: 7 };
    for (const id of ['wb_busy', 'wb_guest']) {
      await submit(id, addSheet, { kind: 'range.fill', payload: fill });
    }
    for (let round = 0; round < 20; round++) {
      for (let use = 0; use < usesOfBusy; use++) await submit('wb_busy', set('B1', round));
      await submit('wb_guest', set('B1', round));
    }
    // A branch that never leaves is never read.
    const reads = [0, ...store.reads.values()].sort((a, b) => a - b).slice(-2);
    t.ok((reads[0] ?? 0) < 5 && (reads[1] ?? 0) >= 15, `read ${reads.join(' and ')} times`);
    if (usesOfBusy > 1) t.ok((store.reads.get('wb_busy') ?? 0) < 5, 'the busy one stays');
  });
}

t.test('branches of one workbook weigh little more than one', async (t) => {
  const environment = quickEnvironment();
  const store = new MemoryJournal();
  const loader = memoryLoader(store, { formulas: new FormulaDouble(), environment });
  const branches = new Branches({
    store,
    loader,
    environment,
    report: () => undefined,
    ...memoryParts(),
  });
  const address = { workbookId: 'wb_1', branchNo: 1 };
  const fill: Operation = {
    kind: 'range.fill',
    payload: { sheet: 'S', range: 'A1:Z5000', input: 7 },
  };
  const request = { principalId: 'a', writer: 'w', ops: [addSheet, fill], byteCount: 100 };
  await branches.submit(address, request);
  const state = await branches.stateAt(address);
  const alone = new Scale();
  toEnd(weighState(state, alone));
  const all = new Scale();
  for (let count = 0; count < 100; count++) toEnd(weighState(state.branchOff(count + 2), all));
  t.ok(all.bytes < alone.bytes * 1.5, `${all.bytes} for a hundred, ${alone.bytes} for one`);
  t.ok(alone.bytes > 26 * 5_000 * 9, 'every cell counts');
});

t.test('a weight is what the heap says, about', async (t) => {
  const makers: [what: string, count: number, ops: (at: number) => Operation[]][] = [
    ['empty workbooks', 400, () => [addSheet]],
    ['rows of numbers', 60, (at) => [addSheet, ...many(800, (row) => set(`B${row}`, row + at))]],
    [
      'texts',
      60,
      (at) => [addSheet, ...many(400, (row) => set(`A${row}`, `text ${at} of ${row}`))],
    ],
    [
      'large columns',
      12,
      (at) => [
        addSheet,
        { kind: 'range.fill', payload: { sheet: 'S', range: 'A1:D40000', input: at } },
      ],
    ],
  ];
  for (const [what, count, ops] of makers) {
    const store = new ManyJournals();
    const environment = { ...quickEnvironment(), elapsed: () => realEnvironment.elapsed() };
    const loader = memoryLoader(store, { formulas: new FormulaDouble(), environment });
    const report = (): void => undefined;
    const branches = new Branches({ store, loader, environment, report, ...memoryParts() });
    const open = async (at: number): Promise<void> => {
      const request = { principalId: 'a', writer: 'w', ops: ops(at), byteCount: 100 };
      await branches.submit({ workbookId: `wb_${at}`, branchNo: 1 }, request);
    };
    await open(-1);
    await settle();
    store.journals.clear();
    loader.memory.weigh();
    const before = { bytes: await memoryInUse(), weight: loader.memory.bytes };
    for (let at = 0; at < count; at++) await open(at);
    await settle();
    // The journal of the double is no part of what is weighed.
    store.journals.clear();
    loader.memory.weigh();
    const taken = (await memoryInUse()) - before.bytes;
    const ratio = (loader.memory.bytes - before.weight) / taken;
    t.comment(`${what}: ${Math.round(taken / count)} bytes each, ${ratio.toFixed(2)} weighed`);
    t.ok(ratio > 0.6 && ratio < 2, `${what}: ${ratio.toFixed(2)} of what they take`);
    t.equal(branches.liveCount, count + 1);
  }
});

/** A journal in memory for each workbook. */
class ManyJournals implements JournalStore {
  readonly isStuck = false;
  readonly journals = new Map<string, MemoryJournal>();
  /** How often each was read from its beginning. */
  readonly reads = new Map<string, number>();

  append(append: Append): Promise<boolean> {
    return this.#of(append.workbookId).append(append);
  }

  branch(address: BranchAddress): Promise<BranchRow | undefined> {
    return this.#of(address.workbookId).branch(address);
  }

  branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined> {
    return this.#of(workbookId).branchNamed(workbookId, name);
  }

  segments(address: BranchAddress, after: number): Promise<StoredSegment[]> {
    const { workbookId } = address;
    if (after === 0) this.reads.set(workbookId, (this.reads.get(workbookId) ?? 0) + 1);
    return this.#of(workbookId).segments(address, after);
  }

  confirm(): Promise<void> {
    return Promise.resolve();
  }

  #of(workbookId: string): MemoryJournal {
    const journal = this.journals.get(workbookId) ?? new MemoryJournal();
    this.journals.set(workbookId, journal);
    return journal;
  }
}

function many(count: number, make: (row: number) => Operation): Operation[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}
