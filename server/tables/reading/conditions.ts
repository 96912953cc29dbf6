import type { BranchState } from '../../state/branch-state.ts';
import { namesInFormula } from '../../state/formulas/formula-names.ts';
import type { StoredColumn, StoredTable } from '../../state/structure/tables.ts';
import { readQuestion } from './question.ts';
import { depths, placing, textEnd } from './row-free.ts';

/** A formula whose result depends on one column, or on no column. */
export interface Condition {
  readonly formula: string;
  /**
   * The formula beside a neutral condition. AND and OR ignore some arguments, such as blank cells,
   * for which this one is no error and the formula alone is.
   */
  readonly beside: string | undefined;
  readonly column: StoredColumn | undefined;
}

/** Conditions of which a row must fit all, or any. */
export interface Conditions {
  readonly wanted: 'all' | 'any';
  readonly parts: readonly (Condition | Conditions)[];
}

const depthMost = 8;
/**
 * Splits a question into conditions: `AND([@Price]>10,[@Region]="North")` has one on each of two
 * columns, which are evaluated for their distinct values only. Undefined if it cannot be split.
 */
export function conditionsOf(
  text: string,
  table: StoredTable,
  state: BranchState,
): Conditions | undefined {
  const formula = text.replace(/^=/u, '').trim();
  if (placing.test(formula)) return undefined;
  const whole = conditionOf({ formula }, table, state);
  if (whole) return { wanted: 'all', parts: [whole] };
  return takenApart(formula, { table, state, depth: 0 });
}

interface Asked {
  readonly table: StoredTable;
  readonly state: BranchState;
  readonly depth: number;
}

function takenApart(formula: string, { table, state, depth }: Asked): Conditions | undefined {
  const call = /^(AND|OR)\(/iu.exec(formula);
  const parts = call ? argumentsOf(formula, call[0].length) : undefined;
  if (!call || !parts || depth > depthMost) return undefined;
  const isAll = call[1]?.toUpperCase() === 'AND';
  const conditions: (Condition | Conditions)[] = [];
  for (const part of parts) {
    const texts = isAll
      ? { formula: `AND(${part})`, beside: `AND(${part},TRUE)` }
      : { formula: `OR(${part})`, beside: `OR(${part},FALSE)` };
    const condition =
      conditionOf(texts, table, state) ??
      takenApart(part.trim(), { table, state, depth: depth + 1 });
    if (!condition) return undefined;
    conditions.push(condition);
  }
  return { wanted: isAll ? 'all' : 'any', parts: conditions };
}

function conditionOf(
  { formula, beside }: { readonly formula: string; readonly beside?: string },
  table: StoredTable,
  state: BranchState,
): Condition | undefined {
  const isOfRow = namesInFormula(`=${formula}`).every(
    ({ kind, start }) => kind !== 'column' || /@\[?$/u.test(`=${formula}`.slice(0, start)),
  );
  if (!isOfRow) return undefined;
  const { columns } = readQuestion(formula, table, state);
  const [column] = columns;
  if (columns.length > 1) return undefined;
  return { formula: `=${formula}`, beside: beside && `=${beside}`, column };
}

/**
 * Returns the arguments of a call from the place of its first one; undefined if the call is not the
 * end of the formula, or an argument is missing.
 */
function argumentsOf(formula: string, start: number): string[] | undefined {
  const commas: number[] = [];
  let depth = 1;
  let at = start;
  for (; at < formula.length && depth > 0; at++) {
    const character = formula[at] ?? '';
    depth += depths[character] ?? 0;
    if (character === ',' && depth === 1) commas.push(at);
    else at = textEnd(formula, at);
  }
  if (depth > 0 || at < formula.length) return undefined;
  const starts = [start, ...commas.map((comma) => comma + 1)];
  const ends = [...commas, formula.length - 1];
  const found = starts.map((from, index) => formula.slice(from, ends[index]));
  return found.every((part) => part.trim() !== '') ? found : undefined;
}
