import { foldName } from '../model/names.ts';
import type { Range } from '../model/range.ts';
import { LineMap } from './line-map.ts';
import type { Plan, PlannedCell } from './plan.ts';
import { recordKey, type RecordChange } from './stored-record.ts';
import type { SheetOutline, Structure } from './structure.ts';

/** What an operation writes to, for telling whether two of them conflict. */
interface Footprint {
  readonly sequence: number;
  /** The sheet as it was; undefined for what belongs to the workbook. */
  readonly sheet: SheetOutline | undefined;
  /**
   * `lines` for the order of rows and columns, `sheet` for a sheet itself, or a name. A single cell
   * is kept as it was planned: most operations write just one, and each is remembered for a while.
   */
  readonly target: readonly Range[] | CellPlace | 'lines' | 'sheet' | { readonly name: string };
  /** Keys of records that were written, beside the target. */
  readonly records?: ReadonlySet<string>;
}

type CellPlace = Pick<PlannedCell, 'row' | 'column'>;

const rememberedCount = 10_000;
/** More cells than this in one cells.set count as the rectangle around them. */
const exactCellCount = 64;

/** What the latest operations wrote to, for strict submissions. */
export class RecentWrites {
  /** A ring by sequence. */
  #footprints: (Footprint | undefined)[] = [];

  copy(): RecentWrites {
    const copy = new RecentWrites();
    copy.#footprints = this.#footprints.slice();
    return copy;
  }

  push(sequence: number, plan: Plan): void {
    this.#footprints[sequence % rememberedCount] = footprintOf(sequence, plan);
  }

  reaches(base: number, head: number): boolean {
    return head - base < rememberedCount;
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
  const footprint = gridFootprint(sequence, plan);
  if (plan.type !== 'clear' || !plan.records) return footprint;
  const target = plan.values || plan.formats ? footprint.target : [];
  return { ...footprint, target, records: keysOf(plan.records) };
}

function gridFootprint(sequence: number, plan: Exclude<Plan, { type: 'records' }>): Footprint {
  switch (plan.type) {
    case 'cells':
      return { sequence, sheet: plan.cells[0]?.sheet, target: cellTarget(plan.cells) };
    case 'blocks':
      return { sequence, sheet: plan.sheet, target: plan.blocks.map(({ range }) => range) };
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
      return 'areas' in plan
        ? { sequence, sheet: plan.sheet, target: plan.areas }
        : { sequence, ...nameFootprint(plan) };
  }
}

function keysOf({ puts, deletes }: RecordChange): ReadonlySet<string> {
  return new Set([...deletes, ...puts.map(recordKey)]);
}

function nameFootprint(
  plan: Extract<Plan, { type: 'sheetAdd' | 'nameSet' | 'nameDelete' | 'nameRename' | 'setting' }>,
): Omit<Footprint, 'sequence'> {
  // A blank cannot stand in a defined name.
  if (plan.type === 'setting')
    return { sheet: undefined, target: { name: `setting ${plan.path}` } };
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
  return meets(mine, theirs, head);
}

function meets(mine: Footprint, theirs: Footprint, head: Structure): boolean {
  if (mine.sheet?.id !== theirs.sheet?.id) return false;
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
