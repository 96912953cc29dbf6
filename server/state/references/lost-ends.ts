import { rowLimit } from '../../model/address.ts';
import { cellTag } from '../cells/block.ts';
import type { CellCoding } from '../cells/cell-coding.ts';
import {
  EndCollector,
  endsOfText,
  joinedSpans,
  LeavingLines,
  type EndSpan,
} from '../cells/end-spans.ts';
import { FormulaEnds, spanOf, type WrittenLanes } from '../cells/formula-ends.ts';
import {
  FormulaRuns,
  halves,
  part,
  type FormulaRun,
  type SpelledRun,
} from '../cells/formula-runs.ts';
import { LineMap } from '../structure/line-map.ts';
import type { LineStep } from '../structure/line-steps.ts';
import { nameFormula, type DefinedName, type NameTable } from './names.ts';
import type { IdSpan, LineId, Piece } from '../ids/order.ts';
import { meetAwaited, type AwaitingParts } from './awaited-sheets.ts';
import type { BlockInColumn, SheetCells } from '../cells/sheet-cells.ts';
import type { StepReferences } from './step-references.ts';
import { orderOf, type SheetOutline, type Structure } from '../structure/structure.ts';

/** Cells, and the formula that they get. */
interface RestoredRun {
  readonly sheet: SheetOutline;
  readonly column: LineId;
  readonly rows: readonly IdSpan[];
  /** Index of the formula in the dictionary. */
  readonly index: number;
}

/** Formulas and names to store again. */
interface RestoredEnds {
  readonly runs: readonly RestoredRun[];
  readonly names: readonly DefinedName[];
}

/**
 * Watches whether a plan takes an end of a range away, or gives a sheet a name that formulas wait
 * for. Finding such formulas means to search the whole workbook, so the journal notes when there
 * are none, and a replay skips the search.
 */
export class EndWatch {
  #isTold = false;
  #isSearched = false;
  #isMet = false;

  /** Begins a plan. `isTold`: the journal notes that there are no such formulas. */
  open(isTold: boolean): void {
    this.#isTold = isTold;
    this.#isSearched = this.#isMet = false;
  }

  /** Stores formulas again that lose an end by an edit of lines. */
  restore(step: LineStep, parts: EndParts): void {
    if (this.#isTold) return;
    const restored = restoreEnds(step, parts);
    this.#isSearched = true;
    this.#isMet ||= restored.runs.length + restored.names.length > 0;
    writeEnds(restored, parts);
  }

  /** Does with pauses what the next search for lost ends would do first, if there is to be one. */
  *prepare(structure: Structure, parts: Pick<EndParts, 'coding' | 'cellsOf'>): Generator<void> {
    if (!this.#isTold) yield* indexEnds(structure, parts);
  }

  /** Stores formulas again that wait for a sheet with this name. */
  meet(name: string, parts: AwaitingParts): void {
    if (this.#isTold) return;
    this.#isSearched = true;
    this.#isMet = meetAwaited(name, parts) || this.#isMet;
  }

  /** True when there was a search and it found nothing, to be noted in the journal. */
  get hasNone(): boolean {
    return this.#isSearched && !this.#isMet;
  }
}

export interface EndParts {
  readonly references: StepReferences;
  readonly coding: CellCoding;
  readonly names: NameTable;
  readonly cellsOf: (sheet: SheetOutline) => SheetCells;
}

/**
 * Finds the formulas and names to store again after an edit of lines. A stored formula refers to
 * the lines at the ends of its ranges. When such a line is deleted or moved away, the next line
 * inwards takes its place from then on, even if it was inserted later.
 */
function restoreEnds(step: LineStep, parts: EndParts): RestoredEnds {
  if (step.leaving.length === 0) return { runs: [], names: [] };
  const search = new LostEnds(step, parts);
  const runs: RestoredRun[] = [];
  for (const sheet of parts.references.before.sheets) {
    for (const place of search.places(parts.cellsOf(sheet), sheet)) {
      for (const run of search.lost(place, sheet)) {
        addAll(runs, search.restored(run));
      }
    }
  }
  return { runs, names: search.names(parts.names) };
}

/** Reads, with pauses, where ranges of formulas end. */
function* indexEnds(
  { sheets }: Structure,
  { coding, cellsOf }: Pick<EndParts, 'coding' | 'cellsOf'>,
): Generator<void, void> {
  const ends = new FormulaEnds(coding.dictionary);
  for (const sheet of sheets) {
    yield* cellsOf(sheet).indexEnds((place) => endsOf(place, sheet, ends));
  }
}

/** Searches for formulas with a range that begins or ends at a deleted or moved line. */
export class LostEnds {
  readonly #leaving: LeavingLines;
  readonly #ids: readonly IdSpan[];
  readonly #step: LineStep;
  readonly #references: StepReferences;
  readonly #coding: CellCoding;
  readonly #ends: FormulaEnds;
  readonly #runs: FormulaRuns;
  /** Positions of these lines in the structures that formulas were stored under. */
  readonly #leavingIn = new Map<Structure, readonly Piece[]>();

  constructor(step: LineStep, { references, coding }: Pick<EndParts, 'references' | 'coding'>) {
    const order = orderOf(step.before, step.axis);
    this.#ids = step.leaving.flatMap(({ from, count }) => order.spansAt(from, count));
    this.#leaving = new LeavingLines(step.before.id, step.axis, this.#ids);
    this.#step = step;
    this.#references = references;
    this.#coding = coding;
    this.#ends = new FormulaEnds(coding.dictionary);
    this.#runs = new FormulaRuns(coding, references.before);
  }

  places(cells: SheetCells, sheet: SheetOutline): BlockInColumn[] {
    return cells.endingAt(this.#leaving, (place) => endsOf(place, sheet, this.#ends));
  }

  /** Yields the cells of a block whose formula loses an end. */
  *lost(place: BlockInColumn, sheet: SheetOutline): Generator<FormulaRun> {
    const { branch, sequence, offset } = place.column;
    const column = sheet.columns.positionOf(branch, sequence, offset);
    if (column === undefined) return;
    for (const lanes of this.#ends.lanes(place, sheet)) {
      const spans = joinedSpans(this.#lostLanes(lanes, sheet)).flatMap(([from, to]) =>
        sheet.rows.piecesOf(spanOf(lanes.block, from, to)),
      );
      for (const { position, length } of spans) {
        if (position >= rowLimit) continue;
        yield { sheet, row: position, column, count: length, index: lanes.index };
      }
    }
  }

  /** Yields the parts of a run to store again, with their new formula. */
  *restored(run: FormulaRun): Generator<RestoredRun> {
    for (const home of this.#homes(run)) {
      for (const spelled of this.#runs.spelled(home)) yield* this.#carried(spelled);
    }
  }

  names(names: NameTable): DefinedName[] {
    const { formulas } = this.#coding;
    return names.list().flatMap((name) => {
      if (!this.#leaving.meets(endsOfName(name, this.#coding))) return [];
      const text = nameFormula(name, this.#references.before, formulas);
      const loses = formulas
        .references(text)
        .some((reference) => this.#references.loses(reference, name.scopeId));
      if (!loses) return [];
      const formula = this.#references.carry(text, name.scopeId, formulas);
      return [{ ...name, formula, structure: this.#references.after }];
    });
  }

  /** Returns stretches of lanes (first, end), which may overlap. */
  #lostLanes(lanes: WrittenLanes, sheet: SheetOutline): [from: number, to: number][] {
    const { before, axis } = this.#step;
    const found: [number, number][] = [];
    for (const end of this.#ends.ends(lanes, sheet.id)) {
      if (end.sheet.id !== before.id || end.axis !== axis) continue;
      for (const { position, length } of this.#leavingFrom(lanes.stored.structure)) {
        const first = Math.max(position, end.line);
        const last = Math.min(position + length, end.line + end.count) - 1;
        if (first > last) continue;
        if (end.count === 1) found.push([lanes.from, lanes.to]);
        else found.push([lanes.from + first - end.line, lanes.from + last + 1 - end.line]);
      }
    }
    return found;
  }

  #leavingFrom(structure: Structure): readonly Piece[] {
    const known = this.#leavingIn.get(structure);
    if (known) return known;
    const sheet = structure.withId(this.#step.before.id);
    const order = sheet && orderOf(sheet, this.#step.axis);
    const found = order ? this.#ids.flatMap((span) => order.piecesOf(span)) : [];
    this.#leavingIn.set(structure, found);
    return found;
  }

  /** Yields the contiguous parts of a run whose cells remain. */
  *#homes(run: FormulaRun): Generator<FormulaRun> {
    const { before, after, axis } = this.#step;
    if (run.sheet.id !== before.id) {
      yield run;
      return;
    }
    const map = new LineMap(before, after, axis);
    if (axis === 'column') {
      if (map.position(run.column) !== undefined) yield run;
      return;
    }
    for (const { length, skipped } of map.pieces(run.row, run.count)) {
      yield part(run, skipped, skipped + length);
    }
  }

  *#carried({ run, text }: SpelledRun): Generator<RestoredRun> {
    const { formulas } = this.#coding;
    const { id } = run.sheet;
    const references = formulas.references(text);
    const isArray = this.#coding.dictionary.formula(run.index).array !== undefined;
    const isEven =
      run.count === 1 ||
      (!isArray && references.every((one) => this.#references.isEven(one, run.count, id)));
    if (!isEven) {
      const [first, second] = halves(run);
      yield* this.#carried({ run: first, text });
      const r1c1 = formulas.toR1C1(text, run.row, run.column);
      yield* this.#carried({ run: second, text: formulas.fromR1C1(r1c1, second.row, run.column) });
      return;
    }
    const loses = references.some((reference) => this.#references.loses(reference, id));
    if (!loses && !isArray) return;
    yield this.#written(run, this.#references.carry(text, id, formulas));
  }

  #written(run: FormulaRun, text: string): RestoredRun {
    const { sheet, row, column, count, index } = run;
    const stored = this.#coding.dictionary.formula(index);
    const { after } = this.#references;
    const home = after.withId(sheet.id) ?? sheet;
    const columnId = sheet.columns.idAt(column);
    const rowId = sheet.rows.idAt(row);
    const at = {
      row: positionOf(home, 'row', rowId),
      column: positionOf(home, 'column', columnId),
    };
    const r1c1 = this.#coding.formulas.toR1C1(text, at.row, at.column);
    const array = this.#arrayOf(run, at);
    return {
      sheet,
      column: columnId,
      rows: sheet.rows.spansAt(row, count),
      index: this.#coding.dictionary.formulaIndex({ ...stored, r1c1, array, structure: after }),
    };
  }

  /**
   * Returns the size of a legacy array formula after the edit. It keeps its former size if its
   * first line went.
   */
  #arrayOf({ sheet, row, column, index }: FormulaRun, at: { row: number; column: number }) {
    const { array } = this.#coding.dictionary.formula(index);
    const { before, after, axis } = this.#step;
    if (!array || sheet.id !== before.id) return array;
    const map = new LineMap(before, after, axis);
    const [home, count] = axis === 'row' ? [row, array.rowCount] : [column, array.columnCount];
    const carried = map.range(home, home + count - 1);
    if (carried?.[0] !== (axis === 'row' ? at.row : at.column)) return array;
    const size = carried[1] - carried[0] + 1;
    return axis === 'row' ? { ...array, rowCount: size } : { ...array, columnCount: size };
  }
}

function positionOf(sheet: SheetOutline, axis: 'row' | 'column', id: LineId): number {
  const position = orderOf(sheet, axis).positionOf(id.branch, id.sequence, id.offset);
  if (position === undefined) throw new Error('a formula is older than its cell');
  return position;
}

/** Ends of the ranges of defined names; these objects are immutable. */
const nameEnds = new WeakMap<DefinedName, readonly EndSpan[]>();

function endsOfName(name: DefinedName, { formulas }: CellCoding): readonly EndSpan[] {
  const known = nameEnds.get(name);
  if (known) return known;
  const { structure, scopeId, formula } = name;
  const ends = endsOfText(formula, { structure, sheetId: scopeId }, formulas);
  nameEnds.set(name, ends);
  return ends;
}

/** Stores the formulas and names that were found. */
function writeEnds({ runs, names: changed }: RestoredEnds, parts: EndParts): void {
  for (const { sheet, column, rows, index } of runs) {
    for (const { block, from, to } of parts.cellsOf(sheet).stretchesForWrite(rows, column)) {
      block.fill(from, to, cellTag.formula, index);
    }
  }
  for (const name of changed) parts.names.set(name);
}

/** Adds items one by one: too many arguments of one call would overflow the stack. */
function addAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}

/** Ends of the ranges in the formulas of a block. */
function endsOf(place: BlockInColumn, sheet: SheetOutline, ends: FormulaEnds): readonly EndSpan[] {
  const collector = new EndCollector();
  for (const lanes of ends.lanes(place, sheet)) {
    for (const { sheet: on, axis, line, count } of ends.ends(lanes, sheet.id)) {
      collector.addLines(on, axis, { line, count });
    }
  }
  return collector.finish();
}
