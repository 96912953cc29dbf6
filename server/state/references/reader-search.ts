import { rowLimit } from '../../model/address.ts';
import { holdsRange, overlaps, type Range } from '../../model/range.ts';
import { blockLanes, type Block } from '../cells/block.ts';
import { formulaLanes, type FormulaLanes } from '../cells/formula-lanes.ts';
import { part, type FormulaRun, type FormulaRuns } from '../cells/formula-runs.ts';
import { LineMap } from '../structure/line-map.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SheetArea } from '../formulas/reference-map.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/** An area in more pieces than this is replaced by one rectangle around them. */
const piecesMost = 64;

/** The areas in the positions of an older structure, by sheet. */
type WrittenAreas = ReadonlyMap<string, readonly Range[]>;

/** Contiguous lanes of a block with the same formula. */
interface LaneRun extends FormulaLanes {
  readonly block: Block;
}

interface Place {
  readonly block: Block;
  readonly structure: Structure;
  /** Row of lane 0 in the structure of the formula. */
  readonly row: number | undefined;
  readonly column: number;
}

interface Home {
  readonly sheet: SheetOutline;
  readonly id: LineId;
  readonly column: number;
}

/** Finds the formulas that may refer to some areas. It finds all that do, and perhaps others. */
export class ReaderSearch {
  readonly #head: Structure;
  readonly #areas: readonly SheetArea[];
  readonly #runs: FormulaRuns;
  /**
   * Areas by older structure. Weak, because computing them again is cheaper than keeping all
   * structures.
   */
  readonly #written = new WeakMap<Structure, WrittenAreas>();
  readonly #scan = new ReferenceScan();
  #scanned = -1;
  /** Place of the last block, because the next run is mostly in the same one. */
  #place: Place | undefined;

  constructor(areas: readonly SheetArea[], runs: FormulaRuns) {
    this.#head = runs.head;
    this.#areas = areas;
    this.#runs = runs;
  }

  /**
   * Yields runs of such formulas in cells outside the areas, and undefined after each block, where
   * the caller may pause.
   */
  *outside(
    except: readonly SheetArea[],
    context: PlanContext,
  ): Generator<FormulaRun | undefined, void> {
    for (const sheet of this.#head.sheets) {
      const areas = except.filter(({ sheetId }) => sheetId === sheet.id);
      for (const { column: id, block } of context.cellsOf(sheet).blocks()) {
        const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
        if (column === undefined) continue;
        for (const run of this.#inBlock(block, { sheet, id, column })) yield* without(run, areas);
        yield undefined;
      }
    }
  }

  *#inBlock(block: Block, home: Home): Generator<FormulaRun> {
    for (const lanes of formulaLanes(block)) {
      if (this.#isRead(lanes.index, home)) yield* this.#found({ block, ...lanes }, home);
    }
  }

  /** Returns whether a formula may refer to the areas. */
  #isRead(index: number, { sheet }: Home): boolean {
    const { r1c1, structure } = this.#runs.stored(index);
    if (index !== this.#scanned) this.#scan.read(r1c1);
    this.#scanned = index;
    if (this.#scan.count === 0) return false;
    const areas = this.#areasIn(structure);
    return areas.has(sheet.id) || (areas.size > 0 && this.#scan.leavesSheet);
  }

  /**
   * Yields the parts of a run that may refer to the areas, when the block was and is contiguous.
   */
  *#found(run: LaneRun, home: Home): Generator<FormulaRun> {
    const { index, from, to, block } = run;
    const { structure } = this.#runs.stored(index);
    const { row, column } = this.#placeOf(block, home, structure);
    if (row === undefined) {
      yield* this.#foundApart(run, home, column);
      return;
    }
    const homes = { row0: row + from, row1: row + to - 1, column0: column, column1: column };
    if (this.#mayRead(homes, home.sheet, structure)) yield* runsOf(spanOf(run), index, home);
  }

  /** Does as `#found` for a block whose rows are or were not contiguous. */
  *#foundApart(run: LaneRun, home: Home, column: number): Generator<FormulaRun> {
    const { structure } = this.#runs.stored(run.index);
    const span = spanOf(run);
    for (const piece of structure.withId(home.sheet.id)?.rows.piecesOf(span) ?? []) {
      const { position, length, skipped } = piece;
      const rows = { row0: position, row1: position + length - 1 };
      if (!this.#mayRead({ ...rows, column0: column, column1: column }, home.sheet, structure)) {
        continue;
      }
      yield* runsOf({ ...span, offset: span.offset + skipped, length }, run.index, home);
    }
  }

  /**
   * Returns the place of a block in an older structure; without a row when it was not contiguous.
   */
  #placeOf(block: Block, { sheet, id }: Home, structure: Structure): Place {
    if (this.#place?.block === block && this.#place.structure === structure) return this.#place;
    const written = structure.withId(sheet.id);
    const column = written?.columns.positionOf(id.branch, id.sequence, id.offset);
    if (!written || column === undefined) throw new Error('a formula is older than its cell');
    const [low, high] = block.window;
    const span = { block, from: low, to: high, index: 0 };
    const [piece, ...more] = written.rows.piecesOf(spanOf(span));
    const isWhole = more.length === 0 && piece?.length === high - low;
    this.#place = { block, structure, row: isWhole ? piece.position - low : undefined, column };
    return this.#place;
  }

  #mayRead(homes: Range, sheet: SheetOutline, structure: Structure): boolean {
    for (const [sheetId, areas] of this.#areasIn(structure)) {
      for (const area of areas)
        if (this.#mayReadOne(homes, area, sheetId === sheet.id)) return true;
    }
    return false;
  }

  #mayReadOne(homes: Range, area: Range, isHere: boolean): boolean {
    const scan = this.#scan;
    for (let index = 0; index < scan.count; index++) {
      if ((isHere || scan.isElsewhere(index)) && scan.mayRead(index, homes, area)) return true;
    }
    return false;
  }

  #areasIn(structure: Structure): WrittenAreas {
    let known = this.#written.get(structure);
    if (known) return known;
    const areas = new Map<string, readonly Range[]>();
    for (const { sheetId, range } of this.#areas) {
      const now = this.#head.withId(sheetId);
      const then = structure.withId(sheetId);
      const found = now && then ? rangesBefore(range, now, then) : [];
      if (found.length > 0) areas.set(sheetId, [...(areas.get(sheetId) ?? []), ...found]);
    }
    known = areas;
    this.#written.set(structure, known);
    return known;
  }
}

function spanOf({ block, from, to }: LaneRun): IdSpan {
  const { branch, sequence, index } = block;
  return { branch, sequence, offset: index * blockLanes + from, length: to - from };
}

/** Yields the contiguous cells of a span of rows. */
function* runsOf(span: IdSpan, index: number, { sheet, column }: Home): Generator<FormulaRun> {
  for (const { position, length } of sheet.rows.piecesOf(span)) {
    if (position < rowLimit) yield { sheet, row: position, column, count: length, index };
  }
}

/** Returns the ranges of an area in an older structure; none if its lines did not exist. */
function rangesBefore(range: Range, now: SheetOutline, then: SheetOutline): Range[] {
  const rows = extents(new LineMap(now, then, 'row'), range.row0, range.row1);
  const columns = extents(new LineMap(now, then, 'column'), range.column0, range.column1);
  return rows.flatMap(([row0, row1]) =>
    columns.map(([column0, column1]) => ({ row0, row1, column0, column1 })),
  );
}

type Extent = readonly [from: number, to: number];

function extents(map: LineMap, from: number, to: number): Extent[] {
  const found = map
    .pieces(from, to - from + 1)
    .map(({ position, length }): Extent => [position, position + length - 1]);
  if (found.length <= piecesMost) return found;
  return [found.reduce(([low, high], [start, end]) => [Math.min(low, start), Math.max(high, end)])];
}

/** Returns the parts of a run outside all areas. */
function without(run: FormulaRun, areas: readonly SheetArea[]): FormulaRun[] {
  const last = { row0: run.row, row1: run.row + run.count - 1 };
  const own = { ...last, column0: run.column, column1: run.column };
  const area = areas.find(({ range }) => overlaps(range, own));
  if (!area) return [run];
  if (holdsRange(area.range, own)) return [];
  const { row0, row1 } = area.range;
  const before = row0 > run.row ? [part(run, 0, row0 - run.row)] : [];
  const after = row1 < last.row1 ? [part(run, row1 + 1 - run.row, run.count)] : [];
  return [...before, ...after].flatMap((rest) => without(rest, areas));
}
