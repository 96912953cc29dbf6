import { lineText } from '../../state/structure/area.ts';
import type { LineId } from '../../state/ids/order.ts';
import { placeIn, type WrittenCells } from '../../state/written-cells.ts';

type Areas = Extract<WrittenCells, { type: 'areas' }>;
type Lines = Extract<WrittenCells, { type: 'lines' }>;

interface Cell {
  readonly sheetId: string;
  readonly row: LineId;
  readonly column: LineId;
}

/** Finds the operation that wrote a cell last. Operations are noted from the last to the first. */
export class WrittenPlaces<Operation> {
  readonly #cells = new Map<string, Noted<Operation>>();
  readonly #wide: (Noted<Operation> & { readonly holds: (cell: Cell) => boolean })[] = [];
  #count = 0;

  note(written: WrittenCells | undefined, operation: Operation): void {
    if (!written) return;
    const noted = { operation, order: this.#count++ };
    switch (written.type) {
      case 'cells':
        this.#noteCells(written, noted);
        break;
      case 'areas':
        this.#wide.push({ ...noted, holds: (cell) => isInAreas(cell, written) });
        break;
      case 'lines':
        this.#wide.push({ ...noted, holds: (cell) => isOnLines(cell, written) });
        break;
      case 'sheet':
        this.#wide.push({ ...noted, holds: ({ sheetId }) => sheetId === written.sheet });
        break;
      case 'several':
        // The last part overrides earlier ones.
        for (const part of written.parts.toReversed()) this.note(part, operation);
        break;
    }
  }

  lastTo(cell: Cell): Operation | undefined {
    const single = this.#cells.get(textOf(cell));
    for (const wide of this.#wide) {
      if (single && single.order < wide.order) break;
      if (wide.holds(cell)) return wide.operation;
    }
    return single?.operation;
  }

  #noteCells(
    { ids, sheetOf, isWritten }: Extract<WrittenCells, { type: 'cells' }>,
    noted: Noted<Operation>,
  ): void {
    for (let at = 0; at < ids.length; at += idsPerCell) {
      const sheetId = sheetOf(at / idsPerCell);
      if (sheetId === undefined || !isWritten(at / idsPerCell)) continue;
      const cell = { sheetId, row: lineAt(ids, at), column: lineAt(ids, at + 3) };
      const text = textOf(cell);
      if (!this.#cells.has(text)) this.#cells.set(text, noted);
    }
  }
}

interface Noted<Operation> {
  readonly operation: Operation;
  /** Number of operations noted earlier. */
  readonly order: number;
}

const idsPerCell = 6;

function lineAt(ids: readonly number[], at: number): LineId {
  return { branch: ids[at] ?? 0, sequence: ids[at + 1] ?? 0, offset: ids[at + 2] ?? 0 };
}

function textOf({ sheetId, row, column }: Cell): string {
  return `${sheetId} ${lineText(row)} ${lineText(column)}`;
}

function isInAreas({ sheetId, row, column }: Cell, { sheet, areas, isWritten }: Areas): boolean {
  if (sheet !== sheetId) return false;
  return areas.some((area, index) => {
    const down = placeIn(area.rows, row);
    const across = down < 0 ? -1 : placeIn(area.columns, column);
    return across >= 0 && isWritten(index, down, across);
  });
}

function isOnLines({ sheetId, row, column }: Cell, { sheet, axis, spans }: Lines): boolean {
  return sheet === sheetId && placeIn(spans, axis === 'row' ? row : column) >= 0;
}
