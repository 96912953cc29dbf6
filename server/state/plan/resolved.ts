import type { IdSpan } from '../ids/order.ts';

/** Spans as the journal stores them: four numbers each (branch, sequence, offset, length). */
export type FlatSpans = readonly number[];

/** A rectangle of cells by ids: all of its rows in all of its columns. */
export interface ResolvedArea {
  readonly rows: FlatSpans;
  readonly columns: FlatSpans;
}

/** The first or the last of the rows of a table, when all are deleted. */
export type BlankBehind = 'first' | 'last';

/**
 * The ids that an operation wrote to, which stay valid wherever rows and columns move. Merge, blame
 * and mirrors read them. `noop` means that nothing changed.
 */
export interface Resolved {
  readonly noop?: true;
  /**
   * For kinds that delete or move lines: no range of a formula or name ended there. For kinds that
   * name a sheet: no formula waited for that name. A replay then need not search for such formulas.
   */
  readonly tookNoEnd?: true;
  /**
   * Kinds that move lines: links that came to lie on others were cut. In old journals both stayed.
   */
  readonly cutLinks?: true;
  readonly sheet?: string;
  /** sheet.add: the id of the sheet that was copied. */
  readonly source?: string;
  /** Kinds of tables: the id of the table. */
  readonly table?: string;
  /**
   * Kinds that write rows of a table: the numbers of rows inserted, updated, unchanged, deleted and
   * rejected, from which a repeat is answered.
   */
  readonly counts?: readonly number[];
  /** Kinds of records that have ids: the id of the record. */
  readonly record?: string;
  /** comment.add, comment.reply: the id of the comment. */
  readonly comment?: string;
  /**
   * range.*, numfmt.set, table.create: the areas of the payload, in order. range.sort: the rows in
   * the order before, from which the payload's `order` picks; by id if whole rows were sorted.
   * rows.upsert, rows.import: the rows written, in the order of the payload.
   */
  readonly areas?: readonly ResolvedArea[];
  /**
   * range.move, .copy, .insert, .delete: the new places of the cells of the areas, in the same
   * order.
   */
  readonly to?: { readonly sheet: string; readonly areas: readonly ResolvedArea[] };
  /** Further cells that were written, such as headers, defaults and calculated columns. */
  readonly wrote?: readonly ResolvedArea[];
  /** cells.set: six numbers for each cell, the row id and the column id. */
  readonly cells?: readonly number[];
  /** cells.set: the sheet of each cell, if not all are on `sheet`. */
  readonly sheets?: readonly string[];
  /** rows.*, cols.*: the lines inserted, deleted or moved. Of tables: the rows or columns deleted. */
  readonly lines?: FlatSpans;
  /**
   * Kinds of tables: new rows or columns. rows.delete, rows.move: blank rows for tables that lost
   * all.
   */
  readonly added?: FlatSpans;
  /**
   * rows.delete, rows.move: the deleted row in whose place the blank row of a table came. Left out
   * in old journals, where it followed from the arrays in memory.
   */
  readonly blankBehind?: BlankBehind;
  /** Kinds that write rows of a table: see `NewRows`. Left out in old journals, for `taken`. */
  readonly newRows?: 'minted' | 'followed' | 'carried';
  /** True when the rule `keepsTables` made a difference to the plan. */
  readonly keepsTables?: true;
  /** rows.insert, rows.move and so on: the id of the line in front of which they stand. */
  readonly before?: readonly number[];
  /** rows.insert, cols.insert: the id of the line whose formats and size the new ones got. */
  readonly inherit?: readonly number[];
  /** undo, redo, revert, merge: the ids that each part wrote to. */
  readonly parts?: readonly Resolved[];
}

export function flatten(spans: readonly IdSpan[]): number[] {
  const flat: number[] = [];
  // An array for each span would take longer than the rest.
  for (const { branch, sequence, offset, length } of spans) {
    flat.push(branch, sequence, offset, length);
  }
  return flat;
}
