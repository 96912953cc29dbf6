import t from 'tap';

import type { Mutation } from '../../../server/model/mutation.ts';
import { Model } from '../../../server/values/model.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import { kernelPool } from '../../support/kernel-pool.ts';

/** The thread that serves does little of the kernel's work, however small the edit is that asks. */

const address = { workbookId: 'wb_1', branchNo: 1 };
/** Steps of fuel and of marking that may be done on the serving thread for one edit and its values. */
const stepsMost = 100_000;

class Book {
  readonly pool = kernelPool();
  /** Model whose work counts as light by steps alone: no time passes on the serving thread. */
  readonly model = new Model(address, 'a', {
    pool: this.pool,
    environment: realEnvironment,
    stopwatch: () => 0,
  });
  #seq = 0;

  /** Makes a change and evaluates it; answers the tasks of the pool that this took. */
  async change(mutations: readonly Mutation[], isWatched = false): Promise<readonly string[]> {
    const firstSeq = ++this.#seq;
    if (firstSeq === 1) this.model.loaded();
    this.model.push({ firstSeq, lastSeq: firstSeq, at: 0, mutations, isWatched });
    const before = this.pool.tasks.length;
    await this.model.use({ evaluate: true }, ({ kernel }) => {
      const { steps } = kernel.statistics();
      const isHere = this.pool.tasks.length === before;
      if (isHere && steps > stepsMost) throw new Error(`${steps} steps on the serving thread`);
    });
    return this.pool.tasks.slice(before);
  }

  set(row: number, column: number, input: number): Promise<readonly string[]> {
    return this.change([{ kind: 'cell', sheet: 1, row, column, input }]);
  }
}

const addSheet: Mutation = { kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 };

function formulaAt(row: number, column: number, formula: string): Mutation {
  return { kind: 'cell', sheet: 1, row, column, input: { formula } };
}

/** A task that has worked for long enough goes on in another one, how many depends on the machine. */
function kindsOf(tasks: readonly string[]): string[] {
  return [...new Set(tasks)].sort();
}

t.test('an edit that makes a light cell heavy is calculated in the pool', async (t) => {
  const book = new Book();
  const cells = [formulaAt(0, 1, '=SUM(SORT(SEQUENCE(A1)))'), formulaAt(1, 1, '=A1+1')];
  await book.change([addSheet, { kind: 'cell', sheet: 1, row: 0, column: 0, input: 1 }, ...cells]);
  t.same(await book.set(0, 0, 2), [], 'light, it is done here');
  t.same(kindsOf(await book.set(0, 0, 1_000_000)), ['recalculate']);
  await book.set(0, 0, 1);
  t.same(await book.set(0, 0, 3), [], 'light again');
});

t.test('an edit that many formulas read is marked in the pool', async (t) => {
  const book = new Book();
  const inputs = Array.from({ length: 60_000 }, (_, row) => ({
    formula: `=$A$1+${'1+'.repeat(row % 89)}${row % 2 ? 'C' : 'D'}${row + 1}`,
  }));
  await book.change([addSheet, { kind: 'column', sheet: 1, row: 0, column: 1, inputs }]);
  t.ok((await book.set(0, 0, 7)).length > 0);
  t.same(await book.set(9, 4, 7), [], 'one that nobody reads');
});

t.test('lines that move take their cells along in the pool, when those are many', async (t) => {
  const book = new Book();
  const inputs = Array.from({ length: 200_000 }, (_, row) => row);
  await book.change([addSheet, { kind: 'column', sheet: 1, row: 0, column: 1, inputs }]);
  const insert: Mutation = { kind: 'insert', sheet: 1, axis: 'row', from: 3, count: 1 };
  t.same(kindsOf(await book.change([insert])), ['recalculate']);
  const few = new Book();
  await few.change([addSheet]);
  await few.set(5, 5, 1);
  t.same(await few.change([insert]), []);
});

t.test('long texts and formulas are taken in by the pool', async (t) => {
  const long = `=${'A1+'.repeat(2_000)}1`;
  for (const input of ['x'.repeat(32_767), { formula: long }]) {
    const book = new Book();
    await book.change([addSheet]);
    const column = (count: number): Mutation => {
      return { kind: 'column', sheet: 1, row: 0, column: 1, inputs: Array(count).fill(input) };
    };
    t.ok((await book.change([column(60)])).length > 0);
  }
});

t.test('what an edit changed in a large workbook is looked for in the pool', async (t) => {
  const book = new Book();
  const inputs = Array.from({ length: 30_000 }, (_, row) => ({ formula: `=$A$1+${row}` }));
  await book.change([addSheet, { kind: 'column', sheet: 1, row: 0, column: 1, inputs }]);
  const edit: Mutation = { kind: 'cell', sheet: 1, row: 0, column: 0, input: 4 };
  const tasks = await book.change([edit], true);
  t.same(kindsOf(tasks), ['recalculate', 'watchModel']);
  const changes = book.model.takeChanges(2);
  t.equal(changes?.total, 30_000);
  t.same(changes?.cells[1], { sheet: 'S', a1: 'B2', before: 1, after: 5 });
});
