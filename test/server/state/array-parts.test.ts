import t from 'tap';

import type { Operation } from '../../../server/model/operation.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import { replay } from '../../../server/state/admission.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { CellCoding } from '../../../server/state/cells/cell-coding.ts';
import { toEnd } from '../../../server/state/plan/steps.ts';
import { openBytes } from '../../../server/state/state-weight.ts';
import { FormulaDouble } from '../../support/formula-double.ts';
import { NodeStore } from '../../support/node-store.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';
import { testSeed } from '../../support/test-seed.ts';

const [rowCount, columnCount] = [500, 20];
const array = `A1:T${rowCount}`;

function withArray(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  const cells = [{ a1: 'A1', input: `=ROW(${array})`, array }];
  driver.apply('cells.set', { sheet: 'S', cells });
  return driver;
}

/** All cells of the array, each by itself, in any order. */
function ownCells(): { a1: string; input: number }[] {
  const random = new SeededRandom(testSeed);
  const cells = Array.from({ length: rowCount * columnCount }, (_, at) => ({
    a1: `${String.fromCharCode(65 + (at % columnCount))}${1 + Math.floor(at / columnCount)}`,
    input: at,
    order: random.next(),
  }));
  cells.sort((one, other) => one.order - other.order);
  return cells.map(({ a1, input }) => ({ a1, input }));
}

t.test('the cells of an array are written one by one, all of them or none', async (t) => {
  const cells = ownCells();
  const whole = withArray();
  whole.apply('cells.set', { sheet: 'S', cells });
  t.equal(whole.read('T500'), rowCount * columnCount - 1);
  const part = (): void =>
    void withArray().apply('cells.set', { sheet: 'S', cells: cells.slice(1) });
  t.throws(part, Rejection);
});

t.test('cells that stand far apart are beside an array or in it', async (t) => {
  const driver = withArray();
  driver.apply('cells.set', {
    sheet: 'S',
    cells: [
      { a1: 'U1', input: 1 },
      { a1: 'A501', input: 2 },
      { a1: 'ZZ100000', input: 3 },
    ],
  });
  for (const a1 of ['A2', 'T1', 'J250', 'T500']) {
    const cells = [
      { a1: 'ZZ1', input: 1 },
      { a1, input: 1 },
    ];
    t.throws(() => driver.apply('cells.set', { sheet: 'S', cells }), Rejection, a1);
  }
  const looks = [{ a1: 'J250', fmt: '0.00' }];
  driver.apply('cells.set', { sheet: 'S', cells: looks });
});

t.test('an operation writes a new array, or cells of it', async (t) => {
  const cells = Array.from({ length: 2_000 }, (_, at) => ({
    a1: `A${1 + 2 * at}`,
    input: '=C1:C2',
    array: `A${1 + 2 * at}:A${2 + 2 * at}`,
  }));
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  const also = [...cells, { a1: 'A4000', input: 1 }];
  t.throws(() => driver.apply('cells.set', { sheet: 'S', cells: also }), Rejection);
  driver.apply('cells.set', { sheet: 'S', cells });
});

const hashOf = (state: BranchState): string => drive(state.stateHash());

t.test('an array is entered over what its cells hold, as in Excel', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  const held = [
    { a1: 'A1', input: 1 },
    { a1: 'A2', input: 5, fmt: '0.00' },
    { a1: 'A3', input: '=1+1' },
    { a1: 'B2', input: '=D1:D2', array: 'B2:B3' },
    { a1: 'C1', input: 'beside' },
  ];
  driver.apply('cells.set', { sheet: 'S', cells: held });
  const array = { a1: 'A1', input: '=D1:E3*2', array: 'A1:B3' };
  const entered = driver.apply('cells.set', { sheet: 'S', cells: [array] });
  const blank = [null, null];
  t.same(driver.rows('A1:C3'), [
    ['=D1:E3*2', null, 'beside'],
    [...blank, null],
    [...blank, null],
  ]);
  t.match(entered.payload, {
    cells: [array, ...['A2', 'A3', 'B2'].map((a1) => ({ a1, input: null }))],
  });
  t.equal(hashOf(driver.replayed().state), hashOf(driver.state), 'replayed');
  driver.apply('range.clear', { sheet: 'S', range: 'A1:B3' });
  t.same(driver.rows('A1:B3'), [blank, blank, blank], 'nothing comes up again');
  // The client has not seen that a row came above.
  const seen = driver.state.head;
  driver.apply('range.set', { sheet: 'S', range: 'A2', inputs: [[7]] });
  driver.apply('rows.insert', { sheet: 'S', before: 1, count: 1 });
  driver.apply('cells.set', { sheet: 'S', cells: [{ ...array, array: 'A1:A3' }] }, seen);
  t.same(driver.rows('A1:A4'), [[null], ['=D2:E4*2'], [null], [null]]);
  t.equal(hashOf(driver.replayed().state), hashOf(driver.state), 'replayed');
});

t.test('an array is not entered over a part of another one', async (t) => {
  const driver = withArray();
  const cells = [{ a1: 'T500', input: '=1', array: 'T500:U501' }];
  t.throws(() => driver.apply('cells.set', { sheet: 'S', cells }), Rejection);
});

t.test('an array of a stored state has its cells, also between rows of several runs', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  driver.apply('rows.insert', { sheet: 'S', before: 5 });
  const cells = [{ a1: 'A1', input: '=ROW(A1:A5)', array: 'A1:A5' }];
  driver.apply('cells.set', { sheet: 'S', cells });
  const store = new NodeStore();
  const restored = new StateDriver();
  restored.take(store.load(store.save(driver.state), new CellCoding(new FormulaDouble())));
  t.equal(restored.read('A1'), '=ROW(A1:A5)');
  for (const a1 of ['A2', 'A3', 'A5']) {
    const result = restored.submit('cells.set', { sheet: 'S', cells: [{ a1, input: 1 }] });
    t.match(result, { code: 'array_part' }, a1);
  }
  const beside = { sheet: 'S', cells: [{ a1: 'A6', input: 1 }] };
  t.match(restored.submit('cells.set', beside), { status: 'applied' });
});

/** As packs from before, which note nothing of their blocks. */
class StoreBefore extends NodeStore {
  override hasArrays(): undefined {
    return undefined;
  }
}

t.test('a write to a stored state reads only blocks that may hold arrays', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'S' });
  const inputs = Array.from({ length: 3_000 }, (_, row) => [row, '=A1', `text ${row}`]);
  driver.apply('range.set', { sheet: 'S', range: 'A1:C3000', inputs });
  const store = new StoreBefore();
  const restored = (): StateDriver => {
    const cold = new StateDriver();
    cold.take(store.load(store.save(driver.state), new CellCoding(new FormulaDouble())));
    return cold;
  };
  const plain = restored();
  plain.apply('cells.set', { sheet: 'S', cells: [{ a1: 'D1', input: 1 }] });
  const bytes = toEnd(openBytes(plain.state));
  t.ok(bytes < 3_000, `${bytes} bytes of blocks were read or made`);
  const array = { a1: 'E2000', input: '=ROW(A1:A9)', array: 'E2000:E2008' };
  driver.apply('cells.set', { sheet: 'S', cells: [array] });
  const torn = restored();
  const part = { sheet: 'S', cells: [{ a1: 'E2005', input: 1 }] };
  t.match(torn.submit('cells.set', part), { code: 'array_part' });
});

t.test('the blank row of a table replays where it came, whatever arrays are known', async (t) => {
  const sheet = 'S';
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: sheet });
  const schema = { columns: [{ name: 'k' }, { name: 'v' }] };
  driver.apply('table.create', { name: 'T', keyColumn: 'k', schema, sheetRange: 'S!A1:B4' });
  driver.apply('cells.set', { sheet, cells: [{ a1: 'D9', input: '=SUM(B2:B3)' }] });
  driver.apply('cells.set', { sheet, cells: [{ a1: 'H1', input: '=D1:D2', array: 'H1:H2' }] });
  driver.apply('range.clear', { sheet, range: 'H1:H2' });
  const store = new NodeStore();
  const saved = store.save(driver.state);
  const load = (coding: CellCoding) => store.load(saved, coding);
  const known = driver.state.coding;
  const { kind, payload, resolved } = driver.apply('rows.delete', { sheet, from: 2, count: 3 });
  const replayed = (state: BranchState, facts: typeof resolved) => {
    drive(replay(state, { kind, payload } as Operation, facts));
    return drive(state.stateHash());
  };
  const fresh = () => load(new CellCoding(new FormulaDouble()));
  const hash = drive(driver.state.stateHash());
  t.equal(replayed(fresh(), resolved), hash);
  t.equal(replayed(load(known), resolved), hash);
  const { blankBehind, ...unsaid } = resolved;
  t.equal(blankBehind, 'last');
  const first = replayed(fresh(), unsaid);
  t.not(first, hash, 'operations of old journals go by the arrays that are known');
  t.equal(replayed(load(known), unsaid), hash);
  t.equal(replayed(load(known), { ...unsaid, blankBehind: 'first' }), first);
});
