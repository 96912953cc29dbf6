import { cellName, columnName, type Address } from '../../../server/model/address.ts';
import { holdsCell, type Range } from '../../../server/model/range.ts';
import type { Axis } from './geometry.ts';
import { areaAt } from './merged.ts';
import type { GridSource } from './source.ts';
import { rangesOf, selectionNames, type Selection } from './selection.ts';

const cellsMost = 2_000;
const restMs = 150;

interface Seen {
  readonly range: Range;
  readonly source: GridSource;
  readonly selection: Selection;
  readonly isReadOnly: boolean;
  readonly rows: Pick<Axis, 'count'>;
  readonly columns: Pick<Axis, 'count'>;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  /** Returns whether the active cell is known to hold a formula. */
  readonly isFormula: () => boolean;
}

/**
 * Cells in view as elements within the canvas, for screen readers (WAI-ARIA grid pattern). They are
 * made again when the view stands still.
 */
export class Mirror {
  /** Announces the new selection and its content. */
  readonly said = document.createElement('div');
  readonly #host: HTMLElement;
  #timer: number | undefined;

  constructor(host: HTMLElement) {
    this.#host = host;
    this.said.className = 'visually-hidden';
    this.said.setAttribute('role', 'status');
    host.setAttribute('role', 'grid');
    host.setAttribute('aria-label', 'Cells');
    host.setAttribute('aria-multiselectable', 'true');
  }

  show(seen: Seen): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#render(seen), restMs);
  }

  close(): void {
    window.clearTimeout(this.#timer);
  }

  #render(seen: Seen): void {
    const { range, source, selection, isReadOnly } = seen;
    this.#host.setAttribute('aria-rowcount', String(seen.rows.count + 1));
    this.#host.setAttribute('aria-colcount', String(seen.columns.count + 1));
    const columns = [...linesFrom(seen.frozenColumns, range.column0, range.column1)];
    const rowsMost = Math.floor(cellsMost / columns.length);
    const rows = [...linesFrom(seen.frozenRows, range.row0, range.row1)].slice(0, rowsMost);
    const head = rowElement(1);
    head.append(
      ...columns.map((column) =>
        cellElement('columnheader', column + 2, columnTextOf(source, column)),
      ),
    );
    const selected = rangesOf(selection);
    const lines = rows.map((row) => {
      const line = rowElement(row + 2);
      line.append(cellElement('rowheader', 1, rowTextOf(source, row)));
      for (const column of columns) {
        const cell = cellElement('gridcell', column + 2, source.cellAt(row, column)?.text ?? '');
        cell.dataset['cell'] = cellName(row, column);
        cell.setAttribute('aria-selected', String(isSelected(selected, { row, column })));
        cell.setAttribute('aria-readonly', String(isReadOnly));
        const mark = source.markAt(row, column);
        if (mark !== undefined) cell.setAttribute('aria-description', mark);
        const area = areaAt(source.records?.merged, { row, column });
        if (area) spanCell(cell, area, { row, column });
        line.append(cell);
      }
      return line;
    });
    this.#host.replaceChildren(head, ...lines);
    const told = toldOf(seen);
    if (this.said.textContent !== told) this.said.textContent = told;
  }
}

function isSelected(ranges: readonly Range[], cell: Address): boolean {
  return ranges.some((range) => holdsCell(range, cell));
}

/** Gives the first cell of a merged area its size, and takes the others out of the reading. */
function spanCell(cell: HTMLElement, area: Range, { row, column }: Address): void {
  const isFirst = row === area.row0 && column === area.column0;
  if (!isFirst) {
    cell.setAttribute('aria-hidden', 'true');
    return;
  }
  cell.setAttribute('aria-rowspan', String(area.row1 - area.row0 + 1));
  cell.setAttribute('aria-colspan', String(area.column1 - area.column0 + 1));
}

/**
 * Returns the announcement of the selection and its active cell: `B2:B3, 1,200, formula, has a
 * note`.
 */
function toldOf({ selection, source, isFormula }: Seen): string {
  const { row, column } = selection.active;
  const cell = source.cellAt(row, column);
  const isOn = (cells: readonly Address[] | undefined) =>
    cells?.some((one) => one.row === row && one.column === column) === true;
  const marks = [
    ...(isFormula() ? [', formula'] : []),
    ...(isOn(source.records?.notes) ? [', has a note'] : []),
    ...(isOn(source.records?.commented) ? [', has comments'] : []),
  ];
  const text = cell === undefined ? 'loading' : cell.text || 'blank';
  const mark = source.names && source.markAt(row, column);
  const place = source.names
    ? `${columnTextOf(source, column)}, row ${rowTextOf(source, row)}`
    : selectionNames(selection);
  return `${place}, ${text}${mark === undefined ? '' : `, ${mark}`}${marks.join('')}`;
}

function rowTextOf({ names }: GridSource, row: number): string {
  return names ? spoken(names.row(row)) : String(row + 1);
}

function columnTextOf({ names }: GridSource, column: number): string {
  return names ? spoken(names.column(column)) : columnName(column);
}

/** Returns the names of a line in two sheets: `3 now 4`, or the one name that it has. */
function spoken(names: readonly string[]): string {
  const known = new Set(names.filter((name) => name !== ''));
  return [...known].join(' now ');
}

/** Yields the frozen lines, and behind them those of the view. */
function* linesFrom(frozen: number, first: number, last: number): Generator<number> {
  for (let line = 0; line < frozen; line++) yield line;
  for (let line = Math.max(frozen, first); line <= last; line++) yield line;
}

function rowElement(index: number): HTMLElement {
  const row = document.createElement('div');
  row.setAttribute('role', 'row');
  row.setAttribute('aria-rowindex', String(index));
  return row;
}

function cellElement(role: string, index: number, text: string): HTMLElement {
  const cell = document.createElement('span');
  cell.setAttribute('role', role);
  cell.setAttribute('aria-colindex', String(index));
  cell.textContent = text;
  return cell;
}
