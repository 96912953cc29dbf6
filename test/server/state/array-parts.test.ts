import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { StateDriver } from '../../support/state-driver.ts';
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
