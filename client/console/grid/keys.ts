import type { Arrow } from './edge.ts';
import type { Axes, Selection } from './selection.ts';
import { stepFrom, stepped } from './stepping.ts';
import { pressedOf, type Pressed } from './typed-key.ts';
import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';

/** Number of cells on a screen, for PageUp and PageDown. */
export interface Page {
  readonly rows: number;
  readonly columns: number;
}

export interface Moving extends Axes {
  readonly page: Page;
  /** The cells that hold anything, for Home and End. */
  readonly used: Range;
}

export const arrows: Readonly<Record<string, Arrow>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const mirroredArrows: Readonly<Record<string, string>> = {
  ArrowLeft: 'ArrowRight',
  ArrowRight: 'ArrowLeft',
};

/** Returns a key with left and right swapped, for columns that run from right to left. */
export function mirroredKey(pressed: Pressed): Pressed {
  return { ...pressedOf(pressed), key: mirroredArrows[pressed.key] ?? pressed.key };
}

/** Returns the selection after a movement key; undefined for other keys. */
export function moved(
  selection: Selection,
  pressed: Pressed,
  moving: Moving,
): Selection | undefined {
  const isStep = pressed.key === 'Tab' || pressed.key === 'Enter';
  const sign = pressed.shiftKey ? -1 : 1;
  // Tab and Enter walk through the selected cells and keep them selected.
  if (isStep) return stepped(selection, pressed.key === 'Tab' ? [0, sign] : [sign, 0], moving);
  const to = target(pressed.shiftKey ? selection.other : selection.active, pressed, moving);
  return to && movedTo(selection, to, pressed.shiftKey);
}

/** Returns a selection of one cell, or the old one extended to it. */
export function movedTo(selection: Selection, to: Address, isExtending: boolean): Selection {
  const { active, also = [] } = selection;
  return isExtending ? { active, other: to, also } : { active: to, other: to };
}

/** Returns the arrow of a jump with Ctrl; undefined for other keys. */
export function jumpOf({ key, ctrlKey, metaKey }: Pressed): Arrow | undefined {
  return ctrlKey || metaKey ? arrows[key] : undefined;
}

function target(from: Address, pressed: Pressed, moving: Moving): Address | undefined {
  const { key } = pressed;
  const isFar = pressed.ctrlKey || pressed.metaKey;
  const arrow = arrows[key];
  if (key === 'Home' || key === 'End') return lineEnd(from, { key, isFar }, moving);
  // With Ctrl these keys lead to another sheet.
  const by = arrow ?? (isFar ? undefined : stepOf(pressed, moving.page));
  return by && stepFrom(from, by, moving);
}

/** Returns the rows down and columns right of a movement key; undefined for other keys. */
function stepOf(
  { key, altKey }: Pressed,
  { rows, columns }: Page,
): readonly [number, number] | undefined {
  if (key !== 'PageUp' && key !== 'PageDown') return undefined;
  const direction = key === 'PageUp' ? -1 : 1;
  return altKey ? [0, direction * columns] : [direction * rows, 0];
}

function lineEnd(
  { row }: Address,
  { key, isFar }: { readonly key: 'Home' | 'End'; readonly isFar: boolean },
  { used }: Moving,
): Address {
  if (key === 'Home') return { row: isFar ? 0 : row, column: 0 };
  return { row: isFar ? used.row1 : row, column: used.column1 };
}
