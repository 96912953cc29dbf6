import * as fc from 'fast-check';

import { Formulas } from '../../workers/formulas.ts';
import { MergeDriver } from './merge-driver.ts';
import type { StateDriver } from './state-driver.ts';

// Rows of a sheet with their names in the first cell, and steps of two sides that change their
// order.

const formulas = new Formulas();
const sheet = 'One';

/** A step; its numbers choose among the rows that the side may touch at that time. */
export type LineStep =
  | { readonly kind: 'insert'; readonly behind: number }
  | { readonly kind: 'delete'; readonly item: number }
  | { readonly kind: 'move'; readonly item: number; readonly behind: number };

const choice = fc.nat(1_000);

export const anyInsertOrDelete: fc.Arbitrary<LineStep> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), behind: choice }),
  fc.record({ kind: fc.constant('delete' as const), item: choice }),
);

export const anyMove: fc.Arbitrary<LineStep> = fc.record({
  kind: fc.constant('move' as const),
  item: choice,
  behind: choice,
});

export const baseRows = Array.from({ length: 40 }, (_, row) => `row ${row}`);

/** An independent list that is changed like the rows. */
export interface OrderList {
  insert(at: number, name: string): void;
  delete(at: number): void;
  /** Moves a row to its index in the resulting order. */
  move(from: number, to: number): void;
}

/** A list of names, changed in place. */
export function plainList(names: string[]): OrderList {
  return {
    insert: (at, name) => void names.splice(at, 0, name),
    delete: (at) => void names.splice(at, 1),
    move: (from, to) => names.splice(to, 0, ...names.splice(from, 1)),
  };
}

/** The rows of a sheet, as operations of their own. */
export function rowsOf(driver: StateDriver): OrderList {
  return {
    insert: (at, name) => {
      driver.apply('rows.insert', { sheet, before: at + 1, count: 1 });
      driver.apply('cells.set', { sheet, cells: [{ a1: `A${at + 1}`, input: name }] });
    },
    delete: (at) => {
      driver.apply('rows.delete', { sheet, from: at + 1, count: 1 });
    },
    move: (from, to) => {
      if (from === to) return;
      const before = to > from ? to + 2 : to + 1;
      driver.apply('rows.move', { sheet, from: from + 1, count: 1, before });
    },
  };
}

export function rowsDriver(): MergeDriver {
  return new MergeDriver(formulas, (base) => {
    base.apply('sheet.add', { name: sheet });
    const inputs = baseRows.map((name) => [name]);
    base.apply('range.set', { sheet, range: 'A1', inputs });
  });
}

/** The names of the rows, in their order. */
export function namesIn(driver: StateDriver): string[] {
  const found: string[] = [];
  for (let row = 1; row <= 2 * baseRows.length; row++) {
    const name = driver.read(`A${row}`);
    if (typeof name === 'string') found.push(name);
  }
  return found;
}

interface Doing {
  /** Names of the rows that a side adds begin so. */
  readonly side: string;
  readonly steps: readonly LineStep[];
  /** Which of the rows of the base the side may touch. */
  readonly isOwn: (name: string) => boolean;
  readonly lists: readonly OrderList[];
}

/** Applies the same steps to several lists; returns the expected order. */
export function doSteps({ side, steps, isOwn, lists }: Doing): string[] {
  const names = [...baseRows];
  const all = [plainList(names), ...lists];
  const isTouchable = (name: string) => name.startsWith(side) || isOwn(name);
  for (const [index, step] of steps.entries()) {
    const own = names.filter(isTouchable);
    if (own.length < 2) break;
    // Positions are read before any list is changed.
    const seen = [...names];
    const at = (chosen: number) => seen.indexOf(own[chosen % own.length] ?? '');
    for (const list of all) carryOut(step, list, { at, name: `${side} ${index}` });
  }
  return names;
}

function carryOut(
  step: LineStep,
  list: OrderList,
  { at, name }: { at: (chosen: number) => number; name: string },
): void {
  if (step.kind === 'insert') list.insert(at(step.behind) + 1, name);
  else if (step.kind === 'delete') list.delete(at(step.item));
  else {
    const [from, behind] = [at(step.item), at(step.behind)];
    if (from !== behind) list.move(from, from < behind ? behind : behind + 1);
  }
}
