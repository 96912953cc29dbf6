import type { Input } from './cell-value.ts';
import type { Range } from './range.ts';

/**
 * One positional change of a branch's grid, in the coordinates of the moment it is applied (rows
 * and columns count from zero). A branch state emits them as it applies operations; replayed in
 * order from an empty workbook they rebuild the kernel model of that position exactly.
 * `sheet` is the sheet's key: a small number that is never used again within one state.
 */
export type Mutation =
  | { kind: 'sheetAdd'; sheet: number; name: string; index: number }
  | { kind: 'sheetDelete'; sheet: number }
  | { kind: 'sheetRename'; sheet: number; name: string }
  | { kind: 'sheetMove'; sheet: number; index: number }
  | { kind: 'cell'; sheet: number; row: number; column: number; input: Input }
  | {
      kind: 'block';
      sheet: number;
      row: number;
      column: number;
      /** Dense rows; undefined leaves a cell unchanged, null blanks it. */
      inputs: readonly (readonly (Input | undefined)[])[];
    }
  /** Inputs of one column, from the first row down. */
  | { kind: 'column'; sheet: number; row: number; column: number; inputs: readonly Input[] }
  | {
      kind: 'fill';
      sheet: number;
      row: number;
      column: number;
      rowCount: number;
      columnCount: number;
      /** A formula is written for the first cell; its relative references shift for the others. */
      input: Input;
    }
  | {
      kind: 'insert' | 'delete';
      axis: 'row' | 'column';
      sheet: number;
      from: number;
      count: number;
    }
  /** Moves `count` rows or columns from `from` before the one that is now at `before`. */
  | {
      kind: 'move';
      axis: 'row' | 'column';
      sheet: number;
      from: number;
      count: number;
      before: number;
    }
  /** Areas that are merged no more, and areas that are now. Inserted lines move them by themselves. */
  | { kind: 'merges'; sheet: number; removed: readonly Range[]; added: readonly Range[] }
  /** Visibility of rows; `hand` for rows hidden by other means than a filter. */
  | { kind: 'rowsHidden'; sheet: number; from: number; count: number; hidden: RowVisibility }
  /** `scope` is a sheet key, or undefined for the workbook; `formula` starts with `=`. */
  | { kind: 'nameSet'; name: string; scope: number | undefined; formula: string }
  | { kind: 'nameDelete'; name: string; scope: number | undefined }
  | {
      kind: 'tableSet';
      name: string;
      sheet: number;
      row: number;
      column: number;
      rowCount: number;
      columnCount: number;
      columns: readonly string[];
      headerRow: boolean;
      totalsRow: boolean;
    }
  | { kind: 'setting'; name: 'date1904' | 'iterate'; value: boolean }
  /** Most rounds in which cycles are computed, and the change below which they end. */
  | { kind: 'setting'; name: 'iterations' | 'iterationChange'; value: number };

export type RowVisibility = 'no' | 'hand' | 'filter';
