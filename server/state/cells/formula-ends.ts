import { blockLanes, type Block } from './block.ts';
import type { Dictionary, StoredFormula } from './dictionary.ts';
import { formulaLanes } from './formula-lanes.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import type { BlockInColumn } from './sheet-cells.ts';
import type { Axis, SheetOutline } from '../structure/structure.ts';

const axes: readonly Axis[] = ['row', 'column'];
const bothEnds = [0, 1] as const;

/** Cells of a block below one another with one formula, where they stood when it was written. */
export interface WrittenLanes {
  readonly block: Block;
  readonly from: number;
  readonly to: number;
  readonly index: number;
  readonly stored: StoredFormula;
  /** Row of the first cell. */
  readonly row: number;
  readonly column: number;
}

/** One end of a range in a formula, in the positions of the structure it was written in. */
export interface WrittenEnd {
  readonly sheet: SheetOutline;
  readonly axis: Axis;
  /** For the first of the cells. */
  readonly line: number;
  /** Lines it takes as the formula goes down its cells. */
  readonly count: number;
}

/** Reads where the ranges of stored formulas end. */
export class FormulaEnds {
  readonly #dictionary: Dictionary;
  readonly #scan = new ReferenceScan();
  #scanned = -1;
  #hasRanges = false;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** The formulas of a block that have ranges; in pieces that stood together. */
  *lanes({ column: columnId, block }: BlockInColumn, sheet: SheetOutline): Generator<WrittenLanes> {
    for (const { from, to, index } of formulaLanes(block)) {
      if (!this.#isRanged(index)) continue;
      const stored = this.#dictionary.formula(index);
      const written = stored.structure.withId(sheet.id);
      const { branch, sequence, offset } = columnId;
      const column = written?.columns.positionOf(branch, sequence, offset);
      if (!written || column === undefined) throw new Error('a formula is older than its cell');
      const span = spanOf(block, from, to);
      for (const { position: row, length, skipped } of written.rows.piecesOf(span)) {
        const lane = from + skipped;
        yield { block, from: lane, to: lane + length, index, stored, row, column };
      }
    }
  }

  ends(lanes: WrittenLanes, sheetId: string): WrittenEnd[] {
    const { stored, index, row, column } = lanes;
    const home = stored.structure.withId(sheetId);
    if (!home || !this.#isRanged(index)) return [];
    const found = arrayEnds(stored, { sheet: home, row, column });
    for (let at = 0; at < this.#scan.count; at++) {
      const name = this.#scan.sheetOf(at);
      const sheet = name === undefined ? home : stored.structure.named(name);
      if (!sheet) continue;
      for (const axis of axes) {
        for (const end of this.#endsOf(at, { sheet, axis }, lanes)) found.push(end);
      }
    }
    return found;
  }

  /** Returns the two ends of one scanned reference on one axis; none if it is not a range. */
  #endsOf(
    at: number,
    { sheet, axis }: Pick<WrittenEnd, 'sheet' | 'axis'>,
    { from, to, row, column }: WrittenLanes,
  ): WrittenEnd[] {
    const scan = this.#scan;
    if (!scan.isRange(at, axis)) return [];
    return bothEnds.map((end) => {
      const line = scan.endLine(at, axis, { end, home: axis === 'row' ? row : column });
      const walks = axis === 'row' && scan.endWalks(at, axis, end);
      return { sheet, axis, line, count: walks ? to - from : 1 };
    });
  }

  #isRanged(index: number): boolean {
    if (index === this.#scanned) return this.#hasRanges;
    const { r1c1, array } = this.#dictionary.formula(index);
    const scan = this.#scan.read(r1c1);
    this.#scanned = index;
    this.#hasRanges = array !== undefined;
    for (let at = 0; at < scan.count && !this.#hasRanges; at++) {
      this.#hasRanges = scan.isRange(at, 'row') || scan.isRange(at, 'column');
    }
    return this.#hasRanges;
  }
}

/** The range of a legacy array formula begins at its cell, so only the other end can be lost. */
function arrayEnds(
  { array }: StoredFormula,
  { sheet, row, column }: { sheet: SheetOutline; row: number; column: number },
): WrittenEnd[] {
  if (!array) return [];
  const [last, right] = [row + array.rowCount - 1, column + array.columnCount - 1];
  return [
    { sheet, axis: 'row', line: last, count: 1 },
    { sheet, axis: 'column', line: right, count: 1 },
  ];
}

export function spanOf({ branch, sequence, index }: Block, from: number, to: number) {
  return { branch, sequence, offset: index * blockLanes + from, length: to - from };
}
