import { columnCount, rowCount, type Range } from '../model/range.ts';
import { inputsEqual } from '../model/input.ts';
import { cellTag } from './cells/block.ts';
import type { CellCoding, CodedCell } from './cells/cell-coding.ts';
import { FormulaRuns, type CellSpot, type FormulaRun } from './cells/formula-runs.ts';
import { countLanes, type LaneColumn } from './cells/lanes.ts';
import type { SheetCells, Stretch } from './cells/sheet-cells.ts';
import type { RewritePlan } from './references/rewrite.ts';
import type { SheetOutline, Structure } from './structure/structure.ts';

interface Current {
  readonly structure: Structure;
  readonly coding: CellCoding;
  cellsOf(sheet: SheetOutline): SheetCells;
}

/**
 * Tells whether cells hold already what is to be written. Formulas are compared as they read at the
 * head: the same one may be stored under several structures, in a state that was loaded under
 * others than in one that lived through all edits.
 */
export class HeldCells {
  readonly #current: Current;
  /** Made when formulas of two structures meet. */
  #runs: FormulaRuns | undefined;

  constructor(current: Current) {
    this.#current = current;
  }

  /** Returns whether all formulas of a run read at the head as the one of another index does. */
  readsAs(run: FormulaRun, index: number): boolean {
    if (run.index === index) return true;
    const { coding, structure } = this.#current;
    const [held, wanted] = [coding.dictionary.formula(run.index), coding.dictionary.formula(index)];
    if (held.array || wanted.array) return this.#areAlike(run, index);
    if (held.legacy !== wanted.legacy) return false;
    if (held.structure.sheets === wanted.structure.sheets) return held.r1c1 === wanted.r1c1;
    this.#runs ??= new FormulaRuns(coding, structure);
    for (const { run: piece, text } of this.#runs.spelled(run)) {
      if (coding.formulas.toR1C1(text, piece.row, piece.column) !== wanted.r1c1) return false;
    }
    return true;
  }

  /** Returns whether all cells of an area hold a content; missing blocks are blank. */
  *areFilled(sheet: SheetOutline, area: Range, coded: CodedCell): Generator<void, boolean> {
    const cells = this.#current.cellsOf(sheet);
    const rows = sheet.rows.spansAt(area.row0, rowCount(area));
    for (let at = 0; at < columnCount(area); at++) {
      yield;
      const column = area.column0 + at;
      let covered = 0;
      for (const stretch of cells.stretches(rows, sheet.columns.idAt(column))) {
        const first = { sheet, row: area.row0 + stretch.skipped, column };
        if (!this.#isFilled(stretch, first, coded)) return false;
        covered += stretch.to - stretch.from;
      }
      if (coded.tag !== cellTag.blank && covered < rowCount(area)) return false;
    }
    return true;
  }

  #isFilled({ block, from, to }: Stretch, first: CellSpot, coded: CodedCell): boolean {
    if (block.isFilledWith(from, to, coded)) return true;
    if (coded.tag !== cellTag.formula) return false;
    for (let lane = from, end; lane < to; lane = end) {
      if (block.tagAt(lane) !== cellTag.formula) return false;
      const index = block.numberAt(lane);
      end = lane + 1;
      while (
        end < to &&
        block.isFilledWith(end, end + 1, { tag: cellTag.formula, number: index })
      ) {
        end++;
      }
      const run = { ...first, row: first.row + lane - from, count: end - lane, index };
      if (!this.readsAs(run, coded.number)) return false;
    }
    return true;
  }

  /** Returns whether the cells that a plan writes hold what it writes, and no others anything. */
  *areRewritten({ cells, held }: RewritePlan): Generator<void, boolean> {
    const lanes = cells?.lanes ?? [];
    for (const column of lanes) {
      if (cells && !this.#areWritten(column, cells.sheet)) return false;
      yield;
    }
    const wanted = countLanes(lanes);
    return held.values === wanted.values && held.formats === wanted.formats;
  }

  #areWritten(lanes: LaneColumn, sheet: SheetOutline): boolean {
    const rows = sheet.rows.spansAt(lanes.row, lanes.tags.length);
    const id = sheet.columns.idAt(lanes.column);
    let [values, formats] = [0, 0];
    for (const stretch of this.#current.cellsOf(sheet).stretches(rows, id)) {
      const count = this.#countValues(lanes, stretch, sheet);
      if (count === undefined) return false;
      values += count;
      formats += countFormats(lanes, stretch);
    }
    const wanted = countLanes([lanes]);
    return values === wanted.values && formats === wanted.formats;
  }

  /** Counts the cells to be written; undefined when one of them holds something else. */
  #countValues(lanes: LaneColumn, stretch: Stretch, sheet: SheetOutline): number | undefined {
    const { tags, numbers } = lanes;
    const { block, from, to, skipped } = stretch;
    let count = 0;
    const renewed = new Renewed();
    for (let lane = from, at = skipped; lane < to; lane++, at++) {
      const tag = tags[at] ?? cellTag.blank;
      if (tag === cellTag.blank) continue;
      if (tag !== block.tagAt(lane)) return undefined;
      count++;
      const [index, wanted] = [block.numberAt(lane), numbers[at] ?? 0];
      if (index === wanted) continue;
      if (tag !== cellTag.formula) return undefined;
      renewed.add({ sheet, row: lanes.row + at, column: lanes.column, count: 1, index }, wanted);
    }
    return renewed.runs.every(({ run, wanted }) => this.readsAs(run, wanted)) ? count : undefined;
  }

  #areAlike(run: FormulaRun, index: number): boolean {
    const { coding, structure } = this.#current;
    const { sheet, row, column } = run;
    for (let at = 0; at < run.count; at++) {
      const ids = { row: sheet.rows.idAt(row + at), column: sheet.columns.idAt(column) };
      const place = { sheetId: sheet.id, ...ids };
      const read = (number: number) =>
        coding.decode({ tag: cellTag.formula, number }, place, structure);
      if (!inputsEqual(read(run.index), read(index))) return false;
    }
    return true;
  }
}

/** Formulas that are held under one index and wanted under another, by runs. */
class Renewed {
  readonly runs: { run: FormulaRun; readonly wanted: number }[] = [];

  /** Adds a cell below those that were added before. */
  add(cell: FormulaRun, wanted: number): void {
    const last = this.runs.at(-1);
    const { row, count, index } = last?.run ?? cell;
    const isNext = last?.wanted === wanted && index === cell.index && row + count === cell.row;
    if (last && isNext) last.run = { ...last.run, count: count + 1 };
    else this.runs.push({ run: cell, wanted });
  }
}

function countFormats({ formats }: LaneColumn, { block, from, to, skipped }: Stretch): number {
  let count = 0;
  for (let lane = from, at = skipped; lane < to; lane++, at++) {
    if (formats[at] !== 0 && formats[at] === block.formatAt(lane)) count++;
  }
  return count;
}
