import t from 'tap';

import type { MergeDriver, MergeOutcome } from '../support/merge-driver.ts';
import { all, kinds, op, play, set, type Edit } from '../support/merge-play.ts';
import { NodeStore } from '../support/node-store.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

// Rows and columns that both sides put elsewhere. Sheet One has numbers in A1:C20.

const random = new SeededRandom(testSeed);

function both(driver: MergeDriver): [MergeOutcome, MergeOutcome] {
  return [driver.merge(), driver.mirror()];
}

function orderOf({ driver }: MergeOutcome, rows = 50): unknown[] {
  return driver.rows(`A1:B${rows}`);
}

function ids({ conflicts }: MergeOutcome): string[] {
  return conflicts.map(({ id }) => id).toSorted();
}

const move = (from: number, count: number, before: number) =>
  op('rows.move', { sheet: 'One', from, count, before });
const moveColumn = (from: string, before: string) =>
  op('cols.move', { sheet: 'One', from, before });
const sort = (range: string, column: string, desc = false) =>
  op('range.sort', { sheet: 'One', range, keys: [{ col: column, desc }] });

t.test('two orders of the same rows are one conflict, whatever their number', async (t) => {
  for (let count = 2; count <= 50; count++) {
    const inputs = Array.from({ length: count }, () => [random.next(), random.next()]);
    const base = op('range.set', { sheet: 'One', range: `A1:B${count}`, inputs });
    const range = `1:${count}`;
    const driver = play({ base, ours: sort(range, 'A'), theirs: sort(range, 'B') });
    const [mine, yours] = [driver.ours, driver.theirs].map((side) => side.rows('A1:B50'));
    if (String(mine) === String(yours)) continue;
    for (const [outcome, ours, theirs] of [
      [driver.merge(), mine, yours],
      [driver.mirror(), yours, mine],
    ] as const) {
      const isOne = String(ours) === String(driver.base.rows('A1:B50'));
      const isOther = String(theirs) === String(driver.base.rows('A1:B50'));
      t.strictSame(kinds(outcome), isOne || isOther ? [] : ['sort.order'], `${count} rows`);
      if (!isOne && !isOther) t.strictSame(orderOf(outcome), ours, 'as one side sorted them');
    }
    const taken = driver.merge({ otherwise: 'theirs' });
    if (kinds(taken).length > 0) t.strictSame(orderOf(taken), yours, 'as the other one did');
    t.strictSame(ids(driver.merge()), ids(driver.mirror()));
  }
});

const cases: Readonly<Record<string, { ours: Edit; theirs: Edit; kinds: string[] }>> = {
  'a block of rows and one of its rows': {
    ours: move(9, 2, 7),
    theirs: move(8, 1, 7),
    kinds: [],
  },
  'one column to two places': {
    ours: moveColumn('D', 'F'),
    theirs: moveColumn('D', 'A'),
    kinds: ['col.order'],
  },
  'rows that the other side sorts': {
    ours: move(3, 2, 9),
    theirs: sort('2:8', 'A', true),
    kinds: ['row.order', 'row.order'],
  },
  'the same rows to the same place': { ours: move(2, 3, 10), theirs: move(2, 3, 10), kinds: [] },
  'the same rows to two places': {
    ours: move(2, 3, 10),
    theirs: move(2, 3, 15),
    kinds: ['row.order'],
  },
  'overlapping blocks': {
    ours: move(2, 3, 10),
    theirs: move(3, 3, 15),
    kinds: ['row.order'],
  },
  'rows that went and came back': {
    ours: (driver) => {
      move(2, 1, 10)(driver);
      move(9, 1, 2)(driver);
    },
    theirs: move(2, 1, 15),
    kinds: [],
  },
};

for (const [name, { ours, theirs, kinds: expected }] of Object.entries(cases)) {
  t.test(`${name}: the same from both directions`, async (t) => {
    const driver = play({ ours, theirs });
    const [outcome, mirrored] = both(driver);
    t.strictSame(kinds(outcome), expected);
    t.strictSame(ids(mirrored), ids(outcome));
    const other = driver.mirror({ otherwise: 'theirs' });
    t.strictSame(other.driver.rows('A1:H20'), outcome.driver.rows('A1:H20'), 'ours wins');
    const taken = driver.merge({ otherwise: 'theirs' });
    t.strictSame(mirrored.driver.rows('A1:H20'), taken.driver.rows('A1:H20'), 'theirs wins');
  });
}

/** Merges as it is, and from what was stored. */
function twice(driver: MergeDriver): [MergeOutcome, MergeOutcome] {
  const store = new NodeStore();
  const { coding } = driver.base.state;
  const again = driver.mergeAgain((state) => store.load(store.save(state), coding, state.branchNo));
  return [driver.merge(), again];
}

t.test('what is written does not tell how the states came into memory', async (t) => {
  const column = op('range.fill', { sheet: 'One', range: 'A1:D1', input: '=SUM(A2:B6)' });
  const histories = [
    // Columns that were written to again stand behind the others.
    { ours: column, theirs: op('range.sort', { sheet: 'One', range: '1:2', order: [2, 1] }) },
    // A row between the ends of a range is the last one by now.
    {
      ours: op('rows.delete', { sheet: 'One', from: 6, count: 1 }),
      theirs: all(
        op('rows.insert', { sheet: 'One', before: 8, count: 1 }),
        set('E8', '=SUM(A2:B6)'),
      ),
    },
    // A formula that is written again names no sheet that is new.
    {
      base: all(op('sheet.add', { name: 'Two' }), set('E1', '=Two!A1')),
      ours: all(),
      theirs: all(op('sheet.add', { name: 'Three' }), set('E1', '=Two!A1')),
    },
  ];
  for (const history of histories) {
    const [one, other] = twice(play(history));
    t.strictSame(other.parts, one.parts);
  }
});

t.test('a range that a sort left as it was is written once', async (t) => {
  const sorted = op('range.sort', { sheet: 'One', range: '4:6', order: [6, 5, 4] });
  const driver = play({ base: set('E1', '=SUM(A3:B5)'), ours: set('F9', 1), theirs: sorted });
  for (const outcome of twice(driver)) {
    t.equal(outcome.driver.read('E1'), '=SUM(A3:B5)');
    t.strictSame(
      outcome.parts.map(({ kind }) => kind),
      ['rows.move', 'rows.move', 'restore.formulas'],
    );
  }
});
