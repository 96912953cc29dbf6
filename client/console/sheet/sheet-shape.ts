import { parseColumn } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import { Axis, type SizeRun } from '../grid/geometry.ts';
import type { GridShape } from '../grid/grid-events.ts';
import { groupsOf, type LevelRun } from '../grid/outline.ts';

const rowPx = 24;
const columnPx = 96;
const percent = 100;

interface LineRun {
  /** Number of a row, or letters of a column. */
  readonly from: number | string;
  readonly count: number;
  readonly px?: number;
  readonly hidden?: boolean;
  /** Level in the outline; absent outside of it. */
  readonly level?: number;
  readonly collapsed?: boolean;
}

export interface LineFormats {
  readonly slices: readonly {
    readonly rows: readonly LineRun[];
    readonly columns: readonly LineRun[];
  }[];
}

interface Outline {
  readonly rows: number;
  readonly columns: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

type Lines = LineFormats['slices'][number];

/** Returns the sizes of all lines of a sheet, and the number of frozen ones. */
export function shapeOf(
  sheet: Outline,
  used: Range,
  { across, down }: { readonly across: Lines | undefined; readonly down: Lines | undefined },
): GridShape {
  const { properties } = sheet;
  const size = (name: string, otherwise: number) => numberOf(properties[name]) ?? otherwise;
  const levels = { rows: levelsOf(down?.rows), columns: levelsOf(across?.columns) };
  return {
    rows: new Axis(sheet.rows, size('rowPx', rowPx), runsOf(down?.rows, size('rowPx', rowPx))),
    columns: new Axis(
      sheet.columns,
      size('colPx', columnPx),
      runsOf(across?.columns, size('colPx', columnPx)),
    ),
    frozenRows: size('freezeRows', 0),
    frozenColumns: size('freezeCols', 0),
    hasGridlines: properties['gridlines'] !== false,
    isMirrored: properties['rtl'] === true,
    levels,
    groups: {
      rows: groupsOf(levels.rows, properties['summaryBelow'] !== false),
      columns: groupsOf(levels.columns, properties['summaryRight'] !== false),
    },
    zoom: size('zoom', percent) / percent,
    used,
    isRowSet: (row) => (down?.rows ?? []).some((run) => isSetBy(run, row)),
  };
}

function isSetBy({ from, count, px }: LineRun, row: number): boolean {
  const first = Number(from) - 1;
  return px !== undefined && row >= first && row < first + count;
}

function runsOf(runs: readonly LineRun[] | undefined, defaultPx: number): SizeRun[] {
  return (runs ?? []).map(({ from, count, px, hidden }) => ({
    from: typeof from === 'number' ? from - 1 : (parseColumn(from) ?? 0),
    count,
    px: hidden === true ? 0 : (px ?? defaultPx),
  }));
}

function levelsOf(runs: readonly LineRun[] | undefined): LevelRun[] {
  return (runs ?? []).flatMap(({ from, count, level = 0, collapsed = false, hidden = false }) => {
    const first = typeof from === 'number' ? from - 1 : (parseColumn(from) ?? 0);
    if (level === 0) return [];
    return [{ first, last: first + count - 1, level, isFolded: collapsed && hidden }];
  });
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/**
 * Returns a shape with the used cells; the same one if nothing changed, so that the grid keeps its
 * place.
 */
export function withUsed(shape: GridShape, used: Range): GridShape {
  const isSame = rangeName(used) === rangeName(shape.used);
  return isSame ? shape : { ...shape, used };
}
