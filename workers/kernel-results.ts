import type { Value } from '../server/model/cell-value.ts';

/** The formula of a cell beside its text: dynamic, or one of Excel's two older kinds. */
export type FormulaMode = 'none' | 'dynamic' | 'legacy' | 'array';
/** By the number that the kernel gives them, one higher. */
export const formulaModes: readonly FormulaMode[] = ['none', 'dynamic', 'legacy', 'array'];

export interface Spill {
  readonly rowCount: number;
  readonly columnCount: number;
  /** The area of a legacy array formula, which does not grow with its array. */
  readonly isFixed: boolean;
}

/** The value of a formula that stands in no cell. */
export interface ApartResult {
  /** Undefined where there are more cells than were asked for. */
  readonly rows: readonly (readonly Value[])[] | undefined;
}
