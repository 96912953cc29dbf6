import type { Input } from '../../model/cell-value.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { Range } from '../../model/range.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { FormulaRun } from '../cells/formula-runs.ts';
import type { KeyChanges } from '../cells/key-index.ts';
import type { DefinedName } from '../references/names.ts';
import type { LinePlan } from '../structure/line-steps.ts';
import type { LineId } from '../ids/order.ts';
import type { RecordChange } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/** A row or column by id, with its position once the lines of the plan are edited. */
export interface Line {
  readonly id: LineId;
  readonly position: number;
}

/** A write to the cells of some rows in some columns, which need not be contiguous. */
export interface TableWrite {
  readonly sheet: SheetOutline;
  /** Rows from top to bottom. */
  readonly rows: readonly Line[];
  /** Columns from left to right. */
  readonly columns: readonly Line[];
  /** Contents row by row; undefined to keep a cell. */
  readonly inputs: readonly (Input | undefined)[];
  /** `inputs` as blocks store them; the tag `leaveCell` keeps a cell. */
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Indexes of number formats; -1 to keep one. */
  readonly formats: Int32Array;
}

/** A write of one content to contiguous cells of a column. */
export interface TableFill {
  readonly sheet: SheetOutline;
  readonly column: Line;
  readonly row: number;
  readonly rowCount: number;
  /** The input as it reads in the first cell. */
  readonly input: Input;
  readonly coded: CodedCell;
  /** Index of the number format; -1 to keep it. */
  readonly format: number;
}

/** Places that strict submissions compare: cells, and names of things other than cells. */
export interface TableFootprint {
  readonly sheet: SheetOutline | undefined;
  /** Ranges in the positions before the operation. */
  readonly ranges: readonly Range[];
  /** Ranges of table rows that are deleted or moved. */
  readonly removed?: readonly Range[];
  /** Ranges of written rows in the positions after the operation; `added` has the new ones. */
  readonly done?: Pick<TableFootprint, 'sheet' | 'ranges'> & { readonly added: readonly Range[] };
  readonly names: readonly string[];
  /** Prefix of further names; all names that begin with it are covered. */
  readonly covers?: string | undefined;
  /**
   * Prefix of the names of the table whose rows are written; collides with whatever covers the
   * table.
   */
  readonly within?: string;
  /** Range of the table, if rows are added. */
  readonly extent?: Range | undefined;
}

/**
 * References that are rewritten to other cells, after new rows were added and before old ones are
 * deleted.
 */
export interface FollowedReferences {
  /** The structure that the addresses belong to: that after the first edit of lines, if any. */
  readonly structure: Structure;
  readonly runs: readonly FormulaRun[];
  readonly names: readonly DefinedName[];
  readonly records: RecordChange | undefined;
  readonly mutations: readonly Mutation[];
}

/** The effect of an operation on a table, with nothing left to look up or check. */
export interface TablePlan {
  readonly type: 'table';
  /** The structure after the operation; the same object when it does not change. */
  readonly after: Structure;
  readonly added: SheetOutline | undefined;
  readonly dropped: SheetOutline | undefined;
  /** Edits of lines, each in the positions after those before it. */
  readonly lines: readonly LinePlan[];
  /** Applied after the first of `lines`, or first if there are none. */
  readonly followed?: FollowedReferences | undefined;
  readonly writes: readonly TableWrite[];
  readonly fills: readonly TableFill[];
  /** Defined names with new formulas. */
  readonly names: readonly DefinedName[];
  /** Records with new formulas. */
  readonly records?: RecordChange;
  readonly keys: ChangedKeys | undefined;
  readonly footprint: TableFootprint;
  /**
   * The requested edit of rows, when the plan is that edit plus changes to tables on these rows.
   */
  readonly asked?: LinePlan;
}

export interface ChangedKeys {
  readonly sheet: SheetOutline;
  readonly column: LineId;
  readonly changes: KeyChanges;
}
