import { columnName } from '../../model/address.ts';
import {
  referenceFlags,
  type FormulaReference,
  type FormulaService,
} from '../../model/formula-service.ts';
import { quoteSheet } from '../../model/range.ts';
import { quoteSheets, severalSheets } from '../../model/several-sheets.ts';
import { namesInFormula } from './formula-names.ts';
import { LineMap } from '../structure/line-map.ts';
import type { MovedSpan } from '../structure/line-steps.ts';
import type { Axis, SheetOutline, Structure } from '../structure/structure.ts';

const absolute = { row0: 1, column0: 2, row1: 4, column1: 8 } as const;
const { wholeColumns, wholeRows, oneCell } = referenceFlags;
const trimsLeading = 128;
const trimsTrailing = 256;

/** A rewriting of formulas from one structure of a workbook to another. */
export interface FormulaMove {
  readonly from: Structure;
  readonly to: Structure;
  /** The sheet of the formula, which references without a sheet mean. */
  readonly sheetId: string | undefined;
  /** The lines of a single move that is all that happened in between. */
  readonly moved?: MovedSpan | undefined;
}

/**
 * Rewrites the references of a formula from one structure to another, as if it had been there
 * during the edits. Deleted targets become `#REF!`.
 */
export function moveFormula(text: string, move: FormulaMove, formulas: FormulaService): string {
  if (move.from.sheets === move.to.sheets) return text;
  const references = formulas.references(text);
  const edits = references.flatMap((reference) => {
    const rewritten = moveReference(reference, move);
    return rewritten === undefined ? [] : [{ ...reference, rewritten }];
  });
  return replaced(text, [...edits, ...moveNames(text, references, move)]);
}

interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly rewritten: string;
}

function replaced(text: string, edits: readonly TextEdit[]): string {
  let moved = text;
  for (const { start, end, rewritten } of edits.toSorted((a, b) => b.start - a.start)) {
    moved = moved.slice(0, start) + rewritten + moved.slice(end);
  }
  return moved;
}

/** Rewrites the sheets of names such as `Plan!tax`, when the sheet was renamed or deleted. */
function moveNames(
  text: string,
  references: readonly FormulaReference[],
  { from, to }: FormulaMove,
): TextEdit[] {
  if (!text.includes('!')) return [];
  const isCells = (at: number) => references.some(({ start, end }) => at >= start && at < end);
  return namesInFormula(text).flatMap(({ sheet, name, start, end }) => {
    const base = sheet && from.named(sheet.name);
    if (!base || isCells(start)) return [];
    const head = to.withId(base.id);
    if (head?.name === base.name) return [];
    const rewritten = head ? `${quoteSheet(head.name)}!${name}` : '#REF!';
    return [{ start: sheet.start, end, rewritten }];
  });
}

/** Returns the new text of a reference; undefined when it may stay as written. */
function moveReference(reference: FormulaReference, move: FormulaMove): string | undefined {
  const several = reference.sheet === undefined ? undefined : severalSheets(reference.sheet);
  if (several) return moveSheets(reference, several, move);
  const base = sheetAt(reference, move);
  if (!base) return undefined;
  const head = move.to.withId(base.id);
  if (!head) return '#REF!';
  const isRenamed = reference.sheet !== undefined && head.name !== base.name;
  if (!isRenamed && base.rows === head.rows && base.columns === head.columns) return undefined;
  const placed = moveEnds(reference, base, { head, moved: move.moved });
  if (!placed) return '#REF!';
  const prefix = reference.sheet === undefined ? '' : `${quoteSheet(head.name)}!`;
  return prefix + referenceText(placed);
}

/** Rewrites a reference to several sheets; only the sheet names can change. */
function moveSheets(
  reference: FormulaReference,
  several: readonly [first: string, last: string],
  { from, to }: FormulaMove,
): string | undefined {
  const [first, last] = several.map((name) => {
    const base = from.named(name);
    if (!base) return name;
    const head = to.withId(base.id);
    return head?.name === base.name ? name : head?.name;
  });
  if (first === undefined || last === undefined) return '#REF!';
  if (first === several[0] && last === several[1]) return undefined;
  return `${quoteSheets(first, last)}!${referenceText(reference)}`;
}

/**
 * Returns the new ends of a reference; undefined when all lines are deleted. Whole columns have no
 * rows, and whole rows no columns.
 */
function moveEnds(
  reference: FormulaReference,
  base: SheetOutline,
  to: { readonly head: SheetOutline; readonly moved: MovedSpan | undefined },
): Placed | undefined {
  const [rowMap, columnMap] = [mapBetween(base, to, 'row'), mapBetween(base, to, 'column')];
  const rows = rowMap.range(reference.row0, reference.row1);
  const columns = columnMap.range(reference.column0, reference.column1);
  const { row0: top, row1: bottom, column0: left, column1: right } = absolute;
  const { row0: from, row1: until, column0, column1 } = reference;
  const turned = turnedFlags(reference.flags, [top, bottom], () => rowMap.crosses(from, until));
  const flags = turnedFlags(turned, [left, right], () => columnMap.crosses(column0, column1));
  if (!rows && (flags & wholeColumns) === 0) return undefined;
  if (!columns && (flags & wholeRows) === 0) return undefined;
  const [row0, row1] = rows ?? [from, until];
  const [left0, right1] = columns ?? [column0, column1];
  return { row0, row1, column0: left0, column1: right1, flags };
}

/** Swaps the `$` flags when the ends swap. */
function turnedFlags(
  flags: number,
  [one, other]: readonly [number, number],
  crosses: () => boolean,
): number {
  const isMixed = ((flags & one) === 0) !== ((flags & other) === 0);
  return isMixed && crosses() ? flags ^ one ^ other : flags;
}

function mapBetween(
  base: SheetOutline,
  { head, moved }: { readonly head: SheetOutline; readonly moved: MovedSpan | undefined },
  axis: Axis,
): LineMap {
  const isMoved = moved?.sheetId === base.id && moved.axis === axis;
  return new LineMap(base, head, axis, isMoved ? moved.span : undefined);
}

/** Returns the sheet of a reference in the earlier structure; undefined for several sheets. */
export function sheetAt(reference: FormulaReference, move: FormulaMove): SheetOutline | undefined {
  if (reference.sheet !== undefined) return move.from.named(reference.sheet);
  return move.sheetId === undefined ? undefined : move.from.withId(move.sheetId);
}

type Placed = Pick<FormulaReference, 'row0' | 'row1' | 'column0' | 'column1' | 'flags'>;

/** Returns a reference in A1 without its sheet. */
export function referenceText({ row0, row1, column0, column1, flags }: Placed): string {
  const row = (line: number, bit: number) => `${(flags & bit) === 0 ? '' : '$'}${line + 1}`;
  const column = (line: number, bit: number) =>
    `${(flags & bit) === 0 ? '' : '$'}${columnName(line)}`;
  const colon = `${(flags & trimsLeading) === 0 ? '' : '.'}:${(flags & trimsTrailing) === 0 ? '' : '.'}`;
  if ((flags & wholeColumns) !== 0) {
    return column(column0, absolute.column0) + colon + column(column1, absolute.column1);
  }
  if ((flags & wholeRows) !== 0) {
    return row(row0, absolute.row0) + colon + row(row1, absolute.row1);
  }
  const start = column(column0, absolute.column0) + row(row0, absolute.row0);
  if ((flags & oneCell) !== 0) return start;
  return start + colon + column(column1, absolute.column1) + row(row1, absolute.row1);
}

export interface FillShape {
  readonly row: number;
  readonly column: number;
  readonly rowCount: number;
  readonly columnCount: number;
}

/**
 * Returns whether a formula that fills cells (in addresses of `from`) is still one fill after the
 * move: lines that relative references pass over must have kept their neighbours.
 */
export function fillsEvenly(
  references: readonly FormulaReference[],
  shape: FillShape,
  move: FormulaMove,
): boolean {
  return references.every((reference) => {
    const base = sheetAt(reference, move);
    const head = base && move.to.withId(base.id);
    if (!base || !head) return true;
    const rows = new LineMap(base, head, 'row');
    const columns = new LineMap(base, head, 'column');
    const keeps = (map: LineMap, line: number, walked: number) => {
      const pieces = map.pieces(line, walked);
      return pieces.length === 1 && pieces[0]?.length === walked;
    };
    const { row0, row1, column0, column1, flags } = reference;
    const walked = (bit: number, count: number) => ((flags & bit) === 0 ? count : 1);
    const rowsKept =
      (flags & wholeColumns) !== 0 ||
      (keeps(rows, row0, walked(absolute.row0, shape.rowCount)) &&
        keeps(rows, row1, walked(absolute.row1, shape.rowCount)));
    const columnsKept =
      (flags & wholeRows) !== 0 ||
      (keeps(columns, column0, walked(absolute.column0, shape.columnCount)) &&
        keeps(columns, column1, walked(absolute.column1, shape.columnCount)));
    return rowsKept && columnsKept;
  });
}

/** A formula with each of its references spelled otherwise. */
export function respelled(
  text: string,
  references: readonly FormulaReference[],
  spell: (reference: FormulaReference, index: number) => string,
): string {
  return replaced(
    text,
    references.map((reference, index) => ({ ...reference, rewritten: spell(reference, index) })),
  );
}
