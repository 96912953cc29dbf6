import { holdsRange } from '../../../server/model/range.ts';
import type { Address } from '../../../server/model/address.ts';
import type { CellEditor } from './editor.ts';
import { edgeFrom, guessedEdge, isFilledAt, regionAround, type Arrow } from './edge.ts';
import type { GridEvents, GridShape } from './grid-events.ts';
import { KeyTurns } from './key-turns.ts';
import { jumpOf, moved, movedTo, type Page } from './keys.ts';
import { edgeOfArea } from './merged.ts';
import { rangeOfSelection, selectionOfRange, type Selection } from './selection.ts';
import type { GridSource } from './source.ts';
import { characterOf, typeInto, type Pressed } from './typed-key.ts';

/** The part of a grid that its keys use. */
export interface KeyedGrid {
  readonly editor: CellEditor;
  readonly source: GridSource;
  readonly events: GridEvents;
  readonly shape: () => GridShape;
  readonly page: () => Page;
  readonly selection: () => Selection;
  readonly select: (selection: Selection) => void;
  readonly selectLines: (lines: 'rows' | 'columns', first: number, last: number) => void;
  readonly clear: () => void;
}

const modifiers = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph']);

/** Handles keys in the order in which they were pressed: those after a jump act where it leads. */
export class GridKeys {
  readonly #grid: KeyedGrid;
  readonly #turns = new KeyTurns();
  #isLed = false;
  /** True when the next moved-to cells are added to the selection. */
  #isAdding = false;

  constructor(grid: KeyedGrid) {
    this.#grid = grid;
  }

  /** Delays an act until earlier keys are done; returns false if none is pending. */
  later(act: () => void): boolean {
    return this.#turns.later(act);
  }

  /** Holds a key back while an earlier one is pending; its text is typed then. */
  holds(pressed: Pressed): boolean {
    if (modifiers.has(pressed.key) || isOfClipboard(pressed)) return false;
    return this.#turns.later(() => this.#press(pressed), characterOf(pressed));
  }

  /** Acts as for keys of the keyboard, behind all that are pending. */
  press(keys: readonly Pressed[]): void {
    for (const pressed of keys) {
      const act = () => this.#press(pressed);
      if (!this.#turns.later(act, characterOf(pressed))) act();
    }
  }

  #press(pressed: Pressed): void {
    const { editor } = this.#grid;
    if (!editor.press(pressed)) typeInto(editor.element, pressed);
  }

  /** Holds keys back until a move to another place is done. */
  lead(way: Promise<unknown>): void {
    this.giveUp();
    this.#follow(way);
  }

  /** Drops pending keys; their text is kept as one that found no cell. */
  giveUp(): void {
    this.#isLed = false;
    this.#isAdding = false;
    this.#keepLost(this.#turns.giveUp());
  }

  /** Ends pending keys of the former sheet when another sheet is shown. */
  turnSheet(): void {
    this.#isAdding = false;
    if (!this.#isLed) this.giveUp();
  }

  /** Handles a key while nothing is being typed; returns whether it is a command. */
  take(pressed: Pressed): boolean {
    const { events, selection, shape, page } = this.#grid;
    if (pressed.key === 'Escape') this.#isAdding = false;
    const arrow = jumpOf(pressed);
    if (arrow) {
      this.#jump(arrow, pressed.shiftKey);
      return true;
    }
    const next = moved(selection(), pressed, { ...shape(), page: page() });
    if (next) this.#move(next);
    if (next || this.#runs(pressed)) return true;
    const taken = events.onKey?.(pressed) ?? false;
    if (typeof taken === 'boolean') return taken;
    this.#follow(taken);
    return true;
  }

  /** Moves to a selection, adding to the old one after Shift+F8. */
  #move(next: Selection): void {
    const { selection, select } = this.#grid;
    const { also = [] } = selection();
    select(this.#isAdding ? { also, ...next } : next);
  }

  /** Turns adding to the selection on or off (Shift+F8). */
  #turnAdding(): void {
    const { events, selection, select } = this.#grid;
    this.#isAdding = !this.#isAdding;
    events.onTell?.(this.#isAdding ? 'Select more cells beside these. Shift+F8 ends that.' : '');
    if (!this.#isAdding) return;
    const now = selection();
    select({ ...now, also: [...(now.also ?? []), rangeOfSelection(now)] });
  }

  /** Opens the editor with the input of the active cell, once it is loaded. */
  edit(): void {
    const { editor, events, selection } = this.#grid;
    if (editor.isOpen) return;
    const text = events.inputOf(selection().active);
    if (typeof text === 'string') editor.open(text);
    else
      this.#turns.begin(
        () => text,
        (known) => {
          if (known === undefined) this.#keepLost(this.#turns.giveUp());
          else if (!editor.isOpen) editor.open(known);
        },
      );
  }

  /** Selects the block around the active cell, and at the second time all used cells. */
  selectAll(): void {
    const { selection, select, shape, source } = this.#grid;
    const { used } = shape();
    const { active } = selection();
    const region = regionAround(active, { source, ...shape() }) ?? used;
    const known = rangeOfSelection(selection());
    const all = holdsRange(known, used) ? known : used;
    const range = holdsRange(known, region) ? all : region;
    const { active: first, other } = selectionOfRange(range);
    const isWithin = holdsRange(range, rangeOfSelection({ active, other: active }));
    // The active cell stays where it is.
    select(isWithin ? { active, anchor: first, other } : { active: first, other });
  }

  /** Fills the selection down as far as the column beside it is filled. */
  fillDown(): void {
    const { events, selection, select, shape, source } = this.#grid;
    const filled = rangeOfSelection(selection());
    const { row1, column0, column1 } = filled;
    const sheet = { source, ...shape() };
    const isFilled = (row: number, column: number) => isFilledAt({ row, column }, sheet) === true;
    const beside = [column0 - 1, column1 + 1].find((column) => isFilled(row1 + 1, column));
    if (beside === undefined) return;
    const fill = ({ row }: Address) => {
      const target = { ...filled, row1: row };
      events.onFill?.(filled, target);
      select(selectionOfRange(target));
    };
    const row = isFilled(row1, beside) ? row1 : row1 + 1;
    if (row > row1 && !isFilled(row + 1, beside)) fill({ row, column: beside });
    else this.#find({ row, column: beside }, [1, 0], fill);
  }

  #follow(way: Promise<unknown>): void {
    this.#isLed = true;
    const end = () => {
      this.#isLed = false;
    };
    this.#turns.begin(() => way, end);
  }

  #jump(arrow: Arrow, isExtending: boolean): void {
    const { selection, shape } = this.#grid;
    const { active, other } = selection();
    const from = edgeOfArea(shape().merged, isExtending ? other : active, arrow);
    this.#find(from, arrow, (to) => this.#goTo(to, arrow, isExtending));
  }

  /** Finds the end of consecutive filled, or blank, cells. */
  #find(from: Address, arrow: Arrow, go: (to: Address) => void): void {
    const { events, shape, source } = this.#grid;
    const sheet = { source, ...shape() };
    const known = edgeFrom(from, arrow, sheet);
    if (known) go(known);
    else if (events.edgeOf === undefined) go(guessedEdge(from, arrow, sheet));
    else {
      const { edgeOf } = events;
      const ask = (signal: AbortSignal) => edgeOf(from, arrow, signal);
      this.#turns.begin(ask, (found) => go(found ?? guessedEdge(from, arrow, sheet)));
    }
  }

  #goTo(to: Address, [down, right]: Arrow, isExtending: boolean): void {
    const { selection, shape } = this.#grid;
    const { rows, columns } = shape();
    const seen = {
      row: rows.nextVisible(to.row, down > 0 ? -1 : 1),
      column: columns.nextVisible(to.column, right > 0 ? -1 : 1),
    };
    this.#move(movedTo(selection(), seen, isExtending));
  }

  /** Runs a command of the grid itself; returns whether the key is one. */
  #runs({ key: pressed, ctrlKey, metaKey, shiftKey, altKey }: Pressed): boolean {
    if (altKey) return false;
    const name = pressed.toLowerCase();
    const isShifted = shiftKey && ['f2', 'f8', ' '].includes(name);
    const key = `${ctrlKey || metaKey ? 'Ctrl+' : ''}${isShifted ? 'Shift+' : ''}${name}`;
    const { clear, events, selection, selectLines } = this.#grid;
    const { row0, row1, column0, column1 } = rangeOfSelection(selection());
    const commands: Readonly<Record<string, () => void>> = {
      f2: () => this.edit(),
      'Shift+f8': () => this.#turnAdding(),
      delete: clear,
      backspace: clear,
      'Ctrl+a': () => this.selectAll(),
      'Ctrl+z': () => events.onUndo?.(shiftKey),
      'Ctrl+y': () => events.onUndo?.(true),
      'Ctrl+ ': () => selectLines('columns', column0, column1),
      'Shift+ ': () => selectLines('rows', row0, row1),
    };
    commands[key]?.();
    return key in commands;
  }

  #keepLost(text: string): void {
    const { events, selection } = this.#grid;
    if (text !== '') events.onLost?.(selection().active, text);
  }
}

/** Returns whether a key belongs to the clipboard, which has events of its own with the texts. */
function isOfClipboard({ key, ctrlKey, metaKey }: Pressed): boolean {
  return (ctrlKey || metaKey) && /^[cxv]$/iu.test(key);
}
