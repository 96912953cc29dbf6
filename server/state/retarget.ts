import type { FormulaReference } from '../model/formula-service.ts';
import { quoteSheet, type Range } from '../model/range.ts';
import type { Block } from './block.ts';
import { blockLanes, cellTag } from './block.ts';
import { referenceText, sheetAt, type FormulaMove } from './formula-text.ts';
import { part, type CellSpot, type FormulaRun, type FormulaRuns } from './formula-runs.ts';
import { LineMap } from './line-map.ts';
import { nameFormula, type DefinedName, type NameTable } from './names.ts';
import type { IdSpan, LineId } from './order.ts';
import type { PlanContext } from './plan.ts';
import type { ReferenceMap, SheetArea } from './reference-map.ts';
import {
  isOwnRow,
  mayRead,
  scanReferences,
  sweep,
  type ScannedReference,
} from './reference-scan.ts';
import type { SheetOutline, Structure } from './structure.ts';

const absoluteRow0 = 1;
const absoluteColumn0 = 2;
const absoluteRow1 = 4;
const absoluteColumn1 = 8;
const wholeColumns = 16;
const wholeRows = 32;

/** What becomes of one reference: the place it then means, and how far its corners moved. */
interface Outcome {
  readonly placed: SheetArea | 'gone' | undefined;
  readonly moves: string;
}

/** Rewrites the references of formula runs by a map; the map's addresses are those of the head. */
export class Retargeting {
  readonly map: ReferenceMap;
  readonly #runs: FormulaRuns;

  constructor(map: ReferenceMap, runs: FormulaRuns) {
    this.map = map;
    this.#runs = runs;
  }

  /**
   * A run at the head, standing at another place with what it refers to unchanged but for the map.
   * Cut into runs where its references part company; those that stay as they are keep their index.
   */
  run(run: FormulaRun, to: CellSpot): FormulaRun[] {
    const done: FormulaRun[] = [];
    const waiting = [run];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const place = { ...to, row: to.row + (next.row - run.row) };
      const outcome = this.#even(next, place);
      if (typeof outcome === 'object') done.push(outcome);
      else waiting.push(part(next, outcome, next.count), part(next, 0, outcome));
    }
    return done;
  }

  /** A formula of the head that stands nowhere; undefined when nothing changes. */
  name(text: string, scopeId: string | undefined): string | undefined {
    const move = { from: this.#runs.head, to: this.#runs.head, sheetId: scopeId };
    const rewritten = this.#rewrite(text, move, (reference) => {
      return isFixed(reference) ? this.#outcome(reference, 0, move) : undefined;
    });
    return rewritten === text ? undefined : rewritten;
  }

  /** The run at its new place; or a number of rows after which it has to be cut. */
  #even(run: FormulaRun, place: CellSpot): FormulaRun | number {
    const { formulas } = this.#runs.coding;
    const text = formulas.fromR1C1(this.#runs.stored(run.index).r1c1, run.row, run.column);
    const move = { from: this.#runs.head, to: this.#runs.head, sheetId: run.sheet.id };
    const references = formulas.references(text);
    const last = run.count - 1;
    const cut = this.#firstCut(references, run, move);
    if (cut !== undefined) return cut;
    for (const reference of last === 0 ? [] : references) {
      const first = this.#outcome(reference, 0, move);
      if (first?.moves !== this.#outcome(reference, last, move)?.moves) return run.count >> 1;
    }
    const home = { ...move, sheetId: place.sheet.id };
    const outcomeOf = (reference: FormulaReference) => this.#outcome(reference, 0, move);
    const rewritten = this.#rewrite(text, home, outcomeOf, run.sheet.id);
    const isSame = rewritten === text && place.row === run.row && place.column === run.column;
    if (isSame && place.sheet.id === run.sheet.id) return run;
    return { ...place, count: run.count, index: this.#runs.entered(rewritten, run.index, place) };
  }

  /** Rows before the first break that a corner walks over, or before the ends change places. */
  #firstCut(
    references: readonly FormulaReference[],
    { count }: FormulaRun,
    move: FormulaMove,
  ): number | undefined {
    let first = count;
    for (const reference of references) {
      if (!this.#isConcerned(reference, move)) continue;
      const { row0, row1, flags } = reference;
      const walks0 = (flags & absoluteRow0) === 0;
      const walks1 = (flags & absoluteRow1) === 0;
      if (walks0 && !walks1) first = Math.min(first, row1 - row0 + 1);
      for (const line of this.map.rowBreaks) {
        if (walks0 && line > row0) first = Math.min(first, line - row0);
        if (walks1 && line > row1) first = Math.min(first, line - row1);
      }
    }
    return first < count ? first : undefined;
  }

  #isConcerned(reference: FormulaReference, move: FormulaMove): boolean {
    const id = sheetAt(reference, move)?.id;
    return this.map.interest.some(({ sheetId }) => sheetId === id);
  }

  /** Of a reference as it reads `skipped` rows below; undefined for one of no known sheet. */
  #outcome(reference: FormulaReference, skipped: number, move: FormulaMove): Outcome | undefined {
    const sheet = sheetAt(reference, move);
    if (!sheet) return undefined;
    const range = walked(reference, skipped);
    const placed = this.map.map({ sheetId: sheet.id, range });
    if (placed === undefined || placed === 'gone') return { placed, moves: placed ?? '' };
    const { row0, row1, column0, column1 } = placed.range;
    const rows = `${row0 - range.row0},${row1 - range.row1}`;
    const columns = `${column0 - range.column0},${column1 - range.column1}`;
    return { placed, moves: `${placed.sheetId} ${rows} ${columns}` };
  }

  /** `move.sheetId` is where the formula is going to stand, `homeId` where it stands. */
  #rewrite(
    text: string,
    move: FormulaMove,
    outcomeOf: (reference: FormulaReference) => Outcome | undefined,
    homeId = move.sheetId,
  ): string {
    let rewritten = text;
    for (const reference of this.#runs.coding.formulas.references(text).toReversed()) {
      const spelled = this.#spelled(reference, { outcome: outcomeOf(reference), move, homeId });
      if (spelled === undefined) continue;
      rewritten = rewritten.slice(0, reference.start) + spelled + rewritten.slice(reference.end);
    }
    return rewritten;
  }

  /** Undefined when the reference may stay as it is written. */
  #spelled(
    reference: FormulaReference,
    {
      outcome,
      move,
      homeId,
    }: { outcome: Outcome | undefined; move: FormulaMove; homeId?: string | undefined },
  ): string | undefined {
    if (!outcome || outcome.placed === 'gone') return outcome && '#REF!';
    const isNamed = reference.sheet !== undefined;
    const sheetId = outcome.placed?.sheetId ?? sheetAt(reference, { ...move, sheetId: homeId })?.id;
    const needsName = isNamed || sheetId !== move.sheetId;
    if (outcome.placed === undefined && (isNamed || !needsName)) return undefined;
    const sheet = sheetId === undefined ? undefined : move.to.withId(sheetId);
    const prefix = needsName && sheet ? `${quoteSheet(sheet.name)}!` : '';
    const range = outcome.placed?.range ?? reference;
    return prefix + referenceText({ ...range, flags: reference.flags });
  }
}

/** The range that a reference means in a cell some rows below. */
function walked(reference: FormulaReference, skipped: number): Range {
  const { row0, row1, column0, column1, flags } = reference;
  const isWhole = (flags & wholeColumns) !== 0;
  const down = (bit: number) => (isWhole || (flags & bit) !== 0 ? 0 : skipped);
  return { row0: row0 + down(absoluteRow0), row1: row1 + down(absoluteRow1), column0, column1 };
}

/** Whether it means the same wherever the name is used. */
function isFixed({ flags }: FormulaReference): boolean {
  const rows = absoluteRow0 | absoluteRow1;
  const columns = absoluteColumn0 | absoluteColumn1;
  const wanted =
    (flags & wholeColumns) !== 0 ? columns : (flags & wholeRows) !== 0 ? rows : rows | columns;
  return (flags & wanted) === wanted;
}

/** Names whose formulas change. */
export function retargetNames(
  names: NameTable,
  retargeting: Retargeting,
  { head, coding }: Pick<PlanContext, 'head' | 'coding'>,
): DefinedName[] {
  return names.list().flatMap((name) => {
    const formula = retargeting.name(nameFormula(name, head, coding.formulas), name.scopeId);
    return formula === undefined ? [] : [{ ...name, formula, structure: head }];
  });
}

/** Where formulas may have to change, as it was when they were written. */
type WrittenInterest = ReadonlyMap<string, readonly Range[]>;

/** Finds the formula runs of the workbook that may refer to some areas. */
export class ReaderSearch {
  readonly #head: Structure;
  readonly #interest: readonly SheetArea[];
  readonly #runs: FormulaRuns;
  readonly #written = new Map<Structure, WrittenInterest>();
  #lastIndex = -1;
  #lastScan: readonly ScannedReference[] = [];

  constructor(interest: readonly SheetArea[], runs: FormulaRuns) {
    this.#head = runs.head;
    this.#interest = interest;
    this.#runs = runs;
  }

  /** Undefined now and then, to let others have the thread. */
  *in(sheet: SheetOutline, context: PlanContext): Generator<FormulaRun | undefined> {
    for (const { column, block } of context.cellsOf(sheet).blocks()) {
      const position = sheet.columns.positionOf(column.branch, column.sequence, column.offset);
      if (position === undefined) continue;
      for (const { index, span } of formulaSpans(block)) {
        if (!this.#mayRead(index, span, { sheet, column })) continue;
        for (const { position: row, length } of sheet.rows.piecesOf(span)) {
          yield { sheet, row, column: position, count: length, index };
        }
      }
      yield undefined;
    }
  }

  #mayRead(
    index: number,
    span: IdSpan,
    { sheet, column }: { sheet: SheetOutline; column: LineId },
  ) {
    const { r1c1, structure } = this.#runs.stored(index);
    if (index !== this.#lastIndex) {
      this.#lastScan = scanReferences(r1c1);
      this.#lastIndex = index;
    }
    const scanned = this.#lastScan;
    if (scanned.length === 0) return false;
    const interest = this.#interestIn(structure);
    const own = interest.get(sheet.id) ?? [];
    if (own.length === 0 && !scanned.some(({ isElsewhere }) => isElsewhere)) return false;
    const homes = homesOf(span, column, structure.withId(sheet.id));
    const all = [...interest.values()].flat();
    return scanned.some((reference) =>
      (reference.isElsewhere ? all : own).some((area) => mayRead(reference, homes, area)),
    );
  }

  #interestIn(structure: Structure): WrittenInterest {
    let known = this.#written.get(structure);
    if (known) return known;
    const areas = new Map<string, Range[]>();
    for (const { sheetId, range } of this.#interest) {
      const now = this.#head.withId(sheetId);
      const then = structure.withId(sheetId);
      const area = now && then && hullBefore(range, now, then);
      if (area) areas.set(sheetId, [...(areas.get(sheetId) ?? []), area]);
    }
    known = areas;
    this.#written.set(structure, known);
    return known;
  }
}

function* formulaSpans(block: Block): Generator<{ index: number; span: IdSpan }> {
  if (block.filledCount === 0) return;
  const [low, high] = block.window;
  const { branch, sequence } = block;
  for (let from = low; from < high;) {
    const index = block.numberAt(from);
    const isFormula = block.tagAt(from) === cellTag.formula;
    let to = from + 1;
    if (isFormula) {
      while (to < high && block.tagAt(to) === cellTag.formula && block.numberAt(to) === index) to++;
      const offset = block.index * blockLanes + from;
      yield { index, span: { branch, sequence, offset, length: to - from } };
    }
    from = to;
  }
}

/** The cells of a run as they stood when its formula was written, and what lay between them. */
function homesOf(span: IdSpan, column: LineId, written: SheetOutline | undefined): Range {
  const pieces = written?.rows.piecesOf(span) ?? [];
  const at = written?.columns.positionOf(column.branch, column.sequence, column.offset);
  if (at === undefined || pieces.length === 0) throw new Error('a formula is older than its cell');
  let row0 = Infinity;
  let row1 = 0;
  for (const { position, length } of pieces) {
    row0 = Math.min(row0, position);
    row1 = Math.max(row1, position + length - 1);
  }
  return { row0, row1, column0: at, column1: at };
}

/** What lay around the lines of an area in an older structure; undefined if there were none. */
function hullBefore(range: Range, now: SheetOutline, then: SheetOutline): Range | undefined {
  const rows = hull(new LineMap(now, then, 'row'), range.row0, range.row1);
  const columns = hull(new LineMap(now, then, 'column'), range.column0, range.column1);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], row1: rows[1], column0: columns[0], column1: columns[1] };
}

function hull(map: LineMap, from: number, to: number): readonly [number, number] | undefined {
  const pieces = map.pieces(from, to - from + 1);
  if (pieces.length === 0) return undefined;
  const starts = pieces.map(({ position }) => position);
  const ends = pieces.map(({ position, length }) => position + length - 1);
  return [least(starts), greatest(ends)];
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((low, number) => Math.min(low, number), Infinity);
}

function greatest(numbers: readonly number[]): number {
  return numbers.reduce((high, number) => Math.max(high, number), -Infinity);
}

/** Whether a formula in a row that moves by its identity reads the same afterwards as a copy does. */
export function movesWithRow(
  references: readonly ScannedReference[],
  { row0, row1 }: { readonly row0: number; readonly row1: number },
): boolean {
  return references.every((reference) => {
    if (isOwnRow(reference)) return true;
    const [start, end] = reference.rows;
    if (reference.isElsewhere || start.kind === 'relative' || end.kind === 'relative') return false;
    if (start.kind === 'all') return true;
    const [low, high] = sweep(reference.rows, 0, 0);
    return low > row1 || high < row0;
  });
}
