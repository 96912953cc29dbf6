import type { Address } from '../model/address.ts';
import type { Value } from '../model/cell-value.ts';
import { readFormats } from '../state/cells/sheet-formats.ts';
import type { BranchState } from '../state/branch-state.ts';
import { formatsOf } from '../state/plan/plan.ts';
import { shownTextsOf } from './shown-slices.ts';

/** Formats single cells by the number formats of one state, in US English. */
export class CellTexts {
  readonly #state: BranchState;
  readonly #shown: ReturnType<typeof shownTextsOf>;

  constructor(state: BranchState) {
    this.#state = state;
    this.#shown = shownTextsOf(state);
  }

  /** Returns the formatted text of a value; undefined if equal to the value. */
  textOf(sheetId: string, { row, column }: Address, value: Value): string | undefined {
    if (typeof value !== 'number' && typeof value !== 'string') return undefined;
    const sheet = this.#state.structure.withId(sheetId);
    if (!sheet) return undefined;
    const cell = { row0: row, column0: column, row1: row, column1: column };
    const [style = 0] = readFormats(formatsOf(this.#state, sheet), cell);
    const { texts, patternOf } = this.#shown;
    const text = texts.show(value, patternOf(style)) ?? '';
    return text === String(value) ? undefined : text;
  }
}
