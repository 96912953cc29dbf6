import t, { type Test } from 'tap';

import { placeAt } from '../../server/state/merge/side-cells.ts';
import { all, kinds, op, play, set, type Edit } from '../support/merge-play.ts';
import type { MergeOutcome } from '../support/merge-driver.ts';
import type { StateDriver } from '../support/state-driver.ts';

// One side shifts cells down or up, the other one the same cells to the right or left: which of the
// two is done is asked, and the other one is taken back. Sheet One has numbers in A1:C20: row times
// ten plus column.

const shift = (kind: 'insert' | 'delete', range: string, direction: string) =>
  op(`range.${kind}`, { sheet: 'One', range, shift: direction });

const area = 'A1:L26';

/** Everything that is in the sheet, from the least to the most. */
function contentOf(driver: StateDriver): string[] {
  const held = driver.rows(area).flat();
  return held.flatMap((input) => (input === null ? [] : JSON.stringify(input))).sort();
}

type Winner = 'ours' | 'theirs';

/** Merges both ways with the same winner, which have to come to the same. */
function* settled(
  { base, ours, theirs }: { base?: Edit; ours: Edit; theirs: Edit },
  t: Test,
): Generator<readonly [Winner, MergeOutcome]> {
  for (const winner of ['ours', 'theirs'] as const) {
    const driver = play({ ...(base && { base }), ours, theirs });
    const here = driver.merge({ otherwise: winner });
    const there = driver.mirror({ otherwise: winner === 'ours' ? 'theirs' : 'ours' });
    t.strictSame(there.driver.rows(area), here.driver.rows(area), 'the same from both directions');
    t.strictSame(kinds(there), kinds(here));
    yield [winner, here];
  }
}

const crossing = [
  [shift('insert', 'B3:C4', 'down'), shift('delete', 'A1:B3', 'left')],
  [shift('delete', 'A1:A2', 'left'), shift('insert', 'C1:C2', 'down')],
  [shift('insert', 'A2:B4', 'right'), shift('delete', 'B1:B3', 'up')],
  [shift('insert', 'A5', 'right'), shift('insert', 'C2', 'down')],
] as const;

t.test('shifts that cross are one question, and one of them is done', async (t) => {
  for (const [ours, theirs] of crossing) {
    const alone = {
      ours: play({ ours, theirs: all() }),
      theirs: play({ ours: theirs, theirs: all() }),
    };
    for (const [winner, merged] of settled({ ours, theirs }, t)) {
      t.strictSame(kinds(merged), ['range.move']);
      t.strictSame(merged.driver.rows(area), alone[winner].ours.rows(area));
    }
  }
});

t.test('what was written to shifted cells goes where they are by then', async (t) => {
  const ours = all(shift('insert', 'B3:C4', 'down'), set('B6', 99), set('F9', '=B6+C20'));
  const theirs = all(shift('delete', 'A1:B3', 'left'), set('A3', 98), set('F10', '=A3'));
  for (const [winner, merged] of settled({ ours, theirs }, t)) {
    t.strictSame(kinds(merged), ['range.move']);
    const { driver } = merged;
    if (winner === 'ours') {
      t.strictSame(driver.rows('A2:C6'), [
        [21, 22, 23],
        [31, null, null],
        [41, null, null],
        [51, 32, 98],
        [61, 99, 43],
      ]);
      t.equal(driver.read('F9'), '=B6+C20');
      t.equal(driver.read('F10'), '=C5');
    } else {
      t.strictSame(driver.rows('A2:C4'), [
        [23, null, null],
        [98, null, null],
        [41, 99, 43],
      ]);
      t.equal(driver.read('F9'), '=B4+C18');
      t.equal(driver.read('F10'), '=A3');
    }
  }
});

t.test('what was written to inserted cells is not lost with them', async (t) => {
  const ours = all(shift('insert', 'B3:C4', 'down'), set('C3', 99), set('B4', '=A9&B9'));
  const theirs = shift('delete', 'A1:B3', 'left');
  for (const [winner, merged] of settled({ ours, theirs }, t)) {
    const { driver } = merged;
    t.strictSame(driver.rows('C3'), [[99]]);
    t.strictSame(
      kinds(merged),
      winner === 'ours' ? ['range.move'] : ['range.move', 'cell.value'],
      'B4 is where 42 is again',
    );
    t.equal(driver.read('B4'), winner === 'ours' ? '=A9&B9' : 42);
  }
});

t.test('later shifts of the side that loses are done where the cells are by then', async (t) => {
  const ours = all(shift('insert', 'B3:C4', 'down'), shift('insert', 'B12', 'down'));
  const theirs = shift('delete', 'A1:B3', 'left');
  for (const [winner, { driver }] of settled({ ours, theirs }, t)) {
    if (winner === 'ours') continue;
    t.strictSame(driver.rows('B8:B12').flat(), [82, 92, null, 102, 112]);
    t.strictSame(driver.rows('A3:C4'), [
      [33, null, null],
      [41, 42, 43],
    ]);
  }
});

t.test('formulas that lost what they named have it again', async (t) => {
  const base = all(set('F12', '=A1+B2'), set('F13', '=SUM(A2:C3)'));
  const ours = all(shift('delete', 'A1:B3', 'left'), set('F14', 1));
  const theirs = shift('insert', 'B3:C4', 'down');
  for (const [winner, { driver }] of settled({ base, ours, theirs }, t)) {
    if (winner === 'ours') continue;
    t.equal(driver.read('F12'), '=A1+B2');
    t.equal(driver.read('F14'), 1);
  }
});

t.test('shifts are both done where each cell comes to one place in either order', async (t) => {
  const ours = all(shift('delete', 'F1:F5', 'left'), set('F4', 98));
  const theirs = all(shift('delete', 'G1:H1', 'up'), set('G4', 99));
  const base = op('range.set', {
    sheet: 'One',
    range: 'G3:H5',
    inputs: [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  });
  for (const [, merged] of settled({ base, ours, theirs }, t)) {
    t.strictSame(kinds(merged), []);
    t.strictSame(merged.driver.rows('E2:H4'), [
      [null, 1, 2, null],
      [null, 98, 4, null],
      [null, 99, 6, null],
    ]);
  }
});

t.test('shifts that share only blank cells are both done', async (t) => {
  const ours = shift('insert', 'A1', 'right');
  const theirs = all(shift('insert', 'H1', 'down'), set('H9', 1));
  for (const [, merged] of settled({ base: set('H5', 5), ours, theirs }, t)) {
    t.strictSame(kinds(merged), []);
    t.strictSame(merged.driver.rows('A1:D1'), [[null, 11, 12, 13]]);
    t.strictSame(merged.driver.rows('H6:H9').flat(), [5, null, null, 1]);
  }
});

const table = all(
  op('table.create', {
    name: 'Items',
    keyColumn: 'k',
    schema: { columns: [{ name: 'k' }, { name: 'a' }] },
    sheetRange: 'One!F1:G4',
  }),
  set('F2', 'x'),
  set('G2', 1),
  set('F3', 'y'),
  set('G3', 2),
);

t.test('a table that both sides shift across one another has each row once', async (t) => {
  for (const [ours, theirs] of [
    [shift('delete', 'D1:E4', 'left'), shift('insert', 'F1:G2', 'down')],
    [shift('insert', 'E1:E4', 'right'), shift('insert', 'F1:G2', 'down')],
    [shift('insert', 'E1:E4', 'right'), shift('insert', 'F1:G1', 'down')],
  ] as const) {
    const count = contentOf(play({ base: table, ours: all(), theirs: all() }).ours);
    for (const [, merged] of settled({ base: table, ours, theirs }, t)) {
      t.strictSame(kinds(merged), ['range.move']);
      t.strictSame(contentOf(merged.driver), count, 'nothing is lost or there twice');
    }
  }
});

t.test('formats, notes and rules of inserted cells are not lost with them', async (t) => {
  const ours = all(
    shift('insert', 'B3:C4', 'down'),
    op('format.set', { sheet: 'One', range: 'B3:C3', style: { bold: true } }),
    op('note.set', { sheet: 'One', a1: 'C4', text: 'mine' }),
    op('validation.set', {
      sheet: 'One',
      ranges: ['B4:C4'],
      rule: { type: 'list', items: ['x'] },
    }),
  );
  const theirs = shift('delete', 'A1:B3', 'left');
  for (const [winner, merged] of settled({ ours, theirs }, t)) {
    t.strictSame(kinds(merged), ['range.move'], winner);
    const { state } = merged.driver;
    const [sheet] = state.structure.sheets;
    if (!sheet) throw new Error('there is a sheet');
    const on = { row0: 3, row1: 3, column0: 1, column1: 2 };
    t.equal(state.records.meeting('note', sheet, { ...on, column0: 2 }).length, 1);
    const [rule] = state.records.meeting('validation', sheet, on);
    t.strictSame(rule && state.records.rangesOf(rule, sheet), [on]);
    const bold = [1, 2].map((column) => {
      const place = placeAt(sheet, { row: 2, column });
      const found = state.cellsOf(sheet).find(place.row, place.column);
      return state.coding.dictionary.styles.style(found?.block.formatAt(found.lane) ?? 0);
    });
    t.strictSame(bold, [{ bold: true }, { bold: true }]);
  }
});

t.test('a note on an inserted cell and one where that would be are asked about', async (t) => {
  const note = (a1: string, text: string) => op('note.set', { sheet: 'One', a1, text });
  const ours = all(shift('insert', 'B3:C4', 'down'), note('C3', 'mine'));
  const theirs = shift('delete', 'A1:A3', 'left');
  for (const [winner, merged] of settled({ base: note('D3', 'old'), ours, theirs }, t)) {
    t.strictSame(kinds(merged), winner === 'ours' ? ['range.move'] : ['range.move', 'cell.note']);
  }
});

t.test('what would stand on the name of a column stands beside the table', async (t) => {
  const ours = all(shift('insert', 'F1:G2', 'down'), set('F1', 'mine'));
  const theirs = shift('delete', 'E1:E4', 'left');
  for (const [winner, { driver }] of settled({ base: table, ours, theirs }, t)) {
    t.ok(contentOf(driver).includes('"mine"'), winner);
    t.equal(driver.read('F1'), winner === 'ours' ? 'mine' : 'a');
  }
});

const besideTable = all(table, set('H2', 81), set('H3', 82), set('F8', 60), set('G8', 61));
const downward = [
  shift('insert', 'F1:G2', 'down'),
  shift('insert', 'F1:H2', 'down'),
  shift('insert', 'F2:G3', 'down'),
];

/** Checks that the chosen one of each two shifts is made, with all that its side did besides. */
function checkChosen(
  { edits, columns }: { readonly edits: readonly Edit[]; readonly columns: readonly Edit[] },
  t: Test,
): void {
  const pairs = columns.flatMap((ours) => downward.map((theirs) => [ours, theirs] as const));
  for (const [ours, theirs] of pairs) {
    for (const edit of edits) {
      const made = { base: besideTable, ours: all(edit, ours), theirs };
      const alone = {
        ours: contentOf(play({ ...made, theirs: all() }).ours),
        theirs: contentOf(play({ ...made, ours: all(edit, theirs), theirs: all() }).ours),
      };
      for (const [winner, merged] of settled(made, t)) {
        // Both are made where they do not exclude one another.
        const chosen = kinds(merged).includes('range.move') ? winner : 'ours';
        t.strictSame(contentOf(merged.driver), alone[chosen], winner);
      }
    }
  }
}

t.test('a shift that adds a column to a table is asked about as others are', async (t) => {
  const columns = [shift('insert', 'G1:G4', 'right'), shift('insert', 'F1:F4', 'right')];
  checkChosen({ edits: [all(), all(set('G3', 22), set('H7', 70), set('F9', 90))], columns }, t);
});

t.test('a shift that drops a column of a table loses nothing else', async (t) => {
  const columns = [shift('delete', 'G1:G4', 'left')];
  checkChosen({ edits: [all(), all(set('H3', 70), set('F9', 90))], columns }, t);
});
