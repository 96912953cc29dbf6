import * as fc from 'fast-check';

import { Rejection } from '../../server/model/rejection.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { Formulas } from '../../workers/formulas.ts';
import { formatOperation, propertyOperation } from './look-operations.ts';
import { MergeDriver, type MergeOutcome } from './merge-driver.ts';
import { lineOperation, recordOperation } from './noted-operations.ts';
import { anyOperation, nameOperation } from './operation-history.ts';
import { drive, type StateDriver } from './state-driver.ts';
import { tableOperation } from './table-operations.ts';
import { contentDifference, contentOf } from './undo-driver.ts';

// Two random histories of one base, with operations of several families.

const formulas = new Formulas();

interface PlayedOperation {
  readonly kind: string;
  readonly payload: object;
}

export interface Histories {
  readonly base: readonly PlayedOperation[];
  readonly ours: readonly PlayedOperation[];
  readonly theirs: readonly PlayedOperation[];
}

const families: Readonly<Record<string, fc.Arbitrary<PlayedOperation>>> = {
  everything: fc.oneof(
    { weight: 6, arbitrary: anyOperation },
    { weight: 2, arbitrary: formatOperation },
    { weight: 2, arbitrary: propertyOperation },
    { weight: 2, arbitrary: recordOperation },
    { weight: 2, arbitrary: lineOperation },
    { weight: 1, arbitrary: nameOperation },
  ),
  lines: fc.oneof({ weight: 1, arbitrary: lineOperation }, { weight: 2, arbitrary: anyOperation }),
  tables: fc.oneof(
    { weight: 4, arbitrary: tableOperation },
    { weight: 1, arbitrary: lineOperation },
  ),
  records: fc.oneof(
    { weight: 3, arbitrary: recordOperation },
    { weight: 1, arbitrary: lineOperation },
  ),
};

/** By the name of their family. */
export const mergeHistories: readonly (readonly [name: string, fc.Arbitrary<Histories>])[] =
  Object.entries(families).map(([name, operation]) => {
    const steps = (maxLength: number) => fc.array(operation, { maxLength });
    return [name, fc.record({ base: steps(6), ours: steps(8), theirs: steps(8) })];
  });

function start(driver: StateDriver): void {
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  driver.apply('name.set', { name: 'tax', ref: 'One!B2' });
  const columns = [{ name: 'k' }, { name: 'v' }, { name: 'x', formula: '=[@v]*One!$A$2+tax' }];
  driver.apply('table.create', {
    name: 'Sales',
    keyColumn: 'k',
    schema: { columns },
    sheetRange: 'Two!B3:D6',
  });
  driver.apply('cells.set', {
    cells: [
      { a1: 'One!C1', input: '=SUM(Sales[v])+SUM(A3:B5)' },
      { a1: 'One!C2', input: '=Two!C4&tax' },
    ],
  });
}

export function playHistories({ base, ours, theirs }: Histories): MergeDriver {
  const run = (driver: StateDriver, operations: Histories['base']) => {
    for (const { kind, payload } of operations) driver.submit(kind, payload);
  };
  const driver = new MergeDriver(formulas, (first) => {
    start(first);
    run(first, base);
  });
  run(driver.ours, ours);
  run(driver.theirs, theirs);
  return driver;
}

/** Returns the merge; undefined if it cannot be written, which is reported to the caller. */
export function mergedOnly(merge: () => MergeOutcome): MergeOutcome | undefined {
  try {
    return merge();
  } catch (error) {
    if (error instanceof Error && error.cause instanceof Rejection) return undefined;
    throw error;
  }
}

export function hashOf(state: BranchState): string {
  return drive(state.stateHash());
}

/** Fails with the first difference between two states. */
export function checkSame(a: BranchState, b: BranchState, what: string): void {
  const difference = contentDifference(contentOf(a), contentOf(b));
  if (difference !== undefined) throw new Error(`${what}: ${difference}`);
}
