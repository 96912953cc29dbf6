import { foldName } from '../model/names.ts';
import { overlaps, type Range } from '../model/range.ts';
import { isRecordType, recordIdPrefixes, type RecordType } from '../model/record.ts';
import { LineMap } from './structure/line-map.ts';
import { isLookPlan, type Plan, type PlannedCell } from './plan/plan.ts';
import {
  contentRegisters,
  entered,
  entryOnly,
  isCellPlan,
  lineFootprint,
  lookFootprint,
  placeOfRows,
  registersOf,
  shareRegister,
  valueAndFormats,
  valueOnly,
  wholeSheet,
  type CellPlan,
} from './plan/registers.ts';
import type { RewritePlan } from './references/rewrite.ts';
import type { Scale } from './ids/scale.ts';
import { recordKey, type RecordChange } from './records/stored-record.ts';
import type { SheetOutline, Structure } from './structure/structure.ts';
import type { TableFootprint, TablePlan } from './plan/table-plan.ts';

/** The places that an operation writes to (its write set), by which conflicts are found. */
export interface Footprint {
  readonly sequence: number;
  /** The sheet before the operation; undefined for parts of the workbook as a whole. */
  readonly sheet: SheetOutline | undefined;
  /**
   * Cells, `sheet` for a sheet itself, or a name. A single cell is kept as planned, to save memory:
   * most operations write just one, and thousands are remembered.
   */
  readonly target: Target;
  /**
   * The registers of the target that it writes to; operations on different ones commute. Undefined
   * means all. A name that ends in a point stands for all that begin with it.
   */
  readonly registers?: readonly string[];
  /** A further footprint of the same operation. */
  readonly also?: Footprint | undefined;
  /** Keys of written records or parts of them, besides the target. */
  readonly records?: ReadonlySet<string>;
  /** Footprint of earlier parts of the same operation. */
  readonly earlier?: Footprint | undefined;
  /** Id of the sheet whose records are all deleted. */
  readonly goneSheet?: string;
  /** True when it deletes rows of the sheet. */
  readonly hasGoneRows?: boolean;
}

type Target =
  | readonly Range[]
  | CellPlace
  | 'sheet'
  | 'properties'
  | { readonly name: string }
  | TableFootprint;

type CellPlace = Pick<PlannedCell, 'row' | 'column'>;

/** Estimated bytes of a footprint of one cell or area, with its entry in the ring. */
const footprintBytes = 160;
const placeBytes = 8;

const rememberedCount = 10_000;
/** A cells.set with more cells counts as the rectangle around them. */
const exactCellCount = 64;
/** Separates the key of a record from the written part. */
const partMark = '\n';
/** Types of records with content of their own; the others are looks and rules. */
const missedTypes: ReadonlySet<string> = new Set<RecordType>([
  'cellmerge',
  'note',
  'thread',
  'hyperlink',
  'image',
  'chart',
]);

/** Footprints of the latest operations, for strict submissions. */
export class RecentWrites {
  /** Ring buffer, indexed by sequence number. */
  #footprints: (Footprint | undefined)[] = [];
  #latest: Footprint | undefined;
  /** Operations up to this number are not remembered. */
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

  /** Remembers an operation; called once for each of its parts. */
  push(sequence: number, plan: Plan): void {
    const footprint = footprintOf(sequence, plan);
    const earlier = this.#footprints[sequence % rememberedCount];
    this.#latest = earlier?.sequence === sequence ? { ...footprint, earlier } : footprint;
    this.#footprints[sequence % rememberedCount] = this.#latest;
  }

  /**
   * Adds the footprints to the memory accounting; copies with the same latest entry share the
   * others too.
   */
  weigh(scale: Scale): void {
    const { length } = this.#footprints;
    scale.add(length * placeBytes);
    if (this.#latest && scale.isNew(this.#latest)) scale.add(length * footprintBytes);
  }

  reaches(base: number, head: number): boolean {
    return base >= this.#since && head - base < rememberedCount;
  }

  /** Returns an operation after `base` up to `through` that wrote what the plan writes, if any. */
  conflict(plan: Plan, span: { base: number; through: number }, head: Structure) {
    const mine = footprintOf(0, plan);
    for (let sequence = span.through; sequence > span.base; sequence--) {
      const theirs = this.#footprints[sequence % rememberedCount];
      if (theirs?.sequence === sequence && isMetByAny(mine, theirs, head)) return sequence;
    }
    return undefined;
  }
}

function footprintOf(sequence: number, plan: Plan): Footprint {
  if (plan.type === 'records') {
    return { sequence, sheet: plan.sheet, target: [], records: keysOf(plan.change, plan.part) };
  }
  if (isLookPlan(plan)) return { sequence, ...lookFootprint(plan) };
  if (isCellPlan(plan)) return { sequence, ...cellFootprint(plan) };
  switch (plan.type) {
    case 'insert':
    case 'delete':
    case 'move':
      return { sequence, ...lineFootprint(plan) };
    case 'table':
      return tableFootprint(sequence, plan);
    case 'sheetRename':
    case 'sheetMove':
      return { sequence, sheet: plan.sheet, target: 'sheet', registers: [plan.type] };
    case 'sheetDelete':
      return sheetDeleteFootprint(sequence, plan.sheet);
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
  // Sorted rows keep their content.
  const registers = order ? placeOfRows : valueAndFormats;
  let also: Footprint | undefined;
  for (const { sheet, range } of written) {
    also = { sequence, sheet, target: [range], registers, also };
  }
  return also ?? { sequence, sheet: undefined, target: [] };
}

/** Returns the footprint of a deleted sheet: the sheet and everything on it except looks. */
function sheetDeleteFootprint(sequence: number, sheet: SheetOutline): Footprint {
  const cells = { sequence, sheet, target: [wholeSheet], registers: contentRegisters };
  return { sequence, sheet, target: 'sheet', goneSheet: sheet.id, also: cells };
}

/**
 * Returns the footprint of an operation on a table, in positions after an applied operation, and
 * before a planned one.
 */
function tableFootprint(sequence: number, { footprint, asked }: TablePlan): Footprint {
  if (asked) return { sequence, ...lineFootprint(asked) };
  const { done } = footprint;
  // Written rows hold entered values; what a change of schema writes was not entered by anybody.
  const registers = done ? entered : valueOnly;
  const { removed = [] } = footprint;
  const { sheet, ranges, added } = sequence > 0 && done ? done : { ...footprint, added: removed };
  const also = { sequence, sheet, target: added, registers: entryOnly };
  return { sequence, sheet, target: { ...footprint, sheet, ranges }, registers, also };
}

/** Returns the keys of changed records, without the order of rules, which only follows. */
function keysOf({ puts, deletes }: RecordChange, part?: string): ReadonlySet<string> {
  const keys = [...deletes, ...puts.map(recordKey)];
  const own = keys.filter((key) => !key.startsWith('cforder/'));
  if (own.length === 0) return new Set(keys);
  const known = [...own, ...own.flatMap((key) => anywhere(key) ?? [])];
  return new Set(part === undefined ? known : known.map((key) => key + partMark + part));
}

/** Returns the key of a record with an id regardless of its sheet; undefined for others. */
function anywhere(key: string): string | undefined {
  const [type = '', , ...id] = key.split('/');
  const isNamed = isRecordType(type) && recordIdPrefixes[type] !== undefined;
  return isNamed ? `${type}//${id.join('/')}` : undefined;
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
  // The space keeps it apart from defined names, which have none.
  if (plan.type === 'commit') {
    return { sheet: undefined, target: { name: `commit ${plan.tag ?? ''}` } };
  }
  if (plan.type === 'policy') return { sheet: undefined, target: { name: 'a policy' } };
  // A sheet and a defined name may have the same name.
  if (plan.type === 'sheetAdd') {
    return { sheet: undefined, target: { name: `sheet ${foldName(plan.name)}` } };
  }
  const { scope: sheet } = plan;
  if (plan.type !== 'nameRename') return { sheet, target: { name: foldName(plan.name) } };
  const { name, to } = plan.rename;
  const also = { sequence: 0, sheet, target: { name: foldName(to) } };
  return { sheet, target: { name: foldName(name) }, also };
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

function isMetByAny(mine: Footprint, theirs: Footprint, head: Structure): boolean {
  for (let part: Footprint | undefined = theirs; part; part = part.earlier) {
    if (isMet(mine, part, head)) return true;
  }
  return false;
}

function isMet(mine: Footprint, theirs: Footprint, head: Structure): boolean {
  if (sharesRecord(mine, theirs) || sharesRecord(theirs, mine)) return true;
  if (isLost(mine, theirs) || isBackAgain(mine, theirs, head)) return true;
  return sharesNames(mine.target, theirs.target) || meets(mine, theirs, head);
}

/** Returns whether both write to a record; two different parts of one do not collide. */
function sharesRecord({ records }: Footprint, { records: others }: Footprint): boolean {
  if (!records) return false;
  for (const key of others ?? []) {
    const [whole = key] = key.split(partMark);
    if (records.has(key) || records.has(whole)) return true;
  }
  return false;
}

/** Returns whether a deleted sheet would lose something that is in no cell. */
function isLost({ goneSheet }: Footprint, theirs: Footprint): boolean {
  if (goneSheet === undefined) return false;
  return hasMissed(theirs, goneSheet) || isAddedTo(goneSheet, theirs);
}

function hasMissed({ records }: Footprint, goneSheet: string): boolean {
  return [...(records ?? [])].some((key) => {
    const [type = '', sheetId] = key.split('/');
    return sheetId === goneSheet && missedTypes.has(type);
  });
}

/** Returns whether an operation added lines to a sheet, or changed its tables. */
function isAddedTo(goneSheet: string, { sheet, target, records }: Footprint): boolean {
  if (records || sheet?.id !== goneSheet || typeof target === 'string') return false;
  return 'names' in target || (Array.isArray(target) && target.length === 0);
}

/** Returns whether new table rows may be rows that the other operation deleted. */
function isBackAgain({ target }: Footprint, theirs: Footprint, head: Structure): boolean {
  const { sheet: then, hasGoneRows, target: deleted } = theirs;
  if (!hasGoneRows || !then || !Array.isArray(deleted)) return false;
  if (typeof target === 'string' || !('extent' in target) || !target.extent) return false;
  const { row0, row1 } = target.extent;
  const now = target.sheet?.id === then.id ? head.withId(then.id) : undefined;
  const rows = now && new LineMap(now, then, 'row').range(row0, row1);
  if (!rows) return false;
  return deleted.some((range: Range) => range.row0 <= rows[1] + 1 && range.row1 >= rows[0]);
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
  return rangesOf(own).some((range) => ranges.some((written) => overlaps(range, written)));
}

function rangesOf(target: readonly Range[] | CellPlace | TableFootprint): readonly Range[] {
  if ('ranges' in target) return target.ranges;
  return 'row' in target ? [rangeOf(target)] : target;
}

function covers({ covers: beginning }: TableFootprint, other: TableFootprint): boolean {
  if (beginning === undefined) return false;
  const { names, covers: others = '', within = '' } = other;
  return [others, within, ...names].some((name) => name.startsWith(beginning));
}

/** Returns whether two operations write to the same table, column or key. */
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
