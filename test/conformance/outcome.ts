import type { Value } from '../../server/model/cell-value.ts';
import type { CorpusCase, Expectation } from './corpus.ts';

/** A formula that nobody can enter: a wrong number of arguments, or no formula at all. */
export interface Refusal {
  readonly refused: string;
}

export type Found = Value | Refusal;

/** Value that one way of asking found where a case expects one. */
export interface Outcome {
  readonly id: string;
  readonly expectation: Expectation;
  readonly found: Found;
  /** As the corpus has it; empty in a cell that another one spills into. */
  readonly formula: string;
  readonly passes: boolean;
}

/** Compares all that a case expects with what `read` finds. */
export function outcomesOf(
  { id, sheets, expect }: CorpusCase,
  read: (sheet: string, cell: string) => Found,
): Outcome[] {
  return expect.map((expectation) => {
    const { sheet, cell } = expectation;
    const found = read(sheet, cell);
    const formula = sheets[sheet]?.[cell]?.f ?? '';
    return { id, expectation, found, formula, passes: agrees(found, expectation) };
  });
}

type Wanted = Pick<Expectation, 'value' | 'tolerance'>;

/**
 * Numbers agree to twelve digits or the tolerance; an error called `*` is any, blank is 0 or "".
 * Where an error is expected, a refusal is one: Excel refuses such a formula in the same way.
 */
export function agrees(found: Found, { value: expected, tolerance = 0 }: Wanted): boolean {
  if (isRefusal(found)) return errorOf(expected) !== undefined;
  if (typeof found === 'number' && typeof expected === 'number') {
    const allowed = Math.max(tolerance, Math.abs(expected) * 1e-12);
    return Math.abs(found - expected) <= allowed;
  }
  const foundError = errorOf(found);
  const expectedError = errorOf(expected);
  if (expectedError === '*') return foundError !== undefined;
  if (expectedError !== undefined) return foundError === expectedError;
  if (expected === null) return found === null || found === 0 || found === '';
  return found === expected;
}

export function isRefusal(found: Found): found is Refusal {
  return typeof found === 'object' && found !== null && 'refused' in found;
}

function errorOf(value: Expectation['value']): string | undefined {
  return typeof value === 'object' && value !== null ? value.error : undefined;
}
