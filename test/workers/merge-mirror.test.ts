import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import { playHistories, type Histories } from '../support/merge-histories.ts';
import { mirrorDifference } from '../support/merge-mirror.ts';
import { testSeed } from '../support/test-seed.ts';
import { contentOf } from '../support/undo-driver.ts';

// A law of merges: both directions find the same conflicts, and with the same winner they come to
// the same workbook.

const sheet = fc.constantFrom('One', 'Two');
const row = fc.integer({ min: 1, max: 14 });
const column = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');
const count = fc.integer({ min: 1, max: 4 });
const a1 = fc.tuple(column, row).map(([letters, number]) => `${letters}${number}`);
const range = fc.tuple(a1, a1).map(([from, to]) => `${from}:${to}`);
const input = fc.oneof(fc.nat(5), fc.constantFrom('x', '', true));

function of(kind: string, payload: fc.Arbitrary<object>, weight = 1) {
  return { weight, arbitrary: payload.map((made) => ({ kind, payload: made })) };
}

const sorting = fc.tuple(row, count, column, fc.boolean()).map(([from, more, col, desc]) => ({
  sheet: 'One',
  range: `${from}:${from + more + 1}`,
  keys: [{ col, desc }],
}));

const operation = fc.oneof(
  of(
    'cells.set',
    fc.record({ sheet, cells: fc.array(fc.record({ a1, input }), { minLength: 1 }) }),
    4,
  ),
  of('rows.insert', fc.record({ sheet, before: row, count }), 2),
  of('rows.delete', fc.record({ sheet, from: row, count }), 2),
  of('rows.move', fc.record({ sheet, from: row, count, before: row }), 3),
  of('cols.insert', fc.record({ sheet, before: column })),
  of('cols.delete', fc.record({ sheet, from: column })),
  of('cols.move', fc.record({ sheet, from: column, before: column }), 2),
  of('range.sort', sorting, 2),
  of('note.set', fc.record({ sheet, a1, text: fc.constantFrom('x', 'y') })),
  of('format.set', fc.record({ sheet, range, style: fc.constant({ bold: true }) })),
  of('sheet.delete', fc.record({ sheet })),
  of('sheet.rename', fc.record({ sheet, name: fc.constantFrom('One', 'Two', 'Plan') })),
  of('sheet.add', fc.record({ name: fc.constantFrom('Plan', 'Costs') })),
);

const numbers = Array.from({ length: 12 }, (_, at) => [3, 4, 5].map((by) => (at * by) % 11));
const start = [
  { kind: 'range.set', payload: { sheet: 'One', range: 'D1:F12', inputs: numbers } },
  { kind: 'table.drop', payload: { table: 'Sales', keepCells: true } },
  // Ends of ranges go with the lines of each side: formulas have laws of their own.
  { kind: 'range.set', payload: { sheet: 'One', range: 'C1:C2', inputs: [[1], [2]] } },
];

const histories: fc.Arbitrary<Histories> = fc.record({
  base: fc.constant([...start]),
  ours: fc.array(operation, { minLength: 1, maxLength: 5 }),
  theirs: fc.array(operation, { minLength: 1, maxLength: 5 }),
});

t.test('both directions find the same, and come to the same', async (t) => {
  let caseNumber = 0;
  const check = (played: Histories) => {
    caseNumber++;
    const found = mirrorDifference(playHistories(played));
    if (found !== undefined) throw new Error(found);
  };
  const options = { numRuns: caseCount(60), seed: testSeed };
  t.doesNotThrow(() => fc.assert(fc.property(histories, check), options));
  t.ok(caseNumber > 0);
});

// Theirs sorts, so that formulas name other lines, and deletes those.
const sortedAndGone = (count: number) => [
  {
    kind: 'range.sort',
    payload: { sheet: 'One', range: '1:4', keys: [{ col: 'D', desc: true }] },
  },
  { kind: 'rows.delete', payload: { sheet: 'One', from: 1, count } },
  { kind: 'cells.set', payload: { sheet: 'One', cells: [{ a1: 'A1', input: 'x' }] } },
];
const writes = (name: string, a1: string, input: unknown) => [
  { kind: 'cells.set', payload: { sheet: name, cells: [{ a1, input }] } },
];

t.test('a formula names what is kept of a deletion, whichever side sorted that', async (t) => {
  const sorted = (range: string, col: string) => ({
    kind: 'range.sort',
    payload: { sheet: 'One', range, keys: [{ col, desc: false }] },
  });
  const played = {
    base: start,
    ours: [...writes('One', 'A1', 0), sorted('1:3', 'A')],
    theirs: [sorted('1:5', 'D'), { kind: 'sheet.delete', payload: { sheet: 'One' } }],
  };
  const driver = playHistories(played);
  t.equal(mirrorDifference(driver), undefined);
  t.equal(driver.merge({ otherwise: 'ours' }).driver.read('D4', 1), '=[@v]*One!$A$2+tax');
});

for (const [what, ours, count] of [
  ['cells that were lost with their lines are', writes('One', 'A2', 0), 3],
  ['cells that are kept of a deletion are named', writes('One', 'A3', 0), 2],
  ['a formula that lost another cell is written over', writes('Two', 'D4', 'x'), 3],
] as const) {
  t.test(`${what} the same from both directions`, async (t) => {
    const played = { base: start, ours, theirs: sortedAndGone(count) };
    t.equal(mirrorDifference(playHistories(played)), undefined);
    for (const otherwise of ['ours', 'theirs'] as const) {
      const driver = playHistories(played);
      const merged = driver.merge({ otherwise }).driver;
      const again = driver.mergeInto(merged.state, { otherwise });
      t.strictSame(
        contentOf(again.driver.state),
        contentOf(merged.state),
        'once more adds nothing',
      );
    }
  });
}
