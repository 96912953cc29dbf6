import * as fc from 'fast-check';
import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { FormulaTable } from '../../workers/files/formula-table.ts';
import { formulaToFile } from '../../workers/files/formula-export.ts';
import { formulaFromFile } from '../../workers/files/formula-import.ts';
import { relativeForm } from '../../workers/files/formula-shift.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';
import { nastyFormula, nastyNames, nastyPlace } from '../support/nasty-formulas.ts';

/** Runs long: a law over random formulas. */

const formulas = new Formulas();
/** Random formulas of a law that can be entered. */
const entered = nastyFormula.filter((text) => formulas.check(text).ok);
const numRuns = caseCount(800);

t.test('what is taken is stored, read and stored again the same, wherever it stands', async (t) => {
  const property = fc.property(entered, nastyPlace, nastyPlace, (text, at, other) => {
    const stored = formulas.toR1C1(text, at.row, at.column);
    const shown = formulas.fromR1C1(stored, at.row, at.column);
    if (!formulas.check(shown, 'file').ok) throw new Error(`${text} is shown as ${shown}`);
    const again = formulas.toR1C1(shown, at.row, at.column);
    const print = formulas.fromR1C1(again, at.row, at.column);
    if (print !== shown) throw new Error(`${text} is shown as ${shown}, and then as ${print}`);
    const filled = formulas.fromR1C1(stored, other.row, other.column);
    if (!formulas.check(filled, 'file').ok) throw new Error(`${text} is filled as ${filled}`);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns }));
});

/** Inside of a table, in a workbook without names. */
const place = { table: 'Sales', taken: new Set<string>() };

t.test('a file gives back what was written to it', async (t) => {
  const property = fc.property(entered, nastyPlace, (text, { row, column }) => {
    const shown = formulas.fromR1C1(formulas.toR1C1(text, row, column), row, column);
    const read = formulaFromFile(formulaToFile(shown, place), true);
    const back = formulas.fromR1C1(formulas.toR1C1(read, row, column), row, column);
    // Functions that are handed on are spelled in capitals there.
    if (back.toUpperCase() !== shown.toUpperCase()) {
      throw new Error(`${shown} came back as ${back}, by way of ${formulaToFile(shown, place)}`);
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns }));
});

t.test('formulas of one key read the same in every cell', async (t) => {
  const property = fc.property(entered, entered, nastyPlace, nastyPlace, (a, b, at, other) => {
    const table = new FormulaTable();
    for (const [text, place] of [
      [a, at],
      [b, other],
    ] as const) {
      const index = table.intern(text, { ...place, isScalar: false });
      const kept = table.textAt(index, place.row, place.column);
      const stored = formulas.toR1C1(text, place.row, place.column);
      if (formulas.toR1C1(kept, place.row, place.column) !== stored) {
        throw new Error(`${text} became ${kept}`);
      }
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns }));
});

t.test('whole columns and whole rows at one distance have two keys', async (t) => {
  const at = (row: number, column: number) => ({ rows: row, columns: column });
  t.not(relativeForm('=SUM(A:A)', at(1, 1)), relativeForm('=SUM(3:3)', at(3, 1)));
  t.not(relativeForm('=\u0001C0\u0001', at(0, 0)), relativeForm('=$A', at(0, 0)));
  const table = new FormulaTable();
  const texts = ['=SUM(A:A)', '=SUM(3:3)', '=SUM($A:$A)', '=SUM($1:$1)', '=SUM(B:B)', '=SUM(4:4)'];
  for (const [row, text] of texts.entries()) {
    const index = table.intern(text, { row, column: 1, isScalar: true });
    t.equal(table.textAt(index, row, 1), text);
  }
});

t.test('what the former version stored is read as it was entered', async (t) => {
  const texts = {
    '=BYROW(RC:R[2]C,LAMBDA(r,SUM(r)))': '=BYROW(A1:A3,LAMBDA(r,SUM(r)))',
    '=LET(rc,RC,r1c1,R[1]C,rc+r1c1)': '=LET(rc,A1,r1c1,A2,rc+r1c1)',
    '=LET(R,R[2]C,C,R[1]C,R*C)': '=LET(R,A3,C,A2,R*C)',
    '=LET(RC,R[2]C,R1C1,R[1]C,RC*R1C1+R1C2)': '=LET(RC,A3,R1C1,A2,RC*R1C1+$B$1)',
    '=LAMBDA(RC,SUM(RC,"RC"))(R1C1)': '=LAMBDA(RC,SUM(RC,"RC"))($A$1)',
    '=r+SUM(c)': '=r+SUM(c)',
    '=SUM(R:R,C:C,R[1]:R2)': '=SUM(1:1,A:A,2:$2)',
  };
  for (const [stored, shown] of Object.entries(texts)) {
    t.equal(formulas.fromR1C1(stored, 0, 0), shown, stored);
  }
  t.equal(formulas.fromR1C1('=LAMBDA(R1C1', 0, 0), '=LAMBDA(R1C1', 'no formula stays as it is');
});

t.test('what is taken gives the same value when it is read again', async (t) => {
  const property = fc.property(entered, (text) => {
    const shown = formulas.fromR1C1(formulas.toR1C1(text, 3, 2), 3, 2);
    const [was, is] = [text, shown].map((input) => valueOf(input));
    if (was !== is) throw new Error(`${text} is ${was}, ${shown} is ${is}`);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: caseCount(200) }));
});

t.test('variables with names of references have values', async (t) => {
  for (const name of nastyNames) {
    const text = `=LET(${name},A1+1,LAMBDA(${name},${name}*2)(${name}+1))`;
    if (!formulas.check(text).ok) continue;
    const shown = formulas.fromR1C1(formulas.toR1C1(text, 3, 2), 3, 2);
    t.equal(valueOf(shown), valueOf(text), name);
    t.equal(valueOf(text), JSON.stringify([[6]]), name);
  }
  for (const text of ['=r', '=SUM(c)', '=R1C1', '=RC', '=One!r', '=R', '=C']) {
    t.equal(valueOf(text), JSON.stringify([[{ error: '#NAME?' }]]), text);
  }
});

/** Returns the value of a formula in C4, beside a few numbers. */
function valueOf(text: string): string {
  const sheet = new OneSheet();
  sheet.enterBlock(0, 0, [
    [1, 10],
    [2, null],
  ]);
  sheet.enter(3, 2, { formula: text });
  return JSON.stringify(sheet.values({ row0: 3, row1: 3, column0: 2, column1: 2 }));
}
