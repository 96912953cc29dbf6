import type { Value } from '../server/model/cell-value.ts';

/** Kind of formula of a cell: dynamic, or one of the two older kinds of Excel. */
export type FormulaMode = 'none' | 'dynamic' | 'legacy' | 'array';
/** Modes by the kernel's number plus one. */
export const formulaModes: readonly FormulaMode[] = ['none', 'dynamic', 'legacy', 'array'];

export interface Spill {
  readonly rowCount: number;
  readonly columnCount: number;
  /** True for the area of a legacy array formula, which does not grow with its array. */
  readonly isFixed: boolean;
}

/** Value of a formula that is in no cell. */
export interface ApartResult {
  /** Rows of values; undefined if there are more cells than allowed. */
  readonly rows: readonly (readonly Value[])[] | undefined;
}
