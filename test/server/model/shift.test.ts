import { assert, constantFrom, integer, nat, property, record } from 'fast-check';
import t from 'tap';

import { parseRange, rangeName } from '../../../server/model/range.ts';
import {
  shiftedCell,
  shiftedLine,
  shiftedRange,
  shiftsOf,
  type Shift,
} from '../../../server/model/shift.ts';
import { testSeed } from '../../support/test-seed.ts';

/** Addresses through operations on lines, compared with a list of lines that is changed itself. */

const lineCount = 20;

const shifts = record({
  kind: constantFrom('insert' as const, 'delete' as const, 'move' as const),
  at: nat(lineCount - 1),
  count: integer({ min: 1, max: 6 }),
  to: nat(lineCount),
})
  .map((one): Shift => ({ ...one, axis: 'row', count: Math.min(one.count, lineCount - one.at) }))
  // A move into its own lines is none.
  .filter(({ kind, at, count, to = 0 }) => kind !== 'move' || to <= at || to >= at + count);

/** The lines by their names after a shift; new ones have none. */
function changed({ kind, at, count, to = 0 }: Shift): (number | undefined)[] {
  const lines: (number | undefined)[] = Array.from({ length: lineCount }, (_, line) => line);
  if (kind === 'insert') lines.splice(at, 0, ...Array.from({ length: count }, () => undefined));
  else {
    const taken = lines.splice(at, count);
    if (kind === 'move') lines.splice(to > at ? to - count : to, 0, ...taken);
  }
  return lines;
}

t.test('a line is where a list of lines has it', (t) => {
  const check = (shift: Shift, line: number): boolean => {
    const place = changed(shift).indexOf(line);
    return (shiftedLine(line, shift) ?? -1) === place;
  };
  assert(property(shifts, nat(lineCount - 1), check), { seed: testSeed, numRuns: 2_000 });
  t.end();
});

t.test('what is left of a range is from its first to its last line that is left', (t) => {
  const check = (shift: Shift, one: number, other: number): boolean => {
    const [row0, row1] = [Math.min(one, other), Math.max(one, other)];
    const range = shiftedRange({ row0, row1, column0: 1, column1: 2 }, shift);
    const left = changed(shift).flatMap((line, place) =>
      line !== undefined && line >= row0 && line <= row1 ? [place] : [],
    );
    if (left.length === 0) return range === undefined;
    // A move may take lines out of the middle: both of the ends are what counts then.
    if (shift.kind === 'move') return range !== undefined && range.row0 <= range.row1;
    return range?.row0 === left[0] && range?.row1 === left.at(-1);
  };
  const lines = nat(lineCount - 1);
  assert(property(shifts, lines, lines, check), { seed: testSeed, numRuns: 2_000 });
  t.end();
});

t.test('operations on lines become shifts, in numbers from 0', (t) => {
  const cell = { row: 6, column: 3 };
  const after = (kind: string, payload: object) =>
    (shiftsOf(kind, payload) ?? []).reduce<typeof cell | undefined>(
      (at, shift) => at && shiftedCell(at, shift),
      cell,
    );
  t.same(after('rows.insert', { before: 7, count: 2 }), { row: 8, column: 3 });
  t.same(after('rows.insert', { after: 7 }), cell);
  t.same(after('cols.delete', { from: 'B', count: 2 }), { row: 6, column: 1 });
  t.equal(after('rows.delete', { spans: [{ from: 1 }, { from: 7 }] }), undefined);
  t.same(after('rows.delete', { spans: [{ from: 1 }, { from: 8 }, { from: 3, count: 2 }] }), {
    row: 3,
    column: 3,
  });
  t.same(after('cols.move', { from: 'D', before: 'B' }), { row: 6, column: 1 });
  t.equal(shiftsOf('rows.move', { spans: [{ from: 1 }, { from: 9 }], before: 4 }), undefined);
  t.equal(shiftsOf('cells.set', {}), undefined);
  const range = parseRange('B2:D9');
  const [deleted] = shiftsOf('rows.delete', { from: 3, count: 4 }) ?? [];
  t.equal(range && deleted && rangeName(shiftedRange(range, deleted) ?? range), 'B2:D5');
  t.end();
});
