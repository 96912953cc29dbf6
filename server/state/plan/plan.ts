import type { Input } from '../../model/cell-value.ts';
import type { FormulaOrigin } from '../../model/formula-service.ts';
import type { OperationKind } from '../../model/operation.ts';
import type { Policy } from '../../model/policy.ts';
import type { Range } from '../../model/range.ts';
import type { SettingPath, SettingValue } from '../../model/settings.ts';
import type { SheetPropertyKey, SheetPropertyValue } from '../../model/sheet-properties.ts';
import type { CellCoding, CodedCell } from '../cells/cell-coding.ts';
import type { DefinedName, NameTable } from '../references/names.ts';
import type { LineValue } from '../structure/line-properties.ts';
import type { LineSpan } from '../structure/line-span.ts';
import type { Looks, NamedStyle } from '../structure/looks.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import type { SheetTarget } from './plan-target.ts';
import type { Records } from '../records/records.ts';
import type { BlankBehind, Resolved } from './resolved.ts';
import type { RowCounts } from './row-counts.ts';
import type { RewritePlan } from '../references/rewrite.ts';
import type { Settings } from '../structure/settings.ts';
import type { RecordChange } from '../records/stored-record.ts';
import type { StructureStep } from '../structure/structure-history.ts';
import type { Axis, NameRename, SheetOutline, Structure } from '../structure/structure.ts';
import type { KeyIndexes } from '../cells/key-index.ts';
import type { SheetCells, UsedBounds } from '../cells/sheet-cells.ts';
import type { SheetCopy } from '../operations/sheet-copy.ts';
import type { SheetFormats } from '../cells/sheet-formats.ts';
import type { FormatPatch } from '../cells/style-list.ts';
import type { TablePlan } from './table-plan.ts';

export interface PlannedCell {
  readonly sheet: SheetOutline;
  readonly row: number;
  readonly column: number;
  readonly rowId: LineId;
  readonly columnId: LineId;
  /** Undefined leaves what the cell holds. */
  readonly input: Input | undefined;
  readonly coded: CodedCell | undefined;
  /** The whole style it has then; undefined leaves it. */
  readonly format: number | undefined;
}

export interface PlannedBlock {
  readonly range: Range;
  /** Row by row; undefined leaves a cell. */
  readonly inputs: readonly (readonly (Input | undefined)[])[];
  /** `inputs` as blocks hold them, row by row; tag `leaveCell` leaves one. */
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** The whole style each cell has then, row by row; -1 leaves one. */
  readonly formats: Int32Array | undefined;
}

export const leaveCell = 255;

/**
 * The effect of an operation, in the addresses of the head, with nothing left to be looked up or
 * checked.
 */
export type Plan =
  | { readonly type: 'cells'; readonly cells: readonly PlannedCell[] }
  | {
      readonly type: 'blocks';
      readonly sheet: SheetOutline;
      readonly blocks: readonly PlannedBlock[];
    }
  | {
      readonly type: 'fill';
      readonly sheet: SheetOutline;
      readonly areas: readonly Range[];
      /** For the first cell of the first area. */
      readonly input: Input;
      readonly coded: CodedCell;
      readonly format: FormatPatch | undefined;
    }
  | {
      readonly type: 'clear';
      readonly sheet: SheetOutline;
      readonly areas: readonly Range[];
      readonly values: boolean;
      readonly formats: boolean;
      readonly records?: RecordChange;
    }
  | {
      readonly type: 'format';
      readonly sheet: SheetOutline;
      readonly areas: readonly Range[];
      readonly format: FormatPatch;
    }
  | {
      readonly type: 'lanes';
      readonly sheet: SheetOutline;
      readonly areas: readonly Range[];
      /** The whole style that the cells have of their own; 0 is none. */
      readonly format: number;
    }
  | {
      readonly type: 'insert';
      readonly axis: Axis;
      readonly sheet: SheetOutline;
      readonly position: number;
      readonly count: number;
      /** Lines that come back; new ones are called after the operation. */
      readonly ids?: readonly IdSpan[];
      /** The line whose formats and size the new ones get. */
      readonly inherit: LineId | undefined;
    }
  | {
      readonly type: 'delete';
      readonly axis: Axis;
      readonly sheet: SheetOutline;
      readonly spans: readonly LineSpan[];
    }
  | {
      readonly type: 'move';
      readonly axis: Axis;
      readonly sheet: SheetOutline;
      readonly spans: readonly LineSpan[];
      readonly before: number;
    }
  | {
      readonly type: 'sheetAdd';
      readonly name: string;
      readonly index: number;
      readonly copy: SheetCopy | undefined;
      /** A sheet that comes back, without its content. */
      readonly restored?: Pick<SheetOutline, 'id' | 'rows' | 'columns'>;
    }
  | { readonly type: 'sheetRename'; readonly sheet: SheetOutline; readonly name: string }
  | { readonly type: 'sheetDelete'; readonly sheet: SheetOutline }
  | { readonly type: 'sheetMove'; readonly sheet: SheetOutline; readonly index: number }
  | {
      readonly type: 'nameSet';
      readonly name: string;
      readonly scope: SheetOutline | undefined;
      /** In the addresses of the head. */
      readonly formula: string;
      readonly comment: string | undefined;
      /** As it was written, where that names lines or a sheet that are gone. */
      readonly written?: Pick<DefinedName, 'formula' | 'structure'>;
    }
  | { readonly type: 'nameDelete'; readonly name: string; readonly scope: SheetOutline | undefined }
  | {
      readonly type: 'nameRename';
      readonly rename: NameRename;
      readonly scope: SheetOutline | undefined;
      /** The defined name after the change. */
      readonly renamed: DefinedName;
      /** New texts of all formulas that name it. */
      readonly formulas: TablePlan;
    }
  | TablePlan
  | RecordPlan
  | LookPlan
  | RewritePlan
  | { readonly type: 'settings'; readonly changes: readonly SettingChange[] }
  | { readonly type: 'policy'; readonly policy: Policy }
  | { readonly type: 'commit'; readonly tag: string | undefined };

export interface RecordPlan {
  readonly type: 'records';
  readonly change: RecordChange;
  readonly sheet: SheetOutline | undefined;
  /** Cells that the change is about: all of the sheet when left out. */
  readonly areas?: readonly Range[];
  /** The part of the record that changes, where others may change the rest. */
  readonly part?: string;
}

export type SettingChange = readonly [path: SettingPath, value: SettingValue];

/** Changes of properties of rows or columns; null sets a member back. */
export type LineChange = { readonly [Key in keyof LineValue]?: LineValue[Key] | null };

/** Plans for properties that no formula depends on, but for rows that are hidden. */
export type LookPlan =
  | {
      readonly type: 'lines';
      readonly axis: Axis;
      readonly sheet: SheetOutline;
      readonly spans: readonly LineSpan[];
      readonly change: LineChange;
    }
  | {
      readonly type: 'properties';
      readonly sheet: SheetOutline;
      readonly changes: readonly (readonly [key: SheetPropertyKey, value: SheetPropertyValue])[];
    }
  | { readonly type: 'styleDefine'; readonly style: NamedStyle }
  | { readonly type: 'styleDelete'; readonly id: string };

export type SheetPlan = Extract<Plan, { type: `sheet${string}` }>;

export function isSheetPlan(plan: Plan): plan is SheetPlan {
  return plan.type.startsWith('sheet');
}

export function isLookPlan(plan: Plan): plan is LookPlan {
  const { type } = plan;
  const isStyle = type === 'styleDefine' || type === 'styleDelete';
  return isStyle || type === 'lines' || type === 'properties';
}

/** The formats of a sheet as planning and carrying out see them. */
export function formatsOf(parts: FormatParts, sheet: SheetOutline): SheetFormats {
  const { lines } = parts.looks;
  return {
    sheet,
    cells: parts.cellsOf(sheet),
    rows: lines.of(sheet.id, 'row'),
    columns: lines.of(sheet.id, 'column'),
    styles: parts.coding.dictionary.styles,
  };
}

export interface FormatParts {
  readonly looks: Looks;
  readonly coding: CellCoding;
  cellsOf(sheet: SheetOutline): SheetCells;
}

/** A plan, and the operation as the journal keeps it: what it says in the addresses of the head. */
export interface Planned {
  readonly plan: Plan;
  readonly kind: OperationKind;
  readonly payload: unknown;
  readonly resolved: Resolved;
  /** True when addresses or formulas differ from the ones sent. */
  readonly rebased: boolean;
  readonly clipped: readonly string[];
  /** For kinds that write rows of a table: the count of each outcome. */
  readonly rows?: RowCounts;
}

/**
 * New rows of tables are minted, and `followed` by references to the blank row of an empty table, or
 * `carried`: followed by what lies on that row, too. Those of old journals took rows that were there.
 */
export type NewRows = 'carried' | 'followed' | 'minted' | 'taken';

/** The rules that operations came to be planned by; those of old journals go on as they did. */
export interface PlanRules {
  readonly newRows: NewRows;
  /**
   * A table keeps a row, new rows in it have the formulas of its columns, and references follow
   * what moves within it.
   */
  readonly keepsTables: boolean;
  /** The row behind which the blank one of a table comes; decided by its sheet if left out. */
  readonly blankBehind?: BlankBehind | 'unsaid' | undefined;
}

export const presentRules: PlanRules = { newRows: 'carried', keepsTables: true };

/** The state as planning sees it; planning changes nothing but the dictionary. */
export interface PlanContext extends PlanRules {
  /** Origin of the operation's formulas. */
  readonly formulaOrigin: FormulaOrigin;
  /** The year in which a person typed it, for dates that name none. */
  readonly year: number | undefined;
  /** The structure that the client saw. */
  readonly base: Structure;
  readonly head: Structure;
  readonly coding: CellCoding;
  readonly names: NameTable;
  readonly looks: Looks;
  readonly records: Records;
  readonly settings: Settings;
  readonly keys: KeyIndexes;
  /** The cells of a sheet of the head. */
  readonly cellsOf: (sheet: SheetOutline) => SheetCells;
  /** Names for what the operation makes, should it be applied next. */
  readonly next: () => { branch: number; sequence: number; sheetKey: number };
  /** The steps from the base to the head; undefined when they are not known. */
  readonly stepsSince: () => readonly StructureStep[] | undefined;
  /** Returns the input in a cell of the head. */
  readonly inputAt: (sheet: SheetOutline, row: number, column: number) => Input;
  /** Sheets that were looked up, by the argument that named them: they hold for base and head. */
  readonly targets: Map<string | undefined, SheetTarget>;
  readonly used: (sheet: SheetOutline) => UsedBounds | undefined;
  /** Returns whether a row or column at or behind a position holds anything. */
  readonly isFilledFrom: (sheet: SheetOutline, axis: Axis, position: number) => boolean;
}

/**
 * Planning of a large operation yields every few hundred cells, so that whoever drives it can let
 * others have the thread. Nothing may change the state in between.
 */
export type Planning = Generator<void, Planned>;
