import type { LineId } from '../../state/ids/order.ts';
import type { FlatSpans, ResolvedArea } from '../../state/plan/resolved.ts';
import { placeIn, spanTotal, type WrittenCells } from '../../state/written-cells.ts';

/** A cell whose writer is sought, with its place in the answer. */
export interface SoughtCell {
  readonly index: number;
  readonly row: LineId;
  readonly column: LineId;
}

/** A key of a line: a small number for the genesis run, otherwise its id as text. */
type LineKey = number | string;

/** Cells of one sheet by ids of row and column. */
export class CellIndex {
  readonly sheetId: string;
  readonly #byColumn = new Map<LineKey, Map<LineKey, SoughtCell>>();
  #size = 0;

  constructor(sheetId: string, cells: Iterable<SoughtCell>) {
    this.sheetId = sheetId;
    for (const cell of cells) {
      const key = keyOf(cell.column);
      const column = this.#byColumn.get(key) ?? new Map<LineKey, SoughtCell>();
      this.#byColumn.set(key, column);
      column.set(keyOf(cell.row), cell);
      this.#size++;
    }
  }

  get size(): number {
    return this.#size;
  }

  *cells(): Generator<SoughtCell> {
    for (const column of this.#byColumn.values()) yield* column.values();
  }

  /** Removes and returns the cells that were written. */
  take(written: WrittenCells | undefined): SoughtCell[] {
    if (!written || this.#size === 0) return [];
    const found = [...this.#among(written)];
    for (const { row, column } of found) {
      if (this.#byColumn.get(keyOf(column))?.delete(keyOf(row)) === true) this.#size--;
    }
    return found;
  }

  #among(written: WrittenCells): Iterable<SoughtCell> {
    if (written.type === 'several') return written.parts.flatMap((part) => [...this.#among(part)]);
    if (written.type === 'cells') return this.#amongCells(written);
    if (written.sheet !== this.sheetId) return [];
    if (written.type === 'sheet') return this.cells();
    if (written.type === 'areas') return this.#amongAreas(written);
    const { axis, spans } = written;
    return [...this.cells()].filter((cell) => placeIn(spans, cell[axis]) >= 0);
  }

  *#amongCells({
    ids,
    sheetOf,
    isWritten,
  }: Extract<WrittenCells, { type: 'cells' }>): Generator<SoughtCell> {
    for (let at = 0; at < ids.length; at += idsPerCell) {
      const index = at / idsPerCell;
      if (sheetOf(index) !== this.sheetId) continue;
      const column = this.#byColumn.get(keyAt(ids, at + 3));
      const cell = column?.get(keyAt(ids, at));
      if (cell && isWritten(index)) yield cell;
    }
  }

  *#amongAreas({
    areas,
    isWritten,
  }: Extract<WrittenCells, { type: 'areas' }>): Generator<SoughtCell> {
    for (const [index, area] of areas.entries()) {
      for (const { cell, row, column } of this.#inArea(area)) {
        if (isWritten(index, row, column)) yield cell;
      }
    }
  }

  /** Finds sought cells in an area, by walking the smaller of the two. */
  *#inArea(area: ResolvedArea) {
    if (spanTotal(area.rows) * spanTotal(area.columns) <= this.#size) {
      yield* this.#cellsOf(area);
      return;
    }
    for (const cell of this.cells()) {
      const column = placeIn(area.columns, cell.column);
      const row = column < 0 ? -1 : placeIn(area.rows, cell.row);
      if (row >= 0) yield { cell, row, column };
    }
  }

  *#cellsOf({ rows, columns }: ResolvedArea) {
    let column = 0;
    for (const columnKey of keysOf(columns)) {
      const known = this.#byColumn.get(columnKey);
      let row = 0;
      for (const rowKey of known ? keysOf(rows) : []) {
        const cell = known?.get(rowKey);
        if (cell) yield { cell, row, column };
        row++;
      }
      column++;
    }
  }
}

const idsPerCell = 6;

function keyOf({ branch, sequence, offset }: LineId): LineKey {
  return branch === 0 ? offset : `${branch}.${sequence}.${offset}`;
}

function keyAt(ids: readonly number[], at: number): LineKey {
  const [branch = 0, sequence = 0, offset = 0] = [ids[at], ids[at + 1], ids[at + 2]];
  return keyOf({ branch, sequence, offset });
}

function* keysOf(spans: FlatSpans): Generator<LineKey> {
  for (let at = 0; at < spans.length; at += 4) {
    const [branch = 0, sequence = 0, first = 0] = [spans[at], spans[at + 1], spans[at + 2]];
    const end = first + (spans[at + 3] ?? 0);
    for (let offset = first; offset < end; offset++) yield keyOf({ branch, sequence, offset });
  }
}
