import type { Range } from '../../../server/model/range.ts';
import type { Shift } from '../../../server/model/shift.ts';
import { markOf, shiftedCells, type CopiedCells } from './copied-cells.ts';

/** A paste that is asked about first, because it is a large one. */
export interface LargePaste {
  readonly count: number;
  /** Writes it; undefined where it is too large for that. */
  readonly paste: (() => void) | undefined;
}

/** The cells that this page copied last, and what it has to say or to ask about them. */
export class ClipboardState {
  cells: CopiedCells | undefined;
  /** A sentence for whoever copies or pastes. */
  told = '';
  /** Takes back that of which the sentence tells, as long as nothing else was done since. */
  takeBack: (() => void) | undefined;
  question: LargePaste | undefined;
  /** Counts the questions. */
  asked = 0;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  copy(place: Omit<CopiedCells, 'id' | 'text'>): string {
    this.cells = { ...place, id: crypto.randomUUID(), text: undefined };
    this.tell('');
    return markOf(this.cells);
  }

  keepText(text: string): void {
    this.cells = this.cells && { ...this.cells, text };
  }

  /** Copied cells become what they are in the clipboard: texts. */
  forget(): void {
    this.cells = undefined;
    this.tell('');
  }

  tell(sentence: string, takeBack?: () => void): void {
    this.told = sentence;
    this.takeBack = takeBack;
    this.#onChange();
  }

  /** Something else was done: nothing is offered to be taken back any more. */
  goOn(): void {
    if (this.takeBack) this.tell('');
  }

  ask(question: LargePaste | undefined): void {
    this.question = question;
    this.asked++;
    this.#onChange();
  }

  /** Copied cells move along with the lines of their sheet. */
  shift(shifts: readonly Shift[]): void {
    this.cells = shiftedCells(this.cells, shifts);
  }

  /** Returns the copied cells of the sheet that is shown. */
  piecesOn(sheet: string | undefined): readonly Range[] {
    return this.cells && this.cells.sheet === sheet ? this.cells.pieces : [];
  }
}
