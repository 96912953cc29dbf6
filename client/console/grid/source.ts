import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { ShownCell } from '../store/block-store.ts';

/** A mark on a cell, beside its text: diffs and edits that wait. */
export type Mark = 'added' | 'removed' | 'changed' | 'moved' | 'waiting';

/** The records (merged areas, notes, comments, filters) that the grid draws on cells. */
export interface ShownRecords {
  /** Areas that are shown as one cell. */
  readonly merged: readonly Range[];
  /** Cells with a note. */
  readonly notes: readonly Address[];
  /** Cells that people talk about. */
  readonly commented: readonly Address[];
  /** Cells of the header of a filter. */
  readonly filters: readonly FilterButton[];
}

/** A button on a header cell, by which rows are filtered. */
export interface FilterButton extends Address {
  /** True where rows are left out by this column. */
  readonly isOn: boolean;
}

/** Names of lines where the grid shows more than one sheet: one text, or one for each of two. */
export interface LineNames {
  row(index: number): readonly string[];
  column(index: number): readonly string[];
}

/** A grid draws what its source tells of each cell. */
export interface GridSource {
  cellAt(row: number, column: number): ShownCell | undefined;
  markAt(row: number, column: number): Mark | undefined;
  /** Tells which cells are in view, so that they can be loaded. */
  look(ranges: readonly Range[]): void;
  readonly themeColors: readonly string[];
  /** Numbers and letters where this is missing. */
  readonly names?: LineNames;
  readonly records?: ShownRecords;
  /** The cells that were copied last, as long as they can be pasted as cells. */
  readonly copied?: readonly Range[];
  /** References of the formula that is being looked at, with places among the eight colours. */
  readonly named?: readonly { readonly range: Range; readonly colour: number }[];
}
