import { isFormulaInput, type Input, type Value } from '../../model/cell-value.ts';
import { writeInput, type WireInput } from '../../model/input.ts';

export const matchKinds = ['contains', 'whole', 'starts'] as const;

/** A text to find, and where. */
export interface Search {
  readonly text: string;
  readonly lens: 'value' | 'formula' | 'input';
  readonly match: (typeof matchKinds)[number];
  readonly isCaseKept: boolean;
  /** Name of the only sheet to search. */
  readonly sheet: string | undefined;
  readonly limit: number;
}

/** Most work for one page, in cells with a text of 64 characters: some 20 ms. */
export const searchedMost = 100_000;
const unitsOfWork = 64;

/** Returns the work of a cell by the length of its text. */
export function workOf(shown: WireInput): number {
  return typeof shown === 'string' ? 1 + Math.floor(shown.length / unitsOfWork) : 1;
}

/** Makes the test of whether a shown value matches. */
export function matcherOf({ text, match, isCaseKept }: Search): (shown: WireInput) => boolean {
  const fold = (whole: string): string => (isCaseKept ? whole : whole.toLowerCase());
  const wanted = fold(text);
  return (shown) => {
    const whole = fold(textOf(shown));
    if (match === 'whole') return whole === wanted;
    return match === 'starts' ? whole.startsWith(wanted) : whole.includes(wanted);
  };
}

/** Returns the input as the lens shows it; null if it shows nothing. */
export function shownInput(input: Input, lens: 'formula' | 'input'): WireInput {
  const isFormula = isFormulaInput(input);
  if (isFormula) return input.formula;
  return lens === 'input' ? writeInput(input) : null;
}

/** Returns the searched text: numbers as in JSON, regardless of formats. */
function textOf(shown: Value): string {
  if (typeof shown === 'string') return shown;
  if (typeof shown === 'number') return String(shown);
  if (typeof shown === 'boolean') return shown ? 'TRUE' : 'FALSE';
  return shown?.error ?? '';
}
