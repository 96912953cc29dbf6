import { createHash } from 'node:crypto';

import { writeInput } from '../model/input.ts';
import type { Operation } from '../model/operation.ts';
import { Rejection } from '../model/rejection.ts';
import type { BranchState } from './branch-state.ts';
import type { PlanContext } from './plan/plan.ts';
import type { Expected } from './operations/plan-cells.ts';
import { findCell } from './plan/plan-target.ts';

/** Throws a rejection unless every cell named in `expect` holds the expected input. */
export function checkExpectations(
  operation: Operation,
  context: PlanContext,
  state: BranchState,
): void {
  if (isUnconditional(operation)) return;
  const expectations = expectationsOf(operation);
  for (const { a1, expected } of expectations) {
    const sheet = 'sheet' in operation.payload ? operation.payload.sheet : undefined;
    const found = findCell(a1, sheet, context);
    const row = found.sheet.rows.position(found.row);
    const column = found.sheet.columns.position(found.column);
    if (row === undefined || column === undefined) {
      throw new Rejection('precondition_failed', `${a1} was deleted`);
    }
    const held = writeInput(state.inputAt(found.sheet.head, row, column));
    const wanted = spelled(expected, { state, row, column });
    if (isHash(wanted) ? inputHash(held) !== wanted.hash : !sameWire(held, wanted)) {
      throw new Rejection('precondition_failed', `${a1} holds ${JSON.stringify(held)}`);
    }
  }
}

/** Returns the hash that `expect: {"A1": {"hash": …}}` is compared with. */
export function inputHash(input: Expected): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}

function isUnconditional(operation: Operation): boolean {
  if (operation.expect) return false;
  if (operation.kind !== 'cells.set') return true;
  for (const { expect } of operation.payload.cells) if (expect !== undefined) return false;
  return true;
}

function expectationsOf(operation: Operation): { a1: string; expected: Expected }[] {
  const found: { a1: string; expected: Expected }[] = [];
  if (operation.expect) {
    for (const [a1, expected] of Object.entries(operation.expect)) found.push({ a1, expected });
  }
  if (operation.kind !== 'cells.set') return found;
  for (const { a1, expect } of operation.payload.cells) {
    if (expect !== undefined) found.push({ a1, expected: expect });
  }
  return found;
}

/** Returns a formula as it would be shown, so that spelling does not matter. */
function spelled(
  expected: Expected,
  at: { state: BranchState; row: number; column: number },
): Expected {
  if (expected === '') return null;
  if (typeof expected !== 'string' || !expected.startsWith('=')) return expected;
  const { coding } = at.state;
  if (!coding.formulas.check(expected).ok) return expected;
  return coding.canonical(expected, at.row, at.column);
}

function isHash(expected: Expected): expected is { readonly hash: string } {
  return typeof expected === 'object' && expected !== null && 'hash' in expected;
}

function sameWire(a: Expected, b: Expected): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
