import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { ShownCell } from '../store/block-store.ts';

/** Mark of a cell, beside its text, for diffs and waiting edits. */
export type Mark = 'added' | 'removed' | 'changed' | 'moved' | 'waiting';

/** Records that the grid draws on cells: merged areas, notes, comments, filters. */
export interface ShownRecords {
  /** Areas that are shown as one cell. */
  readonly merged: readonly Range[];
  /** Cells with a note. */
  readonly notes: readonly Address[];
  /** Cells with comments. */
  readonly commented: readonly Address[];
  /** Cells of the header of a filter. */
  readonly filters: readonly FilterButton[];
}

/** Filter button of a header cell. */
export interface FilterButton extends Address {
  /** True when its column hides rows. */
  readonly isOn: boolean;
}

/** Names of lines in a grid of two sheets: one text, or one for each sheet. */
export interface LineNames {
  row(index: number): readonly string[];
  column(index: number): readonly string[];
}

/** Source of the cells of a grid. */
export interface GridSource {
  cellAt(row: number, column: number): ShownCell | undefined;
  markAt(row: number, column: number): Mark | undefined;
  /** Called with the visible cells, so that they can be loaded. */
  look(ranges: readonly Range[]): void;
  readonly themeColors: readonly string[];
  /** Names of lines; by default numbers and letters. */
  readonly names?: LineNames;
  readonly records?: ShownRecords;
  /** Cells that were copied last, while they can be pasted as cells. */
  readonly copied?: readonly Range[];
  /** References of the current formula, each with one of eight colours. */
  readonly named?: readonly { readonly range: Range; readonly colour: number }[];
}
