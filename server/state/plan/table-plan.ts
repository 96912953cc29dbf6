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

/** A row or column by identity, and where it stands once the plan's lines are edited. */
export interface Line {
  readonly id: LineId;
  readonly position: number;
}

/** Cells of some rows, anywhere in a sheet, by some of its columns. */
export interface TableWrite {
  readonly sheet: SheetOutline;
  /** From top to bottom. */
  readonly rows: readonly Line[];
  /** From left to right. */
  readonly columns: readonly Line[];
  /** Row by row; undefined leaves a cell. */
  readonly inputs: readonly (Input | undefined)[];
  /** `inputs` as blocks hold them; tag `leaveCell` leaves one. */
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Number formats; -1 leaves one. */
  readonly formats: Int32Array;
}

/** One content for cells below one another. */
export interface TableFill {
  readonly sheet: SheetOutline;
  readonly column: Line;
  readonly row: number;
  readonly rowCount: number;
  /** The input as it reads in the first of the cells. */
  readonly input: Input;
  readonly coded: CodedCell;
  /** -1 leaves the number formats. */
  readonly format: number;
}

/** Places that strict submissions compare: cells, and names of things that are no cells. */
export interface TableFootprint {
  readonly sheet: SheetOutline | undefined;
  /** In the positions of the sheet as it was. */
  readonly ranges: readonly Range[];
  /** Ranges of rows of the table that go, or that stand elsewhere once all is done. */
  readonly removed?: readonly Range[];
  /**
   * For rows written: their ranges once all is done, and those of them that were not there before.
   */
  readonly done?: Pick<TableFootprint, 'sheet' | 'ranges'> & { readonly added: readonly Range[] };
  readonly names: readonly string[];
  /** Prefix of further names, all of which it covers. */
  readonly covers?: string | undefined;
  /** Beginning of the names of the table whose rows it writes: met by what covers them all. */
  readonly within?: string;
  /** Range of the table, if there are new rows in it. */
  readonly extent?: Range | undefined;
}

/**
 * References that go on to other rows, once these came and before the former ones go, or to other
 * cells of a table.
 */
export interface FollowedReferences {
  /** That of the addresses: the structure after the first edit of lines, if there is one. */
  readonly structure: Structure;
  readonly runs: readonly FormulaRun[];
  readonly names: readonly DefinedName[];
  readonly records: RecordChange | undefined;
  readonly mutations: readonly Mutation[];
}

/** The effect of an operation on a table, with nothing left to be looked up or checked. */
export interface TablePlan {
  readonly type: 'table';
  /** The structure once all is done; the same object when it stays as it is. */
  readonly after: Structure;
  readonly added: SheetOutline | undefined;
  readonly dropped: SheetOutline | undefined;
  /** Edits of rows and columns, each in the positions that the ones before it left. */
  readonly lines: readonly LinePlan[];
  /** Done after the first of `lines`, or first where there are none. */
  readonly followed?: FollowedReferences | undefined;
  readonly writes: readonly TableWrite[];
  readonly fills: readonly TableFill[];
  /** Names whose formulas read otherwise. */
  readonly names: readonly DefinedName[];
  /** Records whose formulas do. */
  readonly records?: RecordChange;
  readonly keys: ChangedKeys | undefined;
  readonly footprint: TableFootprint;
  /** The edit of rows that was asked for, where it is done with what tables on them need. */
  readonly asked?: LinePlan;
}

export interface ChangedKeys {
  readonly sheet: SheetOutline;
  readonly column: LineId;
  readonly changes: KeyChanges;
}
