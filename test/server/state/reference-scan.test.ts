import * as fc from 'fast-check';
import t from 'tap';

import { cellName, columnName } from '../../../server/model/address.ts';
import { ReferenceScan } from '../../../server/state/formulas/reference-scan.ts';
import { Formulas } from '../../../workers/formulas.ts';

const formulas = new Formulas();

const line = fc.integer({ min: 0, max: 40 });
const cell = fc
  .tuple(line, line, fc.boolean(), fc.boolean())
  .map(([row, column, fixedColumn, fixedRow]) => {
    return `${fixedColumn ? '$' : ''}${columnName(column)}${fixedRow ? '$' : ''}${row + 1}`;
  });
const reference = fc.oneof(
  cell,
  fc.tuple(cell, cell, fc.constantFrom(':', ':.', '.:.')).map(([a, b, colon]) => a + colon + b),
  fc.tuple(line, line).map(([a, b]) => `${columnName(a)}:$${columnName(b)}`),
  fc.tuple(line, line).map(([a, b]) => `$${a + 1}:${b + 1}`),
  fc.tuple(cell, cell).map(([a, b]) => `${a}:INDEX(${b}:${a},1)`),
  cell.map((name) => `${name}#`),
);
const sheet = fc.constantFrom('', '', "'R1C1'!", 'Rows!', "'it''s R[1]C'!", 'Two:Rows!');
const noise = fc.constantFrom(
  '"R1C1 ""RC"" "',
  'Sales[[#This Row],[RC]]',
  "Sales[it'[s R1C1]",
  'ROUND(2,C_rate)',
  'R_1',
  'Rate.R1',
  'LET(x,1,x)',
  '{1,2;3,4}',
);
const term = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(sheet, reference).map(([prefix, text]) => prefix + text) },
  { weight: 1, arbitrary: noise },
);
const formula = fc
  .array(term, { minLength: 1, maxLength: 5 })
  .map((terms) => `=SUM(${terms.join(',')})`)
  .filter((text) => formulas.check(text).ok);

t.test('every reference that the kernel knows is found, wherever the cell stands', async (t) => {
  const scan = new ReferenceScan();
  let count = 0;
  const property = fc.property(formula, line, line, (text, row, column) => {
    scan.read(formulas.toR1C1(text, row, column));
    const homes = { row0: row, row1: row, column0: column, column1: column };
    for (const { row0, row1, column0, column1, sheet: name } of formulas.references(text)) {
      const area = { row0, row1, column0, column1 };
      const indexes = Array.from({ length: scan.count }, (_, index) => index);
      const isFound = indexes.some((index) => {
        return scan.mayRead(index, homes, area) && scan.isElsewhere(index) === (name !== undefined);
      });
      if (!isFound) throw new Error(`${cellName(row0, column0)} in ${text}`);
      count++;
    }
    if (!scan.staysOnGrid(homes)) throw new Error(`${text} leaves the grid`);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2_000 }));
  t.ok(count > 2_000, `${count} references`);
});

t.test('what it says of a reference', async (t) => {
  const scan = new ReferenceScan().read('=RC[-1]+R5C2:R[3]C+C[1]:C[2]+Two!R[-1]C');
  t.equal(scan.count, 4);
  t.strictSame([scan.low(0, 'column', 5), scan.high(0, 'row', 7)], [4, 7]);
  t.strictSame([scan.low(1, 'row', 10), scan.high(1, 'row', 10)], [4, 13]);
  t.strictSame([scan.low(2, 'row', 10), scan.high(2, 'row', 10)], [-Infinity, Infinity]);
  t.strictSame(
    [0, 1, 2, 3].map((index) => scan.isOwnRow(index)),
    [true, false, false, false],
  );
  t.strictSame(
    [0, 1, 2, 3].map((index) => scan.walks(index)),
    [true, true, false, true],
  );
  t.strictSame(
    [0, 1, 2, 3].map((index) => scan.isElsewhere(index)),
    [false, false, false, true],
  );
  t.ok(scan.leavesSheet);
  t.notOk(scan.staysOnGrid({ row0: 0, row1: 0, column0: 5, column1: 5 }));
  t.ok(scan.staysOnGrid({ row0: 1, row1: 9, column0: 5, column1: 5 }));
  t.equal(scan.read('=SUM(names)+"R1C1!"').count, 0);
  t.notOk(scan.leavesSheet);
  t.ok(scan.read("=tax+'My sheet'!tax").leavesSheet, 'a name may be asked for on a sheet');
});
