import t from 'tap';

import { KeptPositions } from '../../../server/branches/kept-positions.ts';
import { WorkbookContents, type WorkbookContent } from '../../../server/history/content.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { OwnScale, Scale } from '../../../server/state/ids/scale.ts';
import { toEnd } from '../../../server/state/plan/steps.ts';
import { weighState } from '../../../server/state/state-weight.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { NodeStore } from '../../support/node-store.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { StateDriver } from '../../support/state-driver.ts';
import { testSeed } from '../../support/test-seed.ts';

const rowCount = 6_000;
const packBytes = 300_000;

/** As a pack does, it takes room for as long as somebody may read from it. */
class HeavyStore extends NodeStore {
  override weigh(scale?: Scale): void {
    if (scale?.isNew(this) === true) scale.add(packBytes);
  }
}

/** A branch that goes on, and what was kept of it. */
class Branch {
  readonly positions = new KeptPositions();
  /** The same, kept in the plainest way. */
  readonly kept = new Map<number, BranchState>();
  readonly #content: WorkbookContent;
  readonly #random: SeededRandom;
  readonly #driver = new StateDriver();

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#content = new WorkbookContents(new FormulaDouble()).of('wb');
    this.#apply('sheet.add', { name: 'S' });
    this.#apply('range.fill', { sheet: 'S', range: `A1:D${rowCount}`, input: 1 });
    this.#apply('range.fill', { sheet: 'S', range: `E1:E${rowCount}`, input: '=A1+1' });
    this.restart();
  }

  /** Goes on with what was stored. */
  restart(): void {
    const store = new HeavyStore();
    this.#driver.take(store.load(store.save(this.#driver.state), this.#content.coding));
  }

  write(count: number): void {
    for (let index = 0; index < count; index++) {
      const row = this.#random.between(1, rowCount);
      const input = this.#random.between(2, 1_000);
      if (index % 9 === 0) this.#apply('rows.insert', { sheet: 'S', before: row });
      else this.#apply('cells.set', { sheet: 'S', cells: [{ a1: `B${row}`, input }] });
    }
  }

  /** As the loader and the sequencer do. */
  keep({ isPassing = false } = {}): void {
    const state = this.#driver.state.still();
    if (this.kept.has(state.head)) return;
    this.kept.set(state.head, state);
    const hash = Buffer.alloc(32);
    const start = { state, content: this.#content, hash, packs: [] };
    const passed = this.positions.add(start, { isPassing });
    if (passed === undefined) return;
    this.positions.drop(passed);
    this.kept.delete(passed);
  }

  read(): void {
    const most = this.#random.between(0, this.#driver.state.head);
    const found = this.positions.nearest(most);
    const plain = [...this.kept.keys()].filter((seq) => seq <= most).sort((a, b) => b - a)[0];
    if (found?.state.head !== plain) throw new Error(`${found?.state.head} instead of ${plain}`);
    const sheet = found?.state.structure.sheets[0];
    if (!found || !sheet) return;
    const row = this.#random.between(0, rowCount - 1);
    for (let column = 0; column < 5; column++) found.state.inputAt(sheet, row, column);
  }

  dropFirst(): void {
    const seq = Math.min(...this.kept.keys());
    this.positions.drop(seq);
    this.kept.delete(seq);
  }

  drop(): void {
    const seqs = [...this.kept.keys()];
    const seq = seqs[this.#random.between(0, seqs.length - 1)];
    if (seq === undefined) return;
    this.positions.drop(seq);
    this.kept.delete(seq);
  }

  step(): void {
    const action = this.#random.between(0, 9);
    if (action < 4) {
      this.write(this.#random.between(1, 60));
      this.keep({ isPassing: this.#random.next() < 0.5 });
    } else if (action < 5) this.restart();
    else if (action < 6) this.drop();
    else for (let count = this.#random.between(1, 30); count > 0; count--) this.read();
  }

  /** Weight in bytes of all positions, once each that had to be was weighed. */
  get weight(): number {
    const seqs = this.positions.seqs();
    for (let turn = 0; ; turn++) {
      const scale = new Scale();
      let isDone = true;
      for (const seq of seqs) if (toEnd(this.positions.weigh(seq, scale))) isDone = false;
      // The branch itself reads blocks too, which nobody tells the positions of.
      if (isDone && turn > seqs.length) return scale.bytes;
    }
  }

  /** All of them on one scale. */
  get plainWeight(): number {
    const scale = new Scale();
    for (const state of this.kept.values()) toEnd(weighState(state, scale));
    if (this.kept.size > 0) scale.add(this.#content.byteCount);
    return scale.bytes;
  }

  #apply(kind: string, payload: object): void {
    this.#driver.apply(kind, payload);
  }
}

t.test('positions weigh together what all of them hold', (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const random = new SeededRandom(seed);
  for (let round = 0; round < 4; round++) {
    const branch = new Branch(random);
    for (let step = 0; step < 80; step++) {
      branch.step();
      const { weight, plainWeight } = branch;
      const isSo = Math.abs(weight - plainWeight) <= plainWeight * 0.01;
      if (!isSo) t.fail(`step ${round}.${step}: ${weight} instead of ${plainWeight}`);
    }
    t.equal(branch.positions.count, branch.kept.size);
    t.same(
      branch.positions.seqs(),
      [...branch.kept.keys()].sort((a, b) => a - b),
    );
    while (branch.kept.size > 0) branch.drop();
    t.equal(branch.weight, 0);
  }
  t.end();
});

t.test('what was read leaves with the position it was read for', (t) => {
  const branch = new Branch(new SeededRandom(5));
  branch.write(20);
  branch.keep();
  branch.restart();
  branch.write(20);
  branch.keep();
  const before = branch.weight;
  // Not all of it: what was read as a whole needs its pack no longer.
  for (let count = 0; count < 32; count++) branch.read();
  t.ok(branch.weight > before + 100_000, 'what is read counts at once');
  branch.dropFirst();
  t.equal(branch.weight, branch.plainWeight);
  t.end();
});

t.test('a scale of one thing leaves what is shared to another', (t) => {
  const [scale, own] = [new Scale(), new OwnScale()];
  const store = new HeavyStore();
  own.share(store);
  own.share(store);
  t.equal(own.bytes, 0);
  t.same([...own.shared], [store]);
  for (const thing of own.shared) scale.share(thing);
  scale.share(store);
  t.equal(scale.bytes, packBytes);
  t.end();
});

t.test('readers of a busy head leave few positions, and those asked for again stay', (t) => {
  const positions = new KeptPositions();
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  const content = new WorkbookContents(new FormulaDouble()).of('wb');
  const again = 44;
  while (driver.state.head < 600) {
    driver.apply('cells.set', { sheet: 'S', cells: [{ a1: 'A1', input: driver.state.head }] });
    const state = driver.state.still();
    const start = { state, content, hash: Buffer.alloc(32), packs: [] };
    const passed = positions.add(start, { isPassing: true });
    if (passed !== undefined) positions.drop(passed);
    if (state.head === again) positions.nearest(again);
  }
  const seqs = positions.seqs();
  t.ok(seqs.length < 25, `${seqs.length} of 600 are left`);
  t.ok(seqs.includes(again));
  t.ok(
    seqs.every((seq, at) => seq - (seqs[at - 1] ?? 0) <= 32),
    'and none is far from the one before',
  );
  t.end();
});
