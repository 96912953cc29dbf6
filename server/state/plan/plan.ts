import type { Input } from '../../model/cell-value.ts';
import type { FormulaOrigin } from '../../model/formula-service.ts';
import type { OperationKind } from '../../model/operation.ts';
import type { Policy } from '../../model/policy.ts';
import type { Range } from '../../model/range.ts';
import type { SettingPath, SettingValue } from '../../model/settings.ts';
import type { SheetPropertyKey, SheetPropertyValue } from '../../model/sheet-properties.ts';
import type { CellCoding, CodedCell } from '../cells/cell-coding.ts';
import type { DefinedName, NameTable } from '../references/names.ts';
import type { LineValue } from '../structure/line-value.ts';
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
  /** The new content; undefined to keep it. */
  readonly input: Input | undefined;
  readonly coded: CodedCell | undefined;
  /** Index of the new style as a whole; undefined to keep it. */
  readonly format: number | undefined;
}

export interface PlannedBlock {
  readonly range: Range;
  /** New contents row by row; undefined to keep one. */
  readonly inputs: readonly (readonly (Input | undefined)[])[];
  /** `inputs` as blocks store them, row by row; the tag `leaveCell` keeps a cell. */
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Indexes of new styles as a whole, row by row; -1 to keep one. */
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
      /** The input for the first cell of the first area. */
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
      /** Index of the cells' own style as a whole; 0 for none. */
      readonly format: number;
    }
  | {
      readonly type: 'insert';
      readonly axis: Axis;
      readonly sheet: SheetOutline;
      readonly position: number;
      readonly count: number;
      /** Ids of restored lines; left out for new ones, which get ids from the operation. */
      readonly ids?: readonly IdSpan[];
      /** The line whose formats and size new lines get. */
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
      /** Id and orders of a restored sheet; left out for a new one. */
      readonly restored?: Pick<SheetOutline, 'id' | 'rows' | 'columns'>;
    }
  | { readonly type: 'sheetRename'; readonly sheet: SheetOutline; readonly name: string }
  | { readonly type: 'sheetDelete'; readonly sheet: SheetOutline }
  | { readonly type: 'sheetMove'; readonly sheet: SheetOutline; readonly index: number }
  | {
      readonly type: 'nameSet';
      readonly name: string;
      readonly scope: SheetOutline | undefined;
      /** The formula in the addresses of the head. */
      readonly formula: string;
      readonly comment: string | undefined;
      /** The formula as written, when it names deleted lines or sheets. */
      readonly written?: Pick<DefinedName, 'formula' | 'structure'>;
    }
  | { readonly type: 'nameDelete'; readonly name: string; readonly scope: SheetOutline | undefined }
  | {
      readonly type: 'nameRename';
      readonly rename: NameRename;
      readonly scope: SheetOutline | undefined;
      /** The defined name after the change. */
      readonly renamed: DefinedName;
      /** New texts of all formulas that use the name. */
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
  /** Cells that the change concerns; left out for the whole sheet. */
  readonly areas?: readonly Range[];
  /** The part of the record that changes, when others may change other parts at the same time. */
  readonly part?: string;
}

export type SettingChange = readonly [path: SettingPath, value: SettingValue];

/** New properties of rows or columns; null resets one. */
export type LineChange = { readonly [Key in keyof LineValue]?: LineValue[Key] | null };

/** Plans for properties that no formula depends on, except for hidden rows. */
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

/** Returns the formats of cells, lines and sheet together. */
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

/** A plan, with the operation in the addresses of the head as the journal stores it. */
export interface Planned {
  readonly plan: Plan;
  readonly kind: OperationKind;
  readonly payload: unknown;
  readonly resolved: Resolved;
  /** True when addresses or formulas differ from those sent. */
  readonly rebased: boolean;
  readonly clipped: readonly string[];
  /** Outcomes of the rows, for kinds that write rows of a table. */
  readonly rows?: RowCounts;
}

/**
 * The way in which new rows of tables get their lines. `minted`: new lines. `followed`: new lines,
 * and references to the blank row of an empty table move to the first of them. `carried`: as
 * `followed`, and notes and the like on that row move too. `taken`: blank rows of the sheet are
 * used, in old journals.
 */
export type NewRows = 'carried' | 'followed' | 'minted' | 'taken';

/**
 * Rules of planning that changed over time; operations of old journals are replayed by the old
 * ones.
 */
export interface PlanRules {
  readonly newRows: NewRows;
  /**
   * True when a table always keeps a row, new rows in it get the formulas of its columns, and
   * references follow what moves within it.
   */
  readonly keepsTables: boolean;
  /**
   * The deleted row in whose place the blank row of a table comes; left out to decide by its sheet.
   */
  readonly blankBehind?: BlankBehind | 'unsaid' | undefined;
}

export const presentRules: PlanRules = { newRows: 'carried', keepsTables: true };

/** The state as planning sees it. Planning changes nothing but adds to the dictionary. */
export interface PlanContext extends PlanRules {
  /** Source of the operation's formulas: a person, a file or the journal. */
  readonly formulaOrigin: FormulaOrigin;
  /** The current year, for typed dates that name none. */
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
  /** Returns the numbers from which ids are made, if the operation is applied next. */
  readonly next: () => { branch: number; sequence: number; sheetKey: number };
  /** Returns the edits of lines from the base to the head; undefined when unknown. */
  readonly stepsSince: () => readonly StructureStep[] | undefined;
  /** Returns the input in a cell of the head. */
  readonly inputAt: (sheet: SheetOutline, row: number, column: number) => Input;
  /** Sheets that were looked up already, by the argument that named them. */
  readonly targets: Map<string | undefined, SheetTarget>;
  readonly used: (sheet: SheetOutline) => UsedBounds | undefined;
  /** Returns whether any row or column from a position on holds anything. */
  readonly isFilledFrom: (sheet: SheetOutline, axis: Axis, position: number) => boolean;
}

/**
 * Planning of a large operation yields every few hundred cells, so that the caller can give the
 * thread to others. The state must not change in between.
 */
export type Planning = Generator<void, Planned>;
