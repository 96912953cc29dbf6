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
import type { RewritePlan } from './rewrite.ts';
import type { Scale } from './scale.ts';
import { recordKey, type RecordChange } from './stored-record.ts';
import type { SheetOutline, Structure } from './structure.ts';
import type { TableFootprint } from './table-plan.ts';

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
  /** What else it writes to, on another sheet or of another kind. */
  readonly also?: Footprint | undefined;
  /** Keys of records that were written, beside the target. */
  readonly records?: ReadonlySet<string>;
}

type Target =
  | readonly Range[]
  | CellPlace
  | 'lines'
  | 'sheet'
  | 'properties'
  | { readonly name: string }
  | TableFootprint;

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
      if (theirs?.sequence === sequence && isMet(mine, theirs, head)) return sequence;
    }
    return undefined;
  }
}

function footprintOf(sequence: number, plan: Plan): Footprint {
  if (plan.type === 'records') {
    return { sequence, sheet: plan.sheet, target: [], records: keysOf(plan.change) };
  }
  if (isLookPlan(plan)) return { sequence, ...lookFootprint(plan) };
  if (isCellPlan(plan)) return { sequence, ...cellFootprint(plan) };
  switch (plan.type) {
    case 'insert':
    case 'delete':
    case 'move':
      return { sequence, sheet: plan.sheet, target: 'lines' };
    case 'table':
      return tableFootprint(sequence, plan.footprint);
    case 'sheetRename':
    case 'sheetDelete':
    case 'sheetMove':
      return { sequence, sheet: plan.sheet, target: 'sheet' };
    case 'rewrite':
      return rewriteFootprint(sequence, plan);
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
    case 'clear':
      return clearFootprint(plan, registers);
    default:
      return { sheet: plan.sheet, target: plan.areas, registers };
  }
}

function clearFootprint(
  { sheet, areas, values, formats, records }: Extract<Plan, { type: 'clear' }>,
  registers: readonly string[],
): Omit<Footprint, 'sequence'> {
  const target = values || formats ? areas : [];
  return { sheet, target, registers, ...(records && { records: keysOf(records) }) };
}

function rewriteFootprint(sequence: number, { written, order }: RewritePlan): Footprint {
  let also: Footprint | undefined = order && { sequence, sheet: order, target: 'lines' };
  for (const { sheet, range } of written) also = { sequence, sheet, target: [range], also };
  return also ?? { sequence, sheet: undefined, target: [] };
}

/** Of what was written long ago the later positions count, of what is to be written the earlier. */
function tableFootprint(sequence: number, footprint: TableFootprint): Footprint {
  const { done } = footprint;
  if (sequence === 0 || !done) return { sequence, sheet: footprint.sheet, target: footprint };
  const { names, covers: beginning } = footprint;
  return { sequence, sheet: done.sheet, target: { ...done, names, covers: beginning } };
}

function keysOf({ puts, deletes }: RecordChange): ReadonlySet<string> {
  return new Set([...deletes, ...puts.map(recordKey)]);
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

function isMet(mine: Footprint, theirs: Footprint, head: Structure): boolean {
  for (const key of mine.records ?? []) if (theirs.records?.has(key)) return true;
  return sharesNames(mine.target, theirs.target) || meets(mine, theirs, head);
}

function meets(mine: Footprint, theirs: Footprint, head: Structure): boolean {
  for (let own: Footprint | undefined = mine; own; own = own.also) {
    for (let other: Footprint | undefined = theirs; other; other = other.also) {
      if (meetsOne(own, other, head)) return true;
    }
  }
  return false;
}

function meetsOne(mine: Footprint, theirs: Footprint, head: Structure): boolean {
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

function rangesOf(target: readonly Range[] | CellPlace | TableFootprint): readonly Range[] {
  if ('ranges' in target) return target.ranges;
  return 'row' in target ? [rangeOf(target)] : target;
}

function covers({ covers: beginning }: TableFootprint, { names, covers: other }: TableFootprint) {
  if (beginning === undefined) return false;
  return other?.startsWith(beginning) === true || names.some((name) => name.startsWith(beginning));
}

/** Tables, their columns and keys, whatever cells they have to do with. */
function sharesNames(own: Target, other: Target): boolean {
  if (typeof own === 'string' || !('names' in own)) return false;
  if (typeof other === 'string' || !('names' in other)) return false;
  const names = new Set(other.names);
  return own.names.some((name) => names.has(name)) || covers(own, other) || covers(other, own);
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
