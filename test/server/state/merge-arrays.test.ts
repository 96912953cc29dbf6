import t from 'tap';

import { MergeDriver } from '../../support/merge-driver.ts';
import type { StateDriver } from '../../support/state-driver.ts';

/** A legacy array and cells within it: a merge keeps the one or the others, and never a part. */

type Write = (driver: StateDriver) => void;

const cells =
  (...written: object[]): Write =>
  (driver) =>
    void driver.apply('cells.set', { sheet: 'S', cells: written });
const array = (input: string) => cells({ a1: 'A1', input, array: 'A1:A3' });
const cleared: Write = (driver) => void driver.apply('range.clear', { sheet: 'S', range: 'A1:A3' });

const entered = array('=B1:B3*2');
const filled = ['=B1:B3*2', null, null, null];

interface Case {
  readonly name: string;
  readonly base: readonly Write[];
  /** The side with the array, and the other. */
  readonly array: readonly Write[];
  readonly other: readonly Write[];
  readonly conflicts: number;
  /** The cells where the array is chosen, and where the others are. */
  readonly withArray: readonly unknown[];
  readonly without: readonly unknown[];
}

const cases: readonly Case[] = [
  {
    name: 'a cell that was blank',
    base: [],
    array: [entered],
    other: [cells({ a1: 'A3', input: 7 })],
    conflicts: 1,
    withArray: filled,
    without: [null, null, 7, null],
  },
  {
    name: 'cells that held something, which the array was entered over',
    base: [cells({ a1: 'A1', input: 1 }, { a1: 'A2', input: 2 })],
    array: [entered],
    other: [cells({ a1: 'A2', input: 5 }, { a1: 'A3', input: 7 })],
    conflicts: 2,
    withArray: filled,
    without: [1, 5, 7, null],
  },
  {
    name: 'nothing within the array',
    base: [cells({ a1: 'A1', input: 1 }, { a1: 'A2', input: 2 })],
    array: [entered],
    other: [cells({ a1: 'A4', input: 5 })],
    conflicts: 0,
    withArray: ['=B1:B3*2', null, null, 5],
    without: ['=B1:B3*2', null, null, 5],
  },
  {
    name: 'an array that one side changed and the other took away',
    base: [entered],
    array: [array('=B1:B3*3')],
    other: [cleared, cells({ a1: 'A2', input: 5 })],
    conflicts: 2,
    withArray: ['=B1:B3*3', null, null, null],
    without: [null, 5, null, null],
  },
  {
    name: 'an array that only one side took away',
    base: [entered],
    array: [cells({ a1: 'A4', input: 1 })],
    other: [cleared, cells({ a1: 'A2', input: 5 })],
    conflicts: 0,
    withArray: [null, 5, null, 1],
    without: [null, 5, null, 1],
  },
];

for (const one of cases) {
  t.test(`an array and ${one.name}`, (t) => {
    const both = (isArrayOurs: boolean): MergeDriver => {
      const driver = new MergeDriver(undefined, (base) => {
        base.apply('sheet.add', { name: 'S' });
        for (const write of one.base) write(base);
      });
      const [ours, theirs] = isArrayOurs ? [one.array, one.other] : [one.other, one.array];
      for (const write of ours) write(driver.ours);
      for (const write of theirs) write(driver.theirs);
      return driver;
    };
    for (const isArrayOurs of [true, false]) {
      for (const otherwise of ['ours', 'theirs'] as const) {
        const { driver, conflicts } = both(isArrayOurs).merge({ otherwise });
        const keepsArray = isArrayOurs === (otherwise === 'ours');
        const what = `the array is ${isArrayOurs ? 'ours' : 'theirs'}, ${otherwise} is chosen`;
        t.equal(conflicts.length, one.conflicts, what);
        t.same(driver.rows('A1:A4').flat(), keepsArray ? one.withArray : one.without, what);
      }
    }
    t.end();
  });
}
