import { cellCount, overlaps, type Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { blockLanes, cellTag, type Block } from '../cells/block.ts';
import { formulaLanes } from '../cells/formula-lanes.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import { sideAt, type StatedCell } from '../compare/same-lanes.ts';
import { RangeIndex } from '../ids/range-index.ts';
import { arrayArea } from '../operations/array-parts.ts';
import { filledCells } from '../operations/filled-cells.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/** A position of the merged sheet. */
export interface Spot {
  readonly row: number;
  readonly column: number;
}

export function spotText({ row, column }: Spot): string {
  return `${row} ${column}`;
}

export function placeAt(
  { id: sheetId, rows, columns }: SheetOutline,
  { row, column }: Spot,
): CellPlace {
  return { sheetId, row: rows.idAt(row), column: columns.idAt(column) };
}

/** Undefined where the sheet has not both lines. */
export function spotOf(
  { rows, columns }: SheetOutline,
  { row: down, column: across }: Pick<CellPlace, 'row' | 'column'>,
): Spot | undefined {
  const row = rows.positionOf(down.branch, down.sequence, down.offset);
  const column = columns.positionOf(across.branch, across.sequence, across.offset);
  return row === undefined || column === undefined ? undefined : { row, column };
}

/** Contents of one side on a sheet, where they are in the merged state, and the cells they fill. */
export class SideCells {
  readonly #state: BranchState;
  readonly #sheet: SheetOutline;
  readonly #merged: Structure;
  readonly #cells: SheetCells | undefined;
  readonly #arrays = new RangeIndex();
  #hasArrays = false;
  /** First cells of arrays that have another size in the merged state. */
  readonly resized: Spot[] = [];

  constructor(state: BranchState, sheet: SheetOutline, merged: Structure) {
    this.#state = state;
    this.#sheet = sheet;
    this.#merged = merged;
    const own = state.structure.withId(sheet.id);
    this.#cells = own && state.cellsOf(own);
  }

  get hasArrays(): boolean {
    return this.#hasArrays;
  }

  /** Loads stored blocks that may hold arrays. */
  *readArrays(): Generator<void, void> {
    if (this.#cells) yield* this.#cells.readArrays();
  }

  /** Finds the arrays; `hasArrays` and `resized` are valid afterwards. */
  *findArrays(): Generator<void, void> {
    for (const { column: id, block } of this.#cells?.blocks() ?? []) {
      const column = this.#sheet.columns.positionOf(id.branch, id.sequence, id.offset);
      if (column !== undefined) this.#findIn(block, column);
      yield;
    }
  }

  #findIn(block: Block, column: number): void {
    const { dictionary } = this.#state.coding;
    for (const { from, to, index } of formulaLanes(block)) {
      if (!dictionary.formula(index).array) continue;
      for (let lane = from; lane < to; lane++) this.#note(rowOf(block, lane), column);
    }
  }

  #note({ branch, sequence, offset }: LineId, column: number): void {
    const row = this.#sheet.rows.positionOf(branch, sequence, offset);
    const range = row === undefined ? undefined : this.extent({ row, column });
    if (row === undefined || !range) return;
    const own = this.#arrayIn(this.#state.structure, { row, column });
    if (isSingle(range) && !own) return;
    this.#hasArrays = true;
    if (!isSingle(range)) this.#arrays.add(spotText({ row, column }), [range]);
    if (!own || cellCount(own) !== cellCount(range)) this.resized.push({ row, column });
  }

  #arrayIn(structure: Structure, spot: Spot): Range | undefined {
    const input = this.#state.coding.decode(
      this.at(spot).cell,
      placeAt(this.#sheet, spot),
      structure,
    );
    return arrayArea(input);
  }

  at(spot: Spot): StatedCell {
    return sideAt(this.#state, placeAt(this.#sheet, spot));
  }

  /** Returns the cells that the content of a cell fills; undefined when it is blank. */
  extent(spot: Spot): Range | undefined {
    const { cell } = this.at(spot);
    if (cell.tag === cellTag.blank) return undefined;
    const { row, column } = spot;
    const own = { row0: row, row1: row, column0: column, column1: column };
    if (cell.tag !== cellTag.formula) return own;
    const { coding } = this.#state;
    if (!coding.dictionary.formula(cell.number).array) return own;
    return this.#arrayIn(this.#merged, spot) ?? own;
  }

  /** Yields the cells whose content fills a part of a range. */
  *filling(range: Range): Generator<Spot> {
    const cells = this.#cells;
    if (cells) yield* filledCells(this.#sheet, range, { cellsOf: () => cells });
    for (const text of this.#arrays.meeting(range)) {
      const [row = 0, column = 0] = text.split(' ').map(Number);
      const own = { row0: row, row1: row, column0: column, column1: column };
      if (!overlaps(own, range)) yield { row, column };
    }
  }
}

function rowOf({ branch, sequence, index }: Block, lane: number): LineId {
  return { branch, sequence, offset: index * blockLanes + lane };
}

export function isSingle({ row0, row1, column0, column1 }: Range): boolean {
  return row0 === row1 && column0 === column1;
}
