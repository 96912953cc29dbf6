import { cellName } from '../../server/model/address.ts';
import { isFormulaInput } from '../../server/model/cell-value.ts';
import { writeInput, type WireInput } from '../../server/model/input.ts';
import type { Operation, Payload } from '../../server/model/operation.ts';
import { rangeName } from '../../server/model/range.ts';
import { fileLimits } from './file-limits.ts';
import { tooLargeFile } from './file-problem.ts';
import type { Rest } from './fill-runs.ts';
import type { SheetCells } from './sheet-cells.ts';

/** A cell that becomes part of an operation. */
interface BlockCell {
  readonly row: number;
  readonly column: number;
  readonly input: WireInput;
  readonly array?: string;
  readonly isLegacy: boolean;
}

type ListedCell = Payload<'cells.set'>['cells'][number];

/** Cells of a tile; the sheet is looked at tile by tile. */
const tileCells = 8_192;
const tileColumns = 16;
/** Cells up to which a band has more columns than that. */
const bandCells = 1_024;
/** Share of filled cells from which a block takes less room than the addresses of its cells. */
const densityMin = 0.2;
const listCells = 1_000;
const operationCharacters = 256 * 1024;

/** Characters that one import may write into its operations, over all sheets. */
export interface CharacterBudget {
  used: number;
}

/**
 * Turns cells that no fill covers into range.set where they are close together, else into
 * cells.set.
 */
export class CellBlocks {
  readonly #sheet: string;
  readonly #content: SheetCells;
  readonly #budget: CharacterBudget;
  /** Scattered cells, collected until they fill an operation. */
  #list: ListedCell[] = [];
  #listCharacters = 0;

  constructor(sheet: string, content: SheetCells, budget: CharacterBudget) {
    this.#sheet = sheet;
    this.#content = content;
    this.#budget = budget;
  }

  *operations(rests: readonly Rest[]): Generator<Operation> {
    for (const tile of this.#tiles(rests)) {
      const plain = tile.filter((cell) => cell.array === undefined && !cell.isLegacy);
      const legacy = tile.filter((cell) => cell.array === undefined && cell.isLegacy);
      const arrays = tile.filter((cell) => cell.array !== undefined);
      yield* this.#place(plain);
      yield* this.#place(legacy);
      yield* this.#listed(arrays);
    }
    yield* this.#flush();
  }

  /** Yields cells by tile: bands of columns, and in a band as many rows as fill a tile. */
  *#tiles(rests: readonly Rest[]): Generator<BlockCell[]> {
    for (let first = 0; first < rests.length;) {
      const band = bandFrom(rests, first);
      first += band.length;
      const walkers = band.map((rest) => new RestWalker(rest));
      const tileRows = Math.floor(tileCells / band.length);
      for (;;) {
        let row = Infinity;
        for (const walker of walkers) row = Math.min(row, walker.row);
        if (row === Infinity) break;
        const end = row + tileRows;
        const tile: BlockCell[] = [];
        for (const walker of walkers) this.#take(walker, end, tile);
        yield tile;
      }
    }
  }

  #take(walker: RestWalker, end: number, tile: BlockCell[]): void {
    while (walker.row < end) tile.push(this.#cell(walker));
  }

  #cell(walker: RestWalker): BlockCell {
    const { row, index } = walker;
    const { column } = walker.rest;
    const input = this.#content.inputOf(column, index);
    walker.advance();
    const wire = writeInput(input);
    if (typeof wire === 'string') this.#budget.used += wire.length;
    if (this.#budget.used > fileLimits.operationCharacters) {
      throw tooLargeFile('its texts and formulas, written out cell by cell, are too long');
    }
    const formula = isFormulaInput(input);
    const cell = { row, column: column.column, input: wire };
    if (!formula) return { ...cell, isLegacy: false };
    const array = input.array === undefined ? {} : { array: input.array };
    return { ...cell, ...array, isLegacy: input.legacy === true };
  }

  *#place(cells: readonly BlockCell[]): Generator<Operation> {
    if (cells.length === 0) return;
    const box = boundsOf(cells);
    const area = (box.row1 - box.row0 + 1) * (box.column1 - box.column0 + 1);
    if (cells.length < 4 || cells.length < area * densityMin) yield* this.#listed(cells);
    else yield* this.#dense(cells, box);
  }

  *#dense(cells: readonly BlockCell[], box: Box): Generator<Operation> {
    const width = box.column1 - box.column0 + 1;
    const rows: WireInput[][] = Array.from({ length: box.row1 - box.row0 + 1 }, () =>
      Array.from({ length: width }, () => null),
    );
    for (const { row, column, input } of cells) {
      const inputs = rows[row - box.row0];
      if (inputs !== undefined) inputs[column - box.column0] = input;
    }
    const isLegacy = cells[0]?.isLegacy === true;
    let from = 0;
    let characters = 0;
    for (let to = 1; to <= rows.length; to++) {
      for (const input of rows[to - 1] ?? []) characters += lengthOf(input);
      if (characters < operationCharacters && to < rows.length) continue;
      const [row0, row1] = [box.row0 + from, box.row0 + to - 1];
      yield {
        kind: 'range.set',
        payload: {
          sheet: this.#sheet,
          range: rangeName({ row0, row1, column0: box.column0, column1: box.column1 }),
          inputs: rows.slice(from, to),
          ...(isLegacy ? { legacy: true } : {}),
        },
      };
      from = to;
      characters = 0;
    }
  }

  *#listed(cells: readonly BlockCell[]): Generator<Operation> {
    for (const { row, column, input, array, isLegacy } of cells) {
      this.#list.push({
        a1: cellName(row, column),
        input,
        ...(array === undefined ? {} : { array }),
        ...(isLegacy ? { legacy: true } : {}),
      });
      this.#listCharacters += lengthOf(input);
      const isFull = this.#list.length >= listCells;
      if (isFull || this.#listCharacters >= operationCharacters) yield* this.#flush();
    }
  }

  *#flush(): Generator<Operation> {
    if (this.#list.length === 0) return;
    const cells = this.#list;
    this.#list = [];
    this.#listCharacters = 0;
    yield { kind: 'cells.set', payload: { sheet: this.#sheet, cells } };
  }
}

/** Takes the columns of a band: more of them where they are short, as in a sheet of one row. */
function bandFrom(rests: readonly Rest[], first: number): Rest[] {
  const start = rests[first]?.column.column ?? 0;
  let end = first;
  let cellCount = 0;
  for (const { column, spans } of rests.slice(first, first + bandCells)) {
    for (const [from, to] of spans) cellCount += to - from;
    if (column.column >= start + tileColumns && cellCount > bandCells) break;
    end++;
  }
  return rests.slice(first, end);
}

function lengthOf(input: WireInput): number {
  return typeof input === 'string' ? input.length : 1;
}

interface Box {
  row0: number;
  row1: number;
  column0: number;
  column1: number;
}

function boundsOf(cells: readonly BlockCell[]): Box {
  const box = { row0: Infinity, row1: 0, column0: Infinity, column1: 0 };
  for (const { row, column } of cells) {
    box.row0 = Math.min(box.row0, row);
    box.row1 = Math.max(box.row1, row);
    box.column0 = Math.min(box.column0, column);
    box.column1 = Math.max(box.column1, column);
  }
  return box;
}

/** Walks the cells of a column that no fill covers. */
class RestWalker {
  readonly rest: Rest;
  index: number;
  /** Row of the current cell; Infinity at the end. */
  row: number;
  #span = 0;

  constructor(rest: Rest) {
    this.rest = rest;
    this.index = rest.spans[0]?.[0] ?? 0;
    this.row = rest.column.rows[this.index] ?? 0;
  }

  advance(): void {
    this.index++;
    const span = this.rest.spans[this.#span];
    if (span !== undefined && this.index >= span[1]) {
      this.#span++;
      const next = this.rest.spans[this.#span];
      if (next === undefined) {
        this.row = Infinity;
        return;
      }
      this.index = next[0];
    }
    this.row = this.rest.column.rows[this.index] ?? Infinity;
  }
}
