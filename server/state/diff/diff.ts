import { CellList } from './cell-list.ts';
import { gatherCells, type CellChanges, type ChangedSheetCells } from './changed-cells.ts';
import { gatherFormats, type ChangedFormat } from './changed-formats.ts';
import {
  changedLines,
  changedPolicy,
  changedProperties,
  changedSettings,
  changedStyles,
  type ChangedLines,
  type ChangedMember,
  type ChangedProperty,
  type ChangedSetting,
  type ChangedStyle,
} from './changed-looks.ts';
import { changedNames, type ChangedName } from './changed-names.ts';
import {
  changedOrder,
  changedRecords,
  type ChangedOrder,
  type ChangedRecord,
} from './changed-records.ts';
import { changedLanes, type ChangedLanes } from './changed-runs.ts';
import { changedTables, type ChangedTable } from './changed-tables.ts';
import { RenamedNames } from './renamed-names.ts';
import { RunList } from './run-list.ts';
import { sheetPairs, type SheetPair, type Sides } from './sides.ts';
import { movedSheets, structureChanges, type StructureChange } from './structure-changes.ts';

/** Kinds of differences that a caller can select. */
export const diffKinds = [
  'structure',
  'cells',
  'formats',
  'names',
  'tables',
  'records',
  'properties',
  'settings',
] as const;

export type DiffKind = (typeof diffKinds)[number];

export interface DiffOptions {
  /** Kinds to compare; left out for all. */
  readonly kinds?: ReadonlySet<DiffKind> | undefined;
  /** Id of the only sheet to compare; left out for all. */
  readonly sheetId?: string | undefined;
  /** Changed cells by sheet, where another thread has found them. */
  readonly cells?: ReadonlyMap<string, CellChanges> | undefined;
}

/** Differences on one sheet. */
export interface SheetDiff extends ChangedSheetCells {
  readonly pair: SheetPair;
  readonly structure: readonly StructureChange[];
  readonly formats: readonly ChangedFormat[];
  readonly names: readonly ChangedName[];
  readonly tables: readonly ChangedTable[];
  readonly records: readonly ChangedRecord[];
  readonly orders: readonly ChangedOrder[];
  readonly lines: readonly ChangedLines[];
  readonly properties: readonly ChangedProperty[];
}

/** Differences between two states, together with the states, which are needed to describe them. */
export interface StateDiff extends Sides {
  /** Sheets that differ, in the order of `to`, then deleted ones. */
  readonly sheets: readonly SheetDiff[];
  /** Names of the workbook as a whole. */
  readonly names: readonly ChangedName[];
  readonly settings: readonly ChangedSetting[];
  readonly styles: readonly ChangedStyle[];
  readonly policy: readonly ChangedMember[];
}

/**
 * Compares two states of one workbook. The cost depends on the differences only. Both states must
 * share one dictionary.
 */
export function* diffStates(
  sides: Sides,
  { kinds, sheetId, cells }: DiffOptions = {},
): Generator<void, StateDiff> {
  if (sides.from.coding !== sides.to.coding) throw new Error('these are states of two workbooks');
  const isWanted = (kind: DiffKind) => kinds?.has(kind) ?? true;
  const renames = changedNames(sides);
  const renamed = new RenamedNames(sides.from, renames);
  const names = isWanted('names') ? renames : [];
  const moved = movedSheets(sides);
  const sheets: SheetDiff[] = [];
  for (const pair of sheetPairs(sides)) {
    if (sheetId !== undefined && pair.id !== sheetId) continue;
    const sheet = yield* sheetDiff(sides, pair, {
      isWanted,
      moved,
      names,
      renamed,
      known: cells?.get(pair.id),
    });
    if (!isEmpty(sheet)) sheets.push(sheet);
  }
  if (sheetId !== undefined) return { ...sides, sheets, ...noWorkbook };
  const own = names.filter(({ scopeId }) => scopeId === undefined);
  return {
    ...sides,
    sheets,
    ...(isWanted('settings') ? settingsOf(sides) : noWorkbook),
    names: own,
  };
}

const noWorkbook = { names: [], settings: [], styles: [], policy: [] };

function settingsOf(sides: Sides): Pick<StateDiff, 'settings' | 'styles' | 'policy'> {
  return {
    settings: changedSettings(sides),
    styles: changedStyles(sides),
    policy: changedPolicy(sides),
  };
}

interface SheetWish {
  readonly isWanted: (kind: DiffKind) => boolean;
  readonly moved: ReadonlySet<string>;
  readonly names: readonly ChangedName[];
  readonly renamed: RenamedNames;
  readonly known: CellChanges | undefined;
}

function* sheetDiff(
  sides: Sides,
  pair: SheetPair,
  { isWanted, moved, names, renamed, known }: SheetWish,
): Generator<void, SheetDiff> {
  const { lanes, runs, cells, collapsed } = yield* sheetCells(sides, pair, {
    isWanted,
    renamed,
    known,
  });
  yield;
  const tables = isWanted('tables') ? yield* changedTables(sides, pair.id, runs) : [];
  return {
    pair,
    structure: isWanted('structure') ? structureChanges(pair, moved, sides) : [],
    cells,
    collapsed,
    formats: yield* gatherFormats(lanes.styles),
    names: names.filter(({ scopeId }) => scopeId === pair.id),
    tables,
    records: isWanted('records') ? changedRecords(sides, pair) : [],
    orders: isWanted('records') ? changedOrder(sides, pair) : [],
    lines: isWanted('properties') ? changedLines(sides, pair) : [],
    properties: isWanted('properties') ? changedProperties(sides, pair) : [],
  };
}

/** Compares the cells of a sheet, or takes what is known of them. */
function* sheetCells(
  sides: Sides,
  pair: SheetPair,
  { isWanted, renamed, known }: Pick<SheetWish, 'isWanted' | 'renamed' | 'known'>,
): Generator<void, CellChanges & { readonly lanes: ChangedLanes }> {
  const needsCells = isWanted('cells') || isWanted('tables');
  const wanted = { cells: needsCells && !known, formats: isWanted('formats'), renamed };
  const needsLanes = wanted.cells || wanted.formats;
  const lanes = needsLanes ? yield* changedLanes(sides, pair, wanted) : noLanes;
  yield;
  const runs = known?.runs ?? lanes.runs;
  const { cells, collapsed } = isWanted('cells') ? (known ?? (yield* gatherCells(runs))) : noCells;
  return { lanes, runs, cells, collapsed };
}

/** Leaves out the differences of kinds that nobody asked for. */
export function onlyKinds(diff: StateDiff, kinds: ReadonlySet<DiffKind>): StateDiff {
  const sheets = diff.sheets.map((sheet) => ({
    ...sheet,
    ...(!kinds.has('cells') && noCells),
    ...(!kinds.has('structure') && { structure: [] }),
  }));
  return { ...diff, sheets: sheets.filter((sheet) => !isEmpty(sheet)) };
}

const noLanes: ChangedLanes = { runs: new RunList(), styles: [] };
const noCells: ChangedSheetCells = {
  cells: new CellList(new RunList(), new Int32Array(), new Int32Array()),
  collapsed: [],
};

function isEmpty({ pair: _pair, ...parts }: SheetDiff): boolean {
  return Object.values(parts).every((part: { readonly length: number }) => part.length === 0);
}
