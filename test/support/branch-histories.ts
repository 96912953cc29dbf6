import type { SeededRandom } from './seeded-random.ts';

// Random histories of several branches that are merged into one another, some in both directions
// at once, some taken back and merged again.

export type Winner = 'ours' | 'theirs';

/** A kind of operation and its payload. */
export type Written = readonly [kind: string, payload: object];

export type HistoryStep =
  | { readonly fork: string; readonly from: string }
  | { readonly on: string; readonly operations: readonly Written[] }
  | { readonly undoOn: string }
  /** Two merges of a pair, in both directions, before either sees the other. */
  | { readonly crossed: readonly [string, string]; readonly winner: Winner }
  | MergeStep;

export interface MergeStep {
  readonly source: string;
  readonly target: string;
  readonly winner: Winner;
  readonly isSquashed: boolean;
  /** True to take the merge back, and that back again. */
  readonly isReverted: boolean;
  /** True for those at the end, after which the target is the source. */
  readonly isLast: boolean;
}

export interface BranchHistory {
  readonly base: readonly Written[];
  readonly steps: readonly HistoryStep[];
}

const sheet = 'Sheet1';
const letters = 'ABCDEFGH';

/** Makes one operation; each value that it writes is a new one. */
type Maker = (random: SeededRandom, nextValue: () => number) => Written;

function pick<Item>(random: SeededRandom, list: readonly Item[]): Item {
  const found = list[random.between(0, list.length - 1)];
  if (found === undefined) throw new Error('the list is empty');
  return found;
}

function cell(random: SeededRandom, columnCount = 5): string {
  return `${letters[random.between(0, columnCount - 1)]}${random.between(1, 10)}`;
}

function list<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}

function move(random: SeededRandom, kind: 'rows.move' | 'cols.move', last: number): Written {
  const [from, count] = [random.between(1, last - 1), kind === 'rows.move' ? 2 : 1];
  const places = Array.from({ length: last + 2 }, (_, at) => at + 1);
  const before = pick(
    random,
    places.filter((place) => place < from || place > from + count),
  );
  return [kind, { sheet, from, count, before }];
}

function shift(random: SeededRandom): Written {
  const [column, row] = [random.between(0, 3), random.between(1, 8)];
  const end = `${letters[column + random.between(0, 1)]}${row + random.between(0, 1)}`;
  const range = `${letters[column]}${row}:${end}`;
  const isAcross = random.between(0, 3) === 0;
  return random.between(0, 1) === 0
    ? ['range.insert', { sheet, range, shift: isAcross ? 'right' : 'down' }]
    : ['range.delete', { sheet, range, shift: isAcross ? 'left' : 'up' }];
}

function cut(random: SeededRandom): Written {
  const [column, row] = [random.between(0, 3), random.between(1, 8)];
  const end = `${letters[column + random.between(0, 1)]}${row + random.between(0, 2)}`;
  const to = pick(random, ['G1', 'H4', 'B12', 'A14', 'C3', 'G7']);
  return ['range.move', { sheet, source: `${letters[column]}${row}:${end}`, to }];
}

function rows(random: SeededRandom, column: string): string {
  return `${column}${random.between(1, 5)}:${column}${random.between(5, 9)}`;
}

const key = (random: SeededRandom) => `k${random.between(1, 6)}`;

const makers: Readonly<Record<string, Maker>> = {
  cells: (random, nextValue) => [
    'cells.set',
    {
      sheet,
      cells: list(random.between(1, 3), () => ({ a1: cell(random), input: nextValue() })),
    },
  ],
  cleared: (random) => ['range.clear', { sheet, range: cell(random), what: ['values'] }],
  rowsInserted: (random) => [
    'rows.insert',
    { sheet, before: random.between(1, 10), count: random.between(1, 2) },
  ],
  rowsDeleted: (random) => [
    'rows.delete',
    { sheet, from: random.between(1, 10), count: random.between(1, 2) },
  ],
  rowsMoved: (random) => move(random, 'rows.move', 10),
  columnsInserted: (random) => ['cols.insert', { sheet, before: random.between(1, 5), count: 1 }],
  columnsDeleted: (random) => ['cols.delete', { sheet, from: random.between(1, 5), count: 1 }],
  columnsMoved: (random) => move(random, 'cols.move', 5),
  sorted: (random) => {
    const first = random.between(1, 6);
    const keys = [{ col: pick(random, ['A', 'B', 'C']), desc: random.between(0, 1) === 1 }];
    return ['range.sort', { sheet, range: `${first}:${first + random.between(2, 4)}`, keys }];
  },
  cut,
  shift,
  note: (random, nextValue) => [
    'note.set',
    { sheet, a1: cell(random, 4), text: `n${nextValue()}` },
  ],
  comment: (random, nextValue) => [
    'comment.add',
    { sheet, a1: cell(random, 4), text: `t${nextValue()}` },
  ],
  format: (random) => [
    'format.set',
    {
      sheet,
      range: `A${random.between(1, 6)}:C${random.between(3, 9)}`,
      style: pick(random, [{ bold: true }, { italic: true }, { fill: '#FF0000' }, { bold: null }]),
    },
  ],
  name: (random) => [
    'name.set',
    {
      name: pick(random, ['one', 'two', 'three']),
      ref: `${sheet}!$A$${random.between(1, 5)}:$B$${random.between(5, 9)}`,
    },
  ],
  formula: (random) => [
    'cells.set',
    {
      sheet,
      cells: [
        {
          a1: `F${random.between(1, 10)}`,
          input: pick(random, ['=SUM(A1:A6)', '=B2*2', '=SUM(A:A)', '=C4&"x"', '=SUM(B3:C8)']),
        },
      ],
    },
  ],
  validation: (random) => [
    'validation.set',
    {
      id: pick(random, ['v1', 'v2']),
      sheet,
      ranges: [rows(random, 'A')],
      onInvalid: 'warn',
      rule: { type: 'custom', formula1: `=A1<>${random.between(1, 9)}` },
    },
  ],
  conditionalFormat: (random) => [
    'cf.set',
    {
      id: pick(random, ['c1', 'c2']),
      sheet,
      ranges: [rows(random, 'B')],
      rule: { type: 'expression', formula1: `=B1>${random.between(1, 9)}` },
      style: { bold: true },
    },
  ],
  upsert: (random, nextValue) => [
    'rows.upsert',
    {
      table: 'T',
      rows: list(random.between(1, 2), () => ({ k: key(random), v: nextValue(), w: nextValue() })),
    },
  ],
  keysDeleted: (random) => ['rows.delete', { table: 'T', keys: [key(random)] }],
  tableColumn: (random) =>
    pick(random, [
      ['table.column.add', { table: 'T', column: 'x' }],
      ['table.column.rename', { table: 'T', column: 'v', name: 'vv' }],
      ['table.column.drop', { table: 'T', column: 'x' }],
    ]),
  tableRow: (random) => ['rows.insert', { sheet: 'Tab', before: random.between(2, 5), count: 1 }],
};

const numbers = Array.from({ length: 10 }, (_, row) =>
  [1, 2, 3, 4].map((at) => (row + 1) * 10 + at),
);
const base: readonly Written[] = [
  ['range.set', { sheet, range: 'A1:D10', inputs: numbers }],
  ['cells.set', { sheet, cells: [{ a1: 'E1', input: '=SUM(A1:A6)' }] }],
  ['cells.set', { sheet, cells: [{ a1: 'E9', input: '=SUM(B3:C8)' }] }],
  ['sheet.add', { name: 'Tab' }],
  [
    'table.create',
    {
      name: 'T',
      keyColumn: 'k',
      schema: { columns: [{ name: 'k' }, { name: 'v' }, { name: 'w' }] },
      sheetRange: 'Tab!A1:C2',
    },
  ],
  [
    'rows.upsert',
    { table: 'T', rows: [1, 2, 3, 4].map((at) => ({ k: `k${at}`, v: 500 + at, w: 600 + at })) },
  ],
];

/**
 * Makes a history of three or four branches with a few kinds of operations, at whose end all is
 * merged into main and main into all.
 */
export function branchHistory(random: SeededRandom): BranchHistory {
  const kinds = kindsOf(random);
  let value = 1000;
  const nextValue = () => ++value;
  const branches = ['main'];
  const forkCount = random.between(2, 3);
  const steps: HistoryStep[] = [];
  const operations = () =>
    list(random.between(1, 3), () => {
      const make = makers[pick(random, kinds)];
      if (!make) throw new Error('there is no such kind');
      return make(random, nextValue);
    });
  for (let left = random.between(8, 16); left > 0; left--) {
    const isFork = branches.length === 1 || random.between(0, 4) === 0;
    if (isFork && branches.length <= forkCount) {
      const fork = `b${branches.length}`;
      steps.push({ fork, from: pick(random, branches) });
      branches.push(fork);
    } else if (random.between(0, 9) < 6) {
      steps.push({ on: pick(random, branches), operations: operations() });
    } else steps.push(meeting(random, branches));
  }
  return { base, steps: [...steps, ...atLast(random, branches)] };
}

/** A few kinds, and always plain cells. */
function kindsOf(random: SeededRandom): string[] {
  const all = Object.keys(makers);
  const kinds = new Set(['cells', ...list(5, () => pick(random, all))]);
  if (['keysDeleted', 'tableColumn', 'tableRow'].some((one) => kinds.has(one))) kinds.add('upsert');
  return [...kinds];
}

function meeting(random: SeededRandom, branches: readonly string[]): HistoryStep {
  const source = pick(random, branches);
  const others = branches.filter((one) => one !== source);
  const what = random.between(0, 7);
  if (what === 0) return { undoOn: source };
  const target = pick(random, others);
  const winner = pick(random, ['ours', 'theirs'] as const);
  if (what <= 2) return { crossed: [source, target], winner };
  const [isSquashed, isReverted] = [random.between(0, 7) === 0, random.between(0, 7) === 0];
  return { source, target, winner, isSquashed, isReverted, isLast: false };
}

function atLast(random: SeededRandom, branches: readonly string[]): MergeStep[] {
  const plain = { isSquashed: false, isReverted: false };
  const forks = branches.slice(1);
  return [
    ...forks.map((source) => {
      const winner = pick(random, ['ours', 'theirs'] as const);
      return { source, target: 'main', winner, ...plain, isLast: false };
    }),
    ...forks.map((target) => {
      return { source: 'main', target, winner: 'theirs' as const, ...plain, isLast: true };
    }),
  ];
}
