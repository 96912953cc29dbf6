import * as fc from 'fast-check';

/** An operation, and how many operations its sender was behind the head. */
export type Step = readonly [operation: { kind: string; payload: object }, behind: number];

const row = fc.integer({ min: 1, max: 12 });
const letters = 'ABCDEFGHIJ';
const column = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const cell = fc.tuple(column, row).map(([c, r]) => `${c}${r}`);
const area = fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`);
const sheet = fc.constantFrom('One', 'Two');
const count = fc.integer({ min: 1, max: 3 });
const input = fc.oneof(
  fc.integer({ min: 0, max: 9 }),
  fc.constantFrom('x', 'Item 3', 'Mon', "'=y", '', true, { error: '#N/A' }),
  fc.constantFrom('=A1', '=$B$2+C3', '=SUM(A2:B6)', '=Two!A3', '=SUM(B:B)', '=SUM(2:3)'),
  fc.constantFrom('=SUBTOTAL(9,A2:B6)', '=SUBTOTAL(109,A:E)', '=AGGREGATE(9,5,One!A2:A9)'),
  fc.constantFrom('=SUM(One!B2:C4)', '=A$4&"A1"', '=SUM(A$1:A3)', '=SUM(tax)+1', '=SUM(One!A2:A9)'),
);

const of = <Payload>(kind: string, payload: fc.Arbitrary<Payload>) =>
  payload.map((made) => ({ kind, payload: made as object }));

const writes = fc.oneof(
  of(
    'cells.set',
    fc.record({
      sheet,
      cells: fc.array(fc.record({ a1: cell, input }), { minLength: 1, maxLength: 3 }),
    }),
  ),
  of('range.fill', fc.record({ sheet, range: area, input })),
  of('rows.hide', fc.record({ sheet, from: row, count, hidden: fc.boolean() })),
  of(
    'numfmt.set',
    fc.record({ sheet, range: area, pattern: fc.constantFrom('0.0', 'yyyy-mm-dd') }),
  ),
  of(
    'name.set',
    fc.tuple(sheet, area).map(([s, range]) => ({ name: 'tax', ref: `${s}!${range}` })),
  ),
);

const moves = fc.oneof(
  of('range.move', fc.record({ sheet, source: area, to: cell })),
  of('range.move', fc.record({ sheet, source: area, toSheet: sheet, to: cell })),
  of('range.copy', fc.record({ sheet, source: area, toSheet: sheet, to: fc.oneof(cell, area) })),
  of('range.insert', fc.record({ sheet, range: area, shift: fc.constantFrom('right', 'down') })),
  of('range.delete', fc.record({ sheet, range: area, shift: fc.constantFrom('left', 'up') })),
);

/** By a column of constants, or of whole rows in some order. */
const sorts = fc.oneof(
  of(
    'range.sort',
    fc.tuple(sheet, row, count, column, fc.boolean()).map(([s, first, n, col, desc]) => ({
      sheet: s,
      range: `A${first}:E${first + n}`,
      keys: [{ col, desc }],
    })),
  ),
  of(
    'range.sort',
    fc.tuple(sheet, row, count, fc.boolean()).map(([s, first, n, isWhole]) => ({
      sheet: s,
      range: isWhole ? `${first}:${first + n}` : `A${first}:E${first + n}`,
      order: Array.from({ length: n + 1 }, (_, index) => first + n - index),
    })),
  ),
);

const continued = of(
  'range.autofill',
  fc
    .tuple(sheet, fc.integer({ min: 3, max: 5 }), fc.integer({ min: 4, max: 9 }), fc.nat(3), count)
    .map(([s, left, top, direction, n]) => {
      const name = (x0: number, y0: number, x1: number, y1: number) =>
        `${letters[x0]}${y0}:${letters[x1]}${y1}`;
      const target = [
        name(left, top + 2, left + 1, top + 1 + n),
        name(left, top - n, left + 1, top - 1),
        name(left + 2, top, left + 1 + n, top + 1),
        name(left - n, top, left - 1, top + 1),
      ][direction];
      return { sheet: s, source: name(left, top, left + 1, top + 1), target };
    }),
);

export const lineInserts = fc.oneof(
  of('rows.insert', fc.record({ sheet, before: row, count })),
  of('cols.insert', fc.record({ sheet, after: column })),
);
export const lineDeletes = fc.oneof(
  of('rows.delete', fc.record({ sheet, from: row, count })),
  of('cols.delete', fc.record({ sheet, from: column })),
);

export const rangeEdit = fc.oneof(
  { weight: 5, arbitrary: moves },
  { weight: 2, arbitrary: sorts },
  { weight: 2, arbitrary: continued },
);

/** Histories of range edits, mixed with writes and optionally others. */
export function histories(
  ...others: fc.Arbitrary<{ kind: string; payload: object }>[]
): fc.Arbitrary<Step[]> {
  const operation = fc.oneof(
    { weight: 8, arbitrary: writes },
    { weight: 9, arbitrary: rangeEdit },
    ...others.map((arbitrary) => ({ weight: 3, arbitrary })),
  );
  return fc.array(fc.tuple(operation, fc.nat(6)), { minLength: 4, maxLength: 40 });
}
