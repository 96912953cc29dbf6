import * as fc from 'fast-check';
import t from 'tap';

import type { Mutation } from '../../server/model/mutation.ts';
import { formulaForm, valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { caseCount } from '../support/case-count.ts';

// Formulas of a block that are texts filled down are not read one by one; it must not show.

const now = { clockSerial: 46_000, seedHigh: 1, seedLow: 2 };
const rowCount = 14;
const rowLimit = 1_048_576;

/** Parts of a formula: `#` is the row that it stands in, `#+2` one further down. */
const operands = [
  'A#',
  '$B#',
  'A$3',
  '$A$1',
  'a#',
  'A0#',
  'A#+2',
  'B#-1',
  'SUM(A$1:A#)',
  'SUM(A#:A$8)',
  'SUM(A$8:A#)',
  'SUM(A#+3:B#)',
  'SUM(A#:$B#+1)',
  'SUM(#:#+1)',
  'SUM(A:A)',
  'SUM(A#.:.A#+4)',
  'Two!A#',
  "'My sheet'!B#",
  "SUM(Two:'My sheet'!A#)",
  'Missing!A#',
  'LOG10(A#)',
  '"A#"',
  'INDIRECT("A#")',
  '_n#',
  'TAX#',
  'ABCD#',
  '1#',
  '1.5E#',
  '{1,#}',
  '@A#',
  'A#:A#+1 A#',
  'SUM (A#)',
  'IF(A#>2, A# , "x""A#")',
  'T[@a]',
  '[@a]',
  '#REF!A#',
  'Two!#REF!',
  '[1]Two!A#',
  'LET(x1,A#,x1+1)',
  'A#%',
  '(',
];
/** Where the block begins: numbers become longer, or come to the end of the sheet. */
const starts = [1, 6, 96, 9_995, rowLimit - rowCount + 1];

interface Filled {
  readonly pieces: readonly string[];
  readonly start: number;
  /** Some texts are other formulas. */
  readonly oddities: readonly { readonly row: number; readonly at: number; readonly how: number }[];
}

/** Replacements of a number after which the formula is not the one above filled down. */
const changes: readonly ((row: number) => string)[] = [
  (row) => String(row - 1),
  (row) => String(row + 1),
  (row) => `0${row}`,
  (row) => `${row}0`,
  (row) => `${row}+1`,
  (row) => `${row}.5`,
  (row) => `$${row}`,
  () => '',
];

const filled: fc.Arbitrary<Filled> = fc.record({
  pieces: fc.array(fc.constantFrom(...operands), { minLength: 1, maxLength: 4 }),
  start: fc.constantFrom(...starts),
  oddities: fc.array(
    fc.record({
      row: fc.nat({ max: rowCount - 1 }),
      at: fc.nat({ max: 5 }),
      how: fc.nat({ max: changes.length - 1 }),
    }),
    { maxLength: 3 },
  ),
});

function textAt({ pieces, start, oddities }: Filled, index: number): string {
  let place = 0;
  const odd = oddities.find(({ row }) => row === index);
  const text = pieces.join('+').replaceAll(/#([+-]\d)?(?!REF)/g, (_, moved?: string) => {
    const row = start + index + Number(moved ?? 0);
    const change = odd?.at === place++ ? changes[odd.how] : undefined;
    return change?.(row) ?? String(row);
  });
  return `=${text}`;
}

function bookOf(sheets: readonly Mutation[]): Kernel {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'One', index: 0 },
    { kind: 'sheetAdd', sheet: 2, name: 'Two', index: 1 },
    { kind: 'sheetAdd', sheet: 3, name: 'My sheet', index: 2 },
    { kind: 'column', sheet: 1, row: 0, column: 0, inputs: [1, 2, 3, 4, 5, 6, 7, 8] },
    { kind: 'column', sheet: 2, row: 0, column: 0, inputs: [10, 20, 30, 40] },
    { kind: 'nameSet', name: '_n7', scope: undefined, formula: '=One!$A$2' },
    {
      kind: 'tableSet',
      name: 'T',
      sheet: 1,
      row: 0,
      column: 0,
      rowCount: 40,
      columnCount: 5,
      columns: ['a', 'b', 'c', 'd', 'e'],
      headerRow: false,
      totalsRow: false,
    },
    ...sheets,
  ]);
  kernel.recalculate(now, Number.MAX_SAFE_INTEGER);
  return kernel;
}

function shown(kernel: Kernel, start: number, width: number) {
  const area = { row0: start - 1, column0: 3, row1: start + rowCount - 2, column1: 2 + width };
  const { templates, runs, formulas, pending } = kernel.statistics();
  return {
    formulas: kernel.readRange(1, area, { lens: 'formula', form: formulaForm }),
    values: kernel.readRange(1, area, { lens: 'value', form: valueForm }),
    figures: { templates, runs, formulas, pending },
  };
}

t.test('a block of formulas is what its cells are one by one', async (t) => {
  const blocks = fc.array(filled, { minLength: 1, maxLength: 4 });
  const law = fc.property(blocks, (columns) => {
    const [{ start } = { start: 1 }] = columns;
    const inputs = Array.from({ length: rowCount }, (_, index) =>
      columns.map((column) => ({ formula: textAt({ ...column, start }, index) })),
    );
    const row = start - 1;
    const cells = inputs.flatMap((line, index) =>
      line.map((input, offset): Mutation => {
        return { kind: 'cell', sheet: 1, row: row + index, column: 3 + offset, input };
      }),
    );
    const block = bookOf([{ kind: 'block', sheet: 1, row, column: 3, inputs }]);
    const single = bookOf(cells);
    const [one, other] = [block, single].map((book) => shown(book, start, columns.length));
    t.strictSame(one, other);
    return t.passing();
  });
  fc.assert(law, { numRuns: caseCount(400) });
});
