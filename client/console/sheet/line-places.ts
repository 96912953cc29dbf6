import { columnName } from '../../../server/model/address.ts';
import type { LineGroup } from '../grid/outline.ts';
import type { LineResize, LineSpan } from '../grid/pointer.ts';
import type { Lines } from './command.ts';
import type { SheetSession } from './sheet-session.ts';

/** Returns the kind of operations on rows or on columns. */
export function kindOfLines(lines: Lines, what: 'size' | 'group'): string {
  return `${lines === 'rows' ? 'rows' : 'cols'}.${what}`;
}

/** Returns lines as operations name them. */
export function spanPayload(lines: Lines, { first, last }: LineSpan) {
  return { from: lines === 'rows' ? first + 1 : columnName(first), count: last - first + 1 };
}

export function foldPayload(lines: Lines, group: LineGroup) {
  return { ...spanPayload(lines, group), collapsed: !group.isFolded };
}

/** Gives lines sizes, in one step for undo. */
export function resizeLines(
  session: SheetSession,
  lines: Lines,
  sizes: Parameters<LineResize>[1],
): void {
  const payloads = sizes.map(({ px, ...span }) => ({ ...spanPayload(lines, span), px }));
  if (payloads.length > 0) session.apply(kindOfLines(lines, 'size'), ...payloads);
}
