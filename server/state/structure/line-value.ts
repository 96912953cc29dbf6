import { styleText, type CellStyle } from '../../model/cell-style.ts';

/** Properties of a row or column. Members are in this order; missing ones have the default. */
export interface LineValue {
  /** Folded away with its group, and so hidden as well. */
  readonly collapsed?: true;
  readonly hidden?: true;
  /** Level in the outline, from 1. */
  readonly level?: number;
  readonly px?: number;
  /** Style of cells without one of their own. */
  readonly style?: CellStyle;
}

export const bareLine: LineValue = {};

/** Returns the properties without default members, in order. */
export function lineValue({ collapsed, hidden, level, px, style }: LineValue): LineValue {
  return {
    ...(collapsed && { collapsed }),
    ...(hidden && { hidden }),
    ...(level !== undefined && level > 0 && { level }),
    ...(px !== undefined && { px }),
    ...(style && styleText(style) !== '' && { style }),
  };
}

export function isBare({ collapsed, hidden, level, px, style }: LineValue): boolean {
  return (collapsed ?? hidden ?? level ?? px ?? style) === undefined;
}

export function sameLine(a: LineValue, b: LineValue): boolean {
  if (a === b) return true;
  const isSame =
    a.collapsed === b.collapsed && a.hidden === b.hidden && a.level === b.level && a.px === b.px;
  return isSame && styleText(a.style ?? {}) === styleText(b.style ?? {});
}
