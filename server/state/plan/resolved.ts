import type { IdSpan } from '../ids/order.ts';

/** Spans as the journal keeps them: branch, sequence, offset, length, over and over. */
export type FlatSpans = readonly number[];

/** The cells of some areas: each area is its rows times its columns, by identity. */
export interface ResolvedArea {
  readonly rows: FlatSpans;
  readonly columns: FlatSpans;
}

/** The first or the last of the rows of a table that all go. */
export type BlankBehind = 'first' | 'last';

/**
 * The identities that an operation writes to: independent of where rows and columns stand, so that
 * merge, blame and mirrors need no address of the moment. `noop` says that all was so already.
 */
export interface Resolved {
  readonly noop?: true;
  /**
   * On kinds that take rows or columns away: no range of a formula or name ended there. On kinds
   * that give a sheet its name: no formula waited for it.
   */
  readonly tookNoEnd?: true;
  /**
   * Kinds that move rows or columns: links that they moved into others were cut out of these. Those
   * of old journals left two links on a cell.
   */
  readonly cutLinks?: true;
  readonly sheet?: string;
  /** sheet.add: the id of the sheet that was copied. */
  readonly source?: string;
  /** Kinds of tables: the id of the table. */
  readonly table?: string;
  /**
   * Kinds that write rows of a table: how many were inserted, updated, left as they were,
   * deleted and left out. A repeat is answered from it.
   */
  readonly counts?: readonly number[];
  /** Kinds of records that have ids: the id of the record. */
  readonly record?: string;
  /** comment.add, comment.reply: the id of the comment. */
  readonly comment?: string;
  /**
   * range.*, numfmt.set, table.create: in the order of the payload's areas. Of range.sort the rows
   * before it; its payload's `order` says which of them stands where, by identity if they are whole.
   * rows.upsert, rows.import: what they wrote, the rows in the order of the payload.
   */
  readonly areas?: readonly ResolvedArea[];
  /** range.move, .copy, .insert, .delete: where what stood in the areas stands, cell for cell. */
  readonly to?: { readonly sheet: string; readonly areas: readonly ResolvedArea[] };
  /**
   * Cells written beside the areas, or lines, such as headers, defaults, calculated columns.
   */
  readonly wrote?: readonly ResolvedArea[];
  /** cells.set: one id a cell, six numbers: row id, column id. */
  readonly cells?: readonly number[];
  /** cells.set: the sheet of each cell, where they are not all on `sheet`. */
  readonly sheets?: readonly string[];
  /** rows.*, cols.*: the lines inserted, deleted or moved. Of tables: the rows or columns deleted. */
  readonly lines?: FlatSpans;
  /**
   * Kinds of tables: the rows or columns that are new. rows.delete, rows.move: the blank rows of
   * tables that have no other.
   */
  readonly added?: FlatSpans;
  /**
   * rows.delete, rows.move: the row of those that go behind which the blank row of a table came.
   * In old journals it followed from the arrays that were in memory.
   */
  readonly blankBehind?: BlankBehind;
  /**
   * Kinds that write rows of a table: new ones are rows that no other branch has. Operations from
   * before took blank rows that were there. `followed`: references to the blank row of an empty
   * table went on to the first of them; `carried`: what lay on that row did, too.
   */
  readonly newRows?: 'minted' | 'followed' | 'carried';
  /** Planned by `keepsTables` of the rules, where that made it another plan. */
  readonly keepsTables?: true;
  /** rows.insert, rows.move and their likes: the id they stand before. */
  readonly before?: readonly number[];
  /** rows.insert, cols.insert: the id whose formats and size the new lines got. */
  readonly inherit?: readonly number[];
  /** undo, redo, revert: of each part by itself. */
  readonly parts?: readonly Resolved[];
}

export function flatten(spans: readonly IdSpan[]): number[] {
  return spans.flatMap((span) => [span.branch, span.sequence, span.offset, span.length]);
}
