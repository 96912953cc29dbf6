import type { Axes } from './selection.ts';
import { stepFrom, type Selection } from './selection.ts';
import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';

/** Cells of a screen, for PageUp and PageDown. */
export interface Page {
  readonly rows: number;
  readonly columns: number;
}

export interface Moving extends Axes {
  readonly page: Page;
  /** The cells that hold anything, for Ctrl and an arrow. */
  readonly used: Range;
}

const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Returns the selection after a key that moves it; undefined for all other keys. */
export function moved(
  selection: Selection,
  pressed: Pressed,
  moving: Moving,
): Selection | undefined {
  const from = pressed.shiftKey ? selection.other : selection.active;
  const to = target(from, pressed, moving);
  if (!to) return undefined;
  const isExtending = pressed.shiftKey && pressed.key !== 'Tab' && pressed.key !== 'Enter';
  return isExtending ? { active: selection.active, other: to } : { active: to, other: to };
}

function target(from: Address, pressed: Pressed, moving: Moving): Address | undefined {
  const { key, shiftKey } = pressed;
  const isFar = pressed.ctrlKey || pressed.metaKey;
  const arrow = arrows[key];
  if (arrow && isFar) return edge(from, arrow, moving);
  if (key === 'Home' || key === 'End') return lineEnd(from, { key, isFar }, moving);
  const by = arrow ?? stepOf(pressed, moving.page, shiftKey ? -1 : 1);
  return by && stepFrom(from, by, moving);
}

/** Returns how many rows down and columns right a key goes; undefined for keys that go nowhere. */
function stepOf(
  { key, altKey }: Pressed,
  { rows, columns }: Page,
  sign: 1 | -1,
): readonly [number, number] | undefined {
  if (key === 'Tab') return [0, sign];
  if (key === 'Enter') return [sign, 0];
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

/** Returns the first cell in that direction at the border of what is used, or of the sheet. */
function edge(from: Address, [down, right]: readonly [number, number], moving: Moving): Address {
  const { used, rows, columns } = moving;
  const along = (at: number, by: number, [low, high]: readonly [number, number], last: number) => {
    if (by === 0) return at;
    const stops = by > 0 ? [low, high, last] : [high, low, 0];
    return stops.find((stop) => (by > 0 ? stop > at : stop < at)) ?? at;
  };
  return {
    row: rows.nextVisible(along(from.row, down, [used.row0, used.row1], rows.count - 1), 1),
    column: columns.nextVisible(
      along(from.column, right, [used.column0, used.column1], columns.count - 1),
      1,
    ),
  };
}
