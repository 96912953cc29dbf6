import { isErrorCode } from '../../server/model/input.ts';
import type { Value } from '../../server/model/cell-value.ts';
import type { Address } from '../../server/model/address.ts';
import { serialOfDate } from './date-serial.ts';
import { cellKind, type SheetCells } from './sheet-cells.ts';
import { decodeEscapes } from './xml-text.ts';

/** A `c` element without its formula. */
export interface CellElement {
  /** Attribute `t`. */
  readonly type: string;
  /** Text of `v`. */
  readonly text: string;
  /** Text of `is`. */
  readonly inline: string | undefined;
}

interface ValueContext {
  readonly date1904: boolean;
  readonly sharedStringCount: number;
  /** Called for a number that is none. */
  readonly noNumber: () => void;
  /** Called for a shared string that is not there. */
  readonly noText: () => void;
}

/** A value. A shared string stays an index, because a million cells may hold the same one. */
export type FoundValue = Value | { readonly shared: number };

/** Reads the value of a cell by its type; null if the element has none. */
export function readValue(element: CellElement, context: ValueContext): FoundValue {
  const { type, text, inline } = element;
  if (inline !== undefined) return inline;
  // Some programs write the text of an inline string where that of a formula stands.
  if (type === 'str' || (type === 'inlineStr' && text !== '')) return decodeEscapes(text);
  const trimmed = text.trim();
  if (trimmed === '') return null;
  switch (type) {
    case 's':
      return sharedText(trimmed, context);
    case 'b':
      return /^(?:1|true)$/i.test(trimmed);
    case 'e':
      return { error: isErrorCode(trimmed) ? trimmed : '#VALUE!' };
    case 'd':
      return serialOfDate(trimmed, context.date1904) ?? trimmed;
    default:
      return numberOf(trimmed, context);
  }
}

function sharedText(text: string, context: ValueContext): FoundValue {
  const index = Number(text);
  const isThere = Number.isInteger(index) && index >= 0 && index < context.sharedStringCount;
  if (isThere) return { shared: index };
  context.noText();
  return null;
}

/** Numbers that are none, as other programs write them; Excel has no such values. */
const noNumbers = /^[+-]?(?:nan|inf(?:inity)?)$/i;

function numberOf(text: string, context: ValueContext): Value {
  const value = Number(text);
  // Excel has no numbers beyond the range of a double either.
  if (Number.isFinite(value)) return value;
  if (!Number.isNaN(value) || noNumbers.test(text)) return { error: '#NUM!' };
  context.noNumber();
  return text;
}

/** Adds a constant to the sheet; a blank one adds nothing. */
export function addValue(cells: SheetCells, at: Address, value: FoundValue): void {
  const { row, column } = at;
  if (value === null) return;
  if (typeof value === 'number') cells.add(row, column, { kind: cellKind.number, data: value });
  else if (typeof value === 'string') cells.addText(row, column, value);
  else if (typeof value === 'boolean') {
    cells.add(row, column, { kind: cellKind.boolean, data: value ? 1 : 0 });
  } else if ('shared' in value) {
    cells.add(row, column, { kind: cellKind.text, data: value.shared });
  } else cells.addError(row, column, value.error);
}
