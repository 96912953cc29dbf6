import { foldName } from '../model/names.ts';
import type { Range } from '../model/range.ts';
import { LineMap } from './line-map.ts';
import { isLookPlan, type Plan, type PlannedCell } from './plan.ts';
import {
  isCellPlan,
  lookFootprint,
  registersOf,
  shareRegister,
  type CellPlan,
} from './registers.ts';
import type { Scale } from './scale.ts';
import type { SheetOutline, Structure } from './structure.ts';

/** What an operation writes to, for telling whether two of them conflict. */
export interface Footprint {
  readonly sequence: number;
  /** The sheet as it was; undefined for what belongs to the workbook. */
  readonly sheet: SheetOutline | undefined;
  /**
   * `lines` for the order of rows and columns, `sheet` for a sheet itself, or a name. A single cell
   * is kept as it was planned: most operations write just one, and each is remembered for a while.
   */
  readonly target: Target;
  /**
   * Which properties of the target: those that differ commute. Undefined is all there are, and a
   * name that ends in a point is all that begin so.
   */
  readonly registers?: readonly string[];
}

type Target =
  | readonly Range[]
  | CellPlace
  | 'lines'
  | 'sheet'
  | 'properties'
  | { readonly name: string };

type CellPlace = Pick<PlannedCell, 'row' | 'column'>;

/** One that names a cell or an area; and its place in the ring. */
const footprintBytes = 160;
const placeBytes = 8;

const rememberedCount = 10_000;
/** More cells than this in one cells.set count as the rectangle around them. */
const exactCellCount = 64;

/** What the latest operations wrote to, for strict submissions. */
export class RecentWrites {
  /** A ring by sequence. */
  #footprints: (Footprint | undefined)[] = [];
  #latest: Footprint | undefined;
  /** Operations up to here were applied before anybody remembered. */
  readonly #since: number;

  constructor(since = 0) {
    this.#since = since;
  }

  copy(): RecentWrites {
    const copy = new RecentWrites(this.#since);
    copy.#footprints = this.#footprints.slice();
    copy.#latest = this.#latest;
    return copy;
  }

  push(sequence: number, plan: Plan): void {
    this.#latest = footprintOf(sequence, plan);
    this.#footprints[sequence % rememberedCount] = this.#latest;
  }

  /** What it keeps in memory; copies with the same latest entry share the others too. */
  weigh(scale: Scale): void {
    const { length } = this.#footprints;
    scale.add(length * placeBytes);
    if (this.#latest && scale.isNew(this.#latest)) scale.add(length * footprintBytes);
  }

  reaches(base: number, head: number): boolean {
    return base >= this.#since && head - base < rememberedCount;
  }

  /** Sequence of an operation in (base, through] that wrote to what the plan writes to. */
  conflict(plan: Plan, span: { base: number; through: number }, head: Structure) {
    const mine = footprintOf(0, plan);
    for (let sequence = span.through; sequence > span.base; sequence--) {
      const theirs = this.#footprints[sequence % rememberedCount];
      if (theirs?.sequence === sequence && meets(mine, theirs, head)) return sequence;
    }
    return undefined;
  }
}

function footprintOf(sequence: number, plan: Plan): Footprint {
  if (isLookPlan(plan)) return { sequence, ...lookFootprint(plan) };
  if (isCellPlan(plan)) return { sequence, ...cellFootprint(plan) };
  switch (plan.type) {
    case 'insert':
    case 'delete':
    case 'move':
      return { sequence, sheet: plan.sheet, target: 'lines' };
    case 'tableCreate':
      return { sequence, sheet: plan.sheet, target: [plan.table.range] };
    case 'sheetRename':
    case 'sheetDelete':
    case 'sheetMove':
      return { sequence, sheet: plan.sheet, target: 'sheet' };
    default:
      return { sequence, ...nameFootprint(plan) };
  }
}

function cellFootprint(plan: CellPlan): Omit<Footprint, 'sequence'> {
  const registers = registersOf(plan);
  switch (plan.type) {
    case 'cells':
      return { sheet: plan.cells[0]?.sheet, target: cellTarget(plan.cells), registers };
    case 'blocks':
      return { sheet: plan.sheet, target: plan.blocks.map(({ range }) => range), registers };
    default:
      return { sheet: plan.sheet, target: plan.areas, registers };
  }
}

function nameFootprint(
  plan: Extract<
    Plan,
    {
      type: 'sheetAdd' | 'nameSet' | 'nameDelete' | 'nameRename' | 'settings' | 'policy' | 'commit';
    }
  >,
): Omit<Footprint, 'sequence'> {
  if (plan.type === 'settings') {
    const registers = plan.changes.map(([path]) => path);
    return { sheet: undefined, target: 'properties', registers };
  }
  // A blank cannot stand in a defined name.
  if (plan.type === 'commit') {
    return { sheet: undefined, target: { name: `commit ${plan.tag ?? ''}` } };
  }
  if (plan.type === 'policy') return { sheet: undefined, target: { name: 'a policy' } };
  const sheet = plan.type === 'sheetAdd' ? undefined : plan.scope;
  const name = plan.type === 'nameRename' ? plan.from : plan.name;
  return { sheet, target: { name: foldName(name) } };
}

function cellTarget(cells: readonly PlannedCell[]): readonly Range[] | CellPlace {
  const [first] = cells;
  if (first && cells.length === 1) return { row: first.row, column: first.column };
  const ranges = cells.map(rangeOf);
  return ranges.length > exactCellCount ? [around(ranges)] : ranges;
}

function rangeOf({ row, column }: CellPlace): Range {
  return { row0: row, row1: row, column0: column, column1: column };
}

function around(ranges: readonly Range[]): Range {
  let { row0, column0, row1, column1 } = ranges[0] ?? { row0: 0, column0: 0, row1: 0, column1: 0 };
  for (const range of ranges) {
    row0 = Math.min(row0, range.row0);
    column0 = Math.min(column0, range.column0);
    row1 = Math.max(row1, range.row1);
    column1 = Math.max(column1, range.column1);
  }
  return { row0, column0, row1, column1 };
}

function meets(mine: Footprint, theirs: Footprint, head: Structure): boolean {
  if (mine.sheet?.id !== theirs.sheet?.id) return false;
  return shareRegister(mine.registers, theirs.registers) && targetsMeet(mine, theirs, head);
}

function targetsMeet(mine: Footprint, theirs: Footprint, head: Structure): boolean {
  const [own, other] = [mine.target, theirs.target];
  if (typeof own === 'string' || typeof other === 'string') return own === other;
  if ('name' in own) return 'name' in other && own.name === other.name;
  const then = theirs.sheet;
  const now = then && head.withId(then.id);
  if ('name' in other || !then || !now) return false;
  const ranges = rangesOf(other).flatMap((range) => carried(range, then, now));
  return rangesOf(own).some((range) => ranges.some((written) => overlap(range, written)));
}

function rangesOf(target: readonly Range[] | CellPlace): readonly Range[] {
  return 'row' in target ? [rangeOf(target)] : target;
}

function carried(range: Range, then: SheetOutline, now: SheetOutline): Range[] {
  const { row0, row1, column0, column1 } = range;
  const rows = new LineMap(then, now, 'row').pieces(row0, row1 - row0 + 1);
  const columns = new LineMap(then, now, 'column').pieces(column0, column1 - column0 + 1);
  return rows.flatMap((row) =>
    columns.map((column) => ({
      row0: row.position,
      row1: row.position + row.length - 1,
      column0: column.position,
      column1: column.position + column.length - 1,
    })),
  );
}

function overlap(a: Range, b: Range): boolean {
  return a.row0 <= b.row1 && b.row0 <= a.row1 && a.column0 <= b.column1 && b.column0 <= a.column1;
}
