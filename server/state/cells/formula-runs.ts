import type { Input } from '../../model/cell-value.ts';
import { referenceFlags, type FormulaReference } from '../../model/formula-service.ts';
import { columnLimit, rowLimit } from '../../model/address.ts';
import { rangeName, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { CellCoding } from './cell-coding.ts';
import type { StoredFormula } from './dictionary.ts';
import { moveFormula, sheetAt, type FormulaMove } from '../formulas/formula-text.ts';
import { LineMap } from '../structure/line-map.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/** Cells below one another that hold the same formula of the dictionary, in the head's addresses. */
export interface FormulaRun {
  readonly sheet: SheetOutline;
  readonly row: number;
  readonly column: number;
  readonly count: number;
  /** Index in the dictionary. */
  readonly index: number;
}

/** A run and how its first formula reads; the others are as if it was filled down. */
export interface SpelledRun {
  readonly run: FormulaRun;
  readonly text: string;
}

export interface CellSpot {
  readonly sheet: SheetOutline;
  readonly row: number;
  readonly column: number;
}

const { absoluteRow0, absoluteRow1, wholeColumns } = referenceFlags;

/** A run and where it stood in the structure that its formula was written in. */
interface WrittenRun {
  readonly run: FormulaRun;
  readonly row: number;
  readonly column: number;
}

/**
 * Carries formulas run by run instead of cell by cell: as they would read if they were entered now,
 * and as copies somewhere else.
 */
export class FormulaRuns {
  readonly coding: CellCoding;
  readonly head: Structure;
  /** Holds from one look to the next only. */
  readonly #scan = new ReferenceScan();

  constructor(coding: CellCoding, head: Structure) {
    this.coding = coding;
    this.head = head;
  }

  stored(index: number): StoredFormula {
    return this.coding.dictionary.formula(index);
  }

  /**
   * Rewrites a run with formulas relative to the head; no reference leaves the grid in any part.
   */
  *atHead(run: FormulaRun): Generator<FormulaRun> {
    const stored = this.stored(run.index);
    if (stored.array) {
      for (let at = 0; at < run.count; at++) yield this.#spelledOut(run, at);
      return;
    }
    const written = stored.structure.withId(run.sheet.id);
    if (!written) throw new Error(`no sheet ${run.sheet.id}`);
    const isSame = written.rows === run.sheet.rows && written.columns === run.sheet.columns;
    const isLocal = isSame && !this.#scan.read(stored.r1c1).leavesSheet;
    if (stored.structure.sheets === this.head.sheets || isLocal) {
      const index = this.restored(run.index, this.head);
      yield* this.#onGrid({ ...run, index });
      return;
    }
    for (const piece of writtenRuns(run, written)) yield* this.#even(piece, stored);
  }

  /** Spells the formulas of a run as they read at the head, with nothing stored. */
  *spelled(run: FormulaRun): Generator<SpelledRun> {
    const stored = this.stored(run.index);
    const written = stored.structure.withId(run.sheet.id);
    if (!written) throw new Error(`no sheet ${run.sheet.id}`);
    for (const piece of writtenRuns(run, written)) yield* this.#spelledEvenly(piece, stored);
  }

  *#spelledEvenly(written: WrittenRun, stored: StoredFormula): Generator<SpelledRun> {
    const { run, row, column } = written;
    if (run.count === 1) {
      const { formulas } = this.coding;
      const move = { from: stored.structure, to: this.head, sheetId: run.sheet.id };
      const text = formulas.fromR1C1(stored.r1c1, row, column);
      yield { run, text: moveFormula(text, move, formulas) };
      return;
    }
    const even = this.#evenText(written, stored);
    if (even) yield { run, text: even.text };
    else for (const half of writtenHalves(written)) yield* this.#spelledEvenly(half, stored);
  }

  /** Index of the same formula, written in another structure. */
  restored(index: number, structure: Structure): number {
    const stored = this.stored(index);
    if (stored.structure.sheets === structure.sheets) return index;
    const { r1c1, array, legacy } = stored;
    return this.coding.dictionary.formulaIndex({ r1c1, structure, array, legacy });
  }

  /** The formulas of a run at the head as copies at another place, where relative ones shift. */
  copied(run: FormulaRun, to: CellSpot): FormulaRun[] {
    const copy = { ...to, count: run.count, index: run.index };
    this.checkArray(copy);
    return [...this.#onGrid(copy)];
  }

  /** Returns the input in the first cell of a run. */
  input({ row, column, index }: FormulaRun): Input {
    const { r1c1, array, legacy } = this.stored(index);
    const formula = this.coding.formulas.fromR1C1(r1c1, row, column);
    if (!array) return legacy ? { formula, legacy: true } : { formula };
    const row1 = row + array.rowCount - 1;
    const column1 = column + array.columnCount - 1;
    return { formula, array: rangeName({ row0: row, column0: column, row1, column1 }) };
  }

  /** The formula text, entered at a place of the head, in the manner of another formula. */
  entered(formula: string, manner: number, { row, column }: CellSpot): number {
    const { array, legacy } = this.stored(manner);
    const r1c1 = this.coding.formulas.toR1C1(formula, row, column);
    return this.coding.dictionary.formulaIndex({ r1c1, structure: this.head, array, legacy });
  }

  /** Throws a rejection if the range of a legacy array formula would not fit. */
  checkArray({ row, column, index }: FormulaRun): void {
    const { array } = this.stored(index);
    if (!array) return;
    if (row + array.rowCount <= rowLimit && column + array.columnCount <= columnLimit) return;
    throw new Rejection('outside_grid', 'an array formula would reach beyond the grid');
  }

  /** Cut where references begin or cease to leave the grid: they are #REF! from then on. */
  *#onGrid(run: FormulaRun): Generator<FormulaRun> {
    const { r1c1 } = this.stored(run.index);
    if (this.#scan.read(r1c1).staysOnGrid(areaOf(run))) {
      yield run;
    } else if (run.count === 1) {
      const text = this.coding.formulas.fromR1C1(r1c1, run.row, run.column);
      yield { ...run, index: this.entered(text, run.index, run) };
    } else {
      for (const half of halves(run)) yield* this.#onGrid(half);
    }
  }

  *#even(written: WrittenRun, stored: StoredFormula): Generator<FormulaRun> {
    const { run } = written;
    const even = this.#evenText(written, stored);
    if (even) {
      const isSame = !even.hasMoved && written.row === run.row && written.column === run.column;
      const index = isSame
        ? this.restored(run.index, this.head)
        : this.entered(even.text, run.index, run);
      yield { ...run, index };
    } else if (run.count === 1) {
      yield this.#spelledOut(run, 0);
    } else {
      for (const half of writtenHalves(written)) yield* this.#even(half, stored);
    }
  }

  /** The first cell's formula at the head, if one relative formula says what each cell means. */
  #evenText({ run, row, column }: WrittenRun, { r1c1, structure }: StoredFormula) {
    const homes = { row0: row, row1: row + run.count - 1, column0: column, column1: column };
    if (!this.#scan.read(r1c1).staysOnGrid(homes)) return undefined;
    const { formulas } = this.coding;
    const text = formulas.fromR1C1(r1c1, row, column);
    const move = { from: structure, to: this.head, sheetId: run.sheet.id };
    const references = formulas.references(text);
    const isEven = references.every((reference) => staysEven(reference, run.count, move));
    if (!isEven) return undefined;
    const moved = moveFormula(text, move, formulas);
    return { text: moved, hasMoved: moved !== text };
  }

  #spelledOut(run: FormulaRun, skipped: number): FormulaRun {
    const { sheet, column, index } = run;
    const row = run.row + skipped;
    const place = {
      sheetId: sheet.id,
      row: sheet.rows.idAt(row),
      column: sheet.columns.idAt(column),
    };
    const input = this.coding.asWritten(index, place, this.head);
    const { number } = this.coding.encode(input, { row, column }, this.head);
    return { sheet, row, column, count: 1, index: number };
  }
}

function writtenHalves(written: WrittenRun): readonly [WrittenRun, WrittenRun] {
  const [first, second] = halves(written.run);
  return [
    { ...written, run: first },
    { ...written, run: second, row: written.row + first.count },
  ];
}

function writtenRuns(run: FormulaRun, written: SheetOutline): WrittenRun[] {
  const { sheet, row, count } = run;
  const id = sheet.columns.idAt(run.column);
  const column = written.columns.positionOf(id.branch, id.sequence, id.offset);
  if (column === undefined) throw new Error('a formula is older than its column');
  const found: WrittenRun[] = [];
  let start = row;
  for (const span of sheet.rows.spansAt(row, count)) {
    for (const { position, length, skipped } of written.rows.piecesOf(span)) {
      const piece = { ...run, row: start + skipped, count: length };
      found.push({ run: piece, row: position, column });
    }
    start += span.length;
  }
  return found;
}

/**
 * Returns whether a reference that walks down with its cell keeps the same distance in every row.
 */
function staysEven(reference: FormulaReference, count: number, move: FormulaMove): boolean {
  const { row0, row1, flags } = reference;
  const isFixed = (flags & absoluteRow0) !== 0 && (flags & absoluteRow1) !== 0;
  const base = sheetAt(reference, move);
  const head = base && move.to.withId(base.id);
  if (isFixed || (flags & wholeColumns) !== 0 || !base || !head) return true;
  const rows = new LineMap(base, head, 'row');
  const keeps = (line: number, bit: number) => {
    const walked = (flags & bit) === 0 ? count : 1;
    const pieces = rows.pieces(line, walked);
    return pieces.length === 1 && pieces[0]?.length === walked;
  };
  return keeps(row0, absoluteRow0) && keeps(row1, absoluteRow1);
}

export function areaOf({ row, column, count }: FormulaRun): Range {
  return { row0: row, row1: row + count - 1, column0: column, column1: column };
}

/** Rows of a run from `from` up to `to`. */
export function part(run: FormulaRun, from: number, to: number): FormulaRun {
  return { ...run, row: run.row + from, count: to - from };
}

export function halves(run: FormulaRun): readonly [FormulaRun, FormulaRun] {
  const middle = run.count >> 1;
  return [part(run, 0, middle), part(run, middle, run.count)];
}
