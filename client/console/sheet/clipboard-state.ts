import type { Range } from '../../../server/model/range.ts';
import type { Shift } from '../../../server/model/shift.ts';
import { markOf, shiftedCells, type CopiedCells } from './copied-cells.ts';

/** A large paste that needs a confirmation. */
export interface LargePaste {
  readonly count: number;
  /** Pastes it; undefined if it is too large. */
  readonly paste: (() => void) | undefined;
}

/** Cells that this page copied last, with a message or a question about them. */
export class ClipboardState {
  cells: CopiedCells | undefined;
  /** Message about the last copy or paste. */
  told = '';
  /** Undoes the action of the message, as long as nothing else was done. */
  takeBack: (() => void) | undefined;
  question: LargePaste | undefined;
  /** Number of questions so far. */
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

  /** Drops the copied cells; in the clipboard they remain as texts. */
  forget(): void {
    this.cells = undefined;
    this.tell('');
  }

  tell(sentence: string, takeBack?: () => void): void {
    this.told = sentence;
    this.takeBack = takeBack;
    this.#onChange();
  }

  /** Withdraws the undo, because something else was done. */
  goOn(): void {
    if (this.takeBack) this.tell('');
  }

  ask(question: LargePaste | undefined): void {
    this.question = question;
    this.asked++;
    this.#onChange();
  }

  /** Moves the copied cells along with the lines of their sheet. */
  shift(shifts: readonly Shift[]): void {
    this.cells = shiftedCells(this.cells, shifts);
  }

  /** Returns the copied cells on the shown sheet. */
  piecesOn(sheet: string | undefined): readonly Range[] {
    return this.cells && this.cells.sheet === sheet ? this.cells.pieces : [];
  }
}
