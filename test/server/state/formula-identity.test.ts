import t from 'tap';

import type { BranchState } from '../../../server/state/branch-state.ts';
import { cellIn } from '../../../server/state/compare/same-lanes.ts';
import { sayOther } from '../../../server/state/formulas/formula-skeleton.ts';
import { putState } from '../../../server/state/tree/state-node.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { NodeStore } from '../../support/node-store.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

// Formulas are kept by the ids of what they name: states are equal by what they hold.

const formulas = new Formulas();
const hashOf = (state: BranchState) => drive(state.stateHash());

function started(): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Plan B' });
  driver.apply('name.set', { name: 'tax', ref: "'Plan B'!$B$2:$B$4" });
  return driver;
}

function write(driver: StateDriver, cells: readonly (readonly [a1: string, input: string])[]) {
  driver.apply('cells.set', { sheet: 'One', cells: cells.map(([a1, input]) => ({ a1, input })) });
}

/** A formula, and how it reads below a row that came in before the second. */
const written: readonly (readonly [before: string, after: string])[] = [
  ['=A1', '=A1'],
  ['=A2+A$3', '=A3+A$4'],
  ['=SUM(A1:A9)*2', '=SUM(A1:A10)*2'],
  ["=SUM('Plan B'!A2:C4)", "=SUM('Plan B'!A2:C4)"],
  ["='Plan B'!tax+tax", "='Plan B'!tax+tax"],
  ['=SUM(A:A)+SUM(3:4)', '=SUM(A:A)+SUM(4:5)'],
  ['=Ghost!A5', '=Ghost!A5'],
  ['="A2"&A2&{1,2}', '="A2"&A3&{1,2}'],
  ['=[1]Other!A2', '=[1]Other!A2'],
  ['=LET(RC,A2,RC*2)', '=LET(RC,A3,RC*2)'],
];

t.test('a formula that was there before rows came is the one that is entered after', (t) => {
  const [early, late] = [started(), started()];
  const place = (index: number, shift: number) => `F${20 + index + shift}`;
  write(
    early,
    written.map(([text], index) => [place(index, 0), text]),
  );
  // Both count the same operations, whose numbers are in the ids of rows.
  write(late, [['H1', 'x']]);
  early.apply('rows.insert', { sheet: 'One', before: 2, count: 1 });
  late.apply('rows.insert', { sheet: 'One', before: 2, count: 1 });
  write(early, [['H1', 'x']]);
  write(
    late,
    written.map(([, text], index) => [place(index, 1), text]),
  );
  t.equal(hashOf(early.state), hashOf(late.state));
  for (const [index, [, text]] of written.entries()) {
    t.same(early.read(place(index, 1)), text);
  }
  write(late, [['F20', '=A2']]);
  t.not(hashOf(early.state), hashOf(late.state), 'another row is another formula');
  t.end();
});

t.test('what was stored in ids reads the same, and is stored alike again', (t) => {
  const driver = started();
  write(
    driver,
    written.map(([text], index) => [`F${20 + index}`, text]),
  );
  driver.apply('range.fill', { sheet: 'One', range: 'D1:D2500', input: '=SUM($A$1:A1)+B2' });
  driver.apply('rows.insert', { sheet: 'One', before: 2, count: 3 });
  driver.apply('range.fill', { sheet: 'One', range: 'E1:E40', input: '=SUM(A1:A5)' });
  driver.apply('rows.move', { sheet: 'One', from: 10, count: 2, before: 3 });
  driver.apply('rows.delete', { sheet: 'One', from: 2000, count: 5 });
  driver.apply('sheet.rename', { sheet: 'Plan B', name: 'Plan' });
  const store = new NodeStore();
  const restored = new StateDriver(formulas);
  restored.take(store.load(store.save(driver.state), driver.state.coding));
  for (const a1 of ['D1', 'D2', 'D4', 'D2400', 'E1', 'E3', 'E11', 'E40', 'F23', 'F25', 'F30']) {
    t.same(restored.read(a1), driver.read(a1), a1);
  }
  restored.apply('cells.set', { sheet: 'One', cells: [{ a1: 'D2', input: 1 }] });
  driver.apply('cells.set', { sheet: 'One', cells: [{ a1: 'D2', input: 1 }] });
  t.equal(hashOf(restored.state), hashOf(driver.state));
  t.end();
});

t.test('a formula that is read from storage is the one that was written, cell for cell', (t) => {
  const driver = started();
  driver.apply('range.fill', { sheet: 'One', range: 'D1:D1500', input: '=SUM(A$1:A1)+B2' });
  const texts = ["='Plan B'!A1", '=SUM(A1:A2)', '=SUM(A$1:A2)', '=A1+#REF!'];
  write(
    driver,
    texts.map((text, index) => [`F${6 + index}`, text]),
  );
  const codedIn = ({ state }: StateDriver, row: number, column: number) => {
    const [sheet] = state.structure.sheets;
    if (!sheet) throw new Error('there is a sheet');
    const place = { row: sheet.rows.idAt(row), column: sheet.columns.idAt(column) };
    return cellIn(state, { sheetId: sheet.id, ...place });
  };
  const again = () => {
    const store = new NodeStore();
    const restored = new StateDriver(formulas);
    restored.take(store.load(store.save(driver.state), driver.state.coding));
    return restored;
  };
  for (const row of [0, 900, 1400]) t.same(codedIn(again(), row, 3), codedIn(driver, row, 3));
  t.same(codedIn(again(), 6, 5), codedIn(driver, 6, 5));
  for (const [index, text] of texts.entries()) t.equal(again().read(`F${6 + index}`), text);
  driver.apply('cols.insert', { sheet: 'One', before: 'A', count: 1 });
  write(driver, [['B3', '=SUM(B1:B2)']]);
  write(driver, [['A3', '=SUM(A1:A2)']]);
  for (const a1 of ['A3', 'B3', 'E900', 'G7']) t.equal(again().read(a1), driver.read(a1));
  t.equal(hashOf(again().state), hashOf(driver.state));
  t.end();
});

t.test('formulas that differ in more than references are told apart without being read', (t) => {
  t.equal(sayOther('=RC[-1]*2', '=RC[-1]*3'), true);
  t.equal(sayOther('=SUM(R1C1:R[2]C)', '=SUM(R[1]C:R9C[1])'), false);
  t.equal(sayOther('=SUM(C1:C[2])', '=SUM(C3)'), false, 'whole columns are references');
  t.equal(sayOther('=RC+#REF!', '=R1C+RC'), false, 'one that is lost may be the same');
  t.equal(sayOther('=Plan!RC', '=Costs!RC*2'), false, 'sheets may be called otherwise');
  t.equal(sayOther('=RC', '=RC'), false);
  t.end();
});

t.test('each end of a range keeps its dollar, in whatever order lines were made', (t) => {
  const driver = started();
  driver.apply('rows.insert', { sheet: 'One', before: 1, count: 1 });
  driver.apply('rows.move', { sheet: 'One', from: 8, count: 1, before: 4 });
  driver.apply('cols.insert', { sheet: 'One', before: 'A', count: 1 });
  const texts = ['=SUM(B$1:B5)', '=SUM(B$4:B6)', '=SUM($A3:B5)', '=SUM(B1:B5)'];
  write(
    driver,
    texts.map((text, index) => [`F${6 + index}`, text]),
  );
  driver.apply('name.set', { name: 'tax', ref: 'One!$A$1:$B$4' });
  const store = new NodeStore();
  const restored = new StateDriver(formulas);
  restored.take(store.load(store.save(driver.state), driver.state.coding));
  for (const [index, text] of texts.entries()) t.equal(restored.read(`F${6 + index}`), text);
  t.same(restored.state.nameSummaries(), driver.state.nameSummaries());
  restored.apply('cells.set', { sheet: 'One', cells: [{ a1: 'F1', input: 1 }] });
  driver.apply('cells.set', { sheet: 'One', cells: [{ a1: 'F1', input: 1 }] });
  t.equal(hashOf(restored.state), hashOf(driver.state));
  t.end();
});

t.test('a state that was stored before ids is read, and has the hash of today', (t) => {
  const driver = started();
  driver.apply('range.fill', { sheet: 'One', range: 'D1:D1500', input: '=SUM($A$1:A1)+B2' });
  driver.apply('rows.insert', { sheet: 'One', before: 2, count: 3 });
  const store = new NodeStore();
  const root = drive(putState(store, driver.state, 'former'));
  t.equal(root.toString('hex'), drive(driver.state.hashIn('former')));
  t.not(root.toString('hex'), hashOf(driver.state));
  const saved = { root, trimmings: driver.state.trimmings };
  const restored = new StateDriver(formulas);
  restored.take(store.load(saved, driver.state.coding));
  t.same(restored.read('D900'), driver.read('D900'));
  t.equal(hashOf(restored.state), hashOf(driver.state));
  t.equal(drive(restored.state.hashIn('former')), root.toString('hex'));
  t.end();
});

t.test(
  'the hash of a state with several sheets is that which was recorded before they had ids',
  (t) => {
    const driver = started();
    driver.apply('sheet.add', { name: 'Last' });
    write(driver, [
      ['A1', "=SUM('Plan B:Last'!A1:B$2)+SUM(One:Last!C3)"],
      ['A2', '=SUM(B5:B$2)'],
    ]);
    driver.apply('rows.insert', { sheet: 'One', before: 1, count: 1 });
    driver.apply('sheet.rename', { sheet: 'Last', name: 'Late' });
    const recorded = '475b3b812c8951bd95a08d9f94bcb79331688d816fc481e5a53e222d361e93e1';
    t.equal(drive(driver.state.hashIn('early')), recorded);
    const store = new NodeStore();
    const root = drive(putState(store, driver.state, 'early'));
    const saved = { root, trimmings: driver.state.trimmings };
    t.throws(() => store.load(saved, driver.state.coding), { name: 'NodeFault' });
    t.end();
  },
);

const operators = [
  '=SUM(One!A1:One!B2)',
  "=SUM('Plan B'!A2:'Plan B'!C4)",
  "=SUM(One:'Plan B'!A1:B2)",
  "=SUM('Plan B':One!A1)+SUM(One:late!B$2)",
  "=SUM('Plan B:It''s late'!A:B)",
  '=INDEX(B:B,3):One!A9',
  '=A1:INDEX(B:B,3)',
  '=tax:One!A9',
  '=A1#:One!B2',
  "=one!A1+'PLAN B'!b2",
];

const edits: readonly (readonly [kind: string, payload: object])[] = [
  ['sheet.add', { name: 'late' }],
  ['rows.insert', { sheet: 'One', before: 2, count: 2 }],
  ['rows.move', { sheet: 'One', from: 1, count: 2, before: 8 }],
  ['cols.move', { sheet: 'One', from: 'B', count: 1, before: 'F' }],
  ['sheet.rename', { sheet: 'Plan B', name: 'Plan' }],
  ['sheet.rename', { sheet: 'One', name: 'First one' }],
  ['sheet.rename', { sheet: 'late', name: 'Late' }],
  ['rows.delete', { sheet: 'First one', from: 5, count: 1 }],
  ['sheet.rename', { sheet: 'Late', name: 'last' }],
];

t.test('a colon before a sheet is told alike in memory and in what was stored', (t) => {
  const driver = started();
  write(
    driver,
    operators.map((text, index) => [`H${20 + index}`, text]),
  );
  const store = new NodeStore();
  const again = ({ state }: StateDriver): StateDriver => {
    const read = new StateDriver(formulas);
    read.take(store.load(store.save(state), state.coding, state.branchNo));
    return read;
  };
  const texts = (from: StateDriver) =>
    Array.from({ length: 14 }, (_, at) => from.read(`H${18 + at}`));
  for (const [kind, payload] of edits) {
    const cold = again(driver);
    for (const one of [driver, cold]) one.apply(kind, payload);
    for (const one of [cold, again(driver), again(cold)]) {
      t.same(texts(one), texts(driver), kind);
      t.equal(hashOf(one.state), hashOf(driver.state), kind);
    }
  }
  t.match(texts(driver), {
    4: '=SUM(Plan!A2:Plan!C4)',
    5: "=SUM('First one:Plan'!A1:B2)",
    6: "=SUM('Plan:First one'!A1)+SUM('First one:last'!B$2)",
    7: "=SUM('Plan:It''s late'!A:B)",
  });
  t.end();
});
