import type { Address } from '../../../server/model/address.ts';
import { quoteSheet } from '../../../server/model/range.ts';
import type { Arrow } from './edge.ts';
import type { CellEditor } from './editor.ts';
import type { GridEvents, GridShape, PointingField, ShownSheet } from './grid-events.ts';
import { isOneCell, shownCell, wholeSelection } from './merged.ts';
import { rangesOf, revealedOf, selectionName, type Selection } from './selection.ts';
import { stepFrom, stepped } from './stepping.ts';

/** The part of a grid that typing uses. */
interface TypedGrid {
  readonly editor: CellEditor;
  readonly events: GridEvents;
  readonly shape: () => GridShape;
  readonly selection: () => Selection;
  readonly select: (selection: Selection) => void;
  readonly reveal: (cell: Partial<Address>) => void;
  readonly lead: (way: Promise<unknown>) => void;
}

/** A text that is being typed, and its cell, also while another sheet is shown. */
export class Typing {
  readonly #grid: TypedGrid;
  /** Sheet of the text. */
  #sheet: ShownSheet | undefined;
  /** Selection of that sheet, while another one is shown. */
  #away: Selection | undefined;
  /** Cells pointed at for a formula. */
  #pointed: Selection | undefined;
  #isOn = false;

  constructor(grid: TypedGrid) {
    this.#grid = grid;
  }

  /** True while the sheet of the text is not shown. */
  get isAway(): boolean {
    return this.#away !== undefined;
  }

  /** Notes that typing begins or ends. */
  turn(isOn: boolean): void {
    if (isOn && !this.#isOn) {
      this.#sheet = this.#grid.events.sheet?.();
      this.#pointed = undefined;
    }
    this.#isOn = isOn;
  }

  /**
   * Handles a change of the sheet: a formula continues there if cells can be pointed at, anything
   * else is entered. Returns the old selection on return to the sheet of the text.
   */
  turnSheet(): Selection | undefined {
    const { editor, events, selection } = this.#grid;
    if (!editor.isOpen) return undefined;
    this.#pointed = undefined;
    if (this.#away && events.sheet?.()?.id === this.#sheet?.id) {
      const back = this.#away;
      this.#away = undefined;
      return back;
    }
    if (editor.assist.canPoint) this.#away ??= selection();
    else if (this.#away) editor.commit();
    else events.onEdit(selection().active, editor.take(), this.#sheet?.id);
    return undefined;
  }

  /** Enters a text and moves on: by an arrow to the next cell, else through the selection. */
  commit(text: string, step: Arrow, isByArrow: boolean): void {
    const { events, select, selection, shape } = this.#grid;
    const from = this.#away ?? selection();
    events.onEdit(from.active, text, this.#sheet?.id);
    const next = () => {
      if (!isByArrow) return stepped(from, step, shape());
      const to = stepFrom(from.active, step, shape());
      return { active: to, other: to };
    };
    if (this.#away) this.#return(next);
    else select(next());
  }

  /** Enters a text for the whole selection. */
  commitAll(text: string): void {
    const { events, selection, shape } = this.#grid;
    const from = this.#away ?? selection();
    events.onEdit(from.active, text, this.#sheet?.id);
    // Nothing is written below a merged area.
    const ranges = isOneCell(from, shape().merged) ? [] : rangesOf(from);
    for (const range of ranges) events.onRepeat?.(from.active, range, this.#sheet?.id);
    if (this.#away) this.#return(() => from);
  }

  /** Cancels the text. */
  cancel(): void {
    const from = this.#away;
    if (from) this.#return(() => from);
  }

  /** Returns the field that takes references by pointing; undefined if there is none. */
  pointing(): Pick<PointingField, 'canPoint' | 'point' | 'sheet'> | undefined {
    const { editor, events } = this.#grid;
    const field = editor.isOpen ? editor.assist : events.pointing?.();
    if (field?.canPoint !== true) return undefined;
    const sheet = editor.isOpen ? this.#sheet : events.pointing?.()?.sheet;
    return { canPoint: true, sheet, point: (name) => field.point(name) };
  }

  point(selection: Selection): void {
    const { events, reveal, shape } = this.#grid;
    const field = this.pointing();
    const shown = events.sheet?.();
    const isHere = field?.sheet === undefined || shown === undefined || field.sheet.id === shown.id;
    const { merged } = shape();
    const whole = wholeSelection(selection, merged);
    // A merged area is named by its first cell.
    const first = shownCell(merged, whole.active);
    const isOne = isOneCell(whole, merged);
    const name = selectionName(isOne ? { active: first, other: first } : whole);
    this.#pointed = selection;
    field?.point(isHere ? name : `${quoteSheet(shown.name)}!${name}`);
    reveal(revealedOf(selection, shape()));
  }

  pointBy(arrow: Arrow, isExtending: boolean): void {
    const { editor, selection, shape } = this.#grid;
    const from = (editor.assist.isPointing ? this.#pointed : undefined) ?? selection();
    const to = stepFrom(isExtending ? from.other : from.active, arrow, shape());
    this.point({ active: isExtending ? from.active : to, other: to });
  }

  #return(then: () => Selection): void {
    const { events, lead, select } = this.#grid;
    this.#away = undefined;
    const way = events.onReturn?.(this.#sheet?.id) ?? Promise.resolve();
    lead(way.then(() => select(then())));
  }
}
