import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import { clippedTo, listenToClipboard } from './clipboard.ts';
import { readPalette, type Palette } from './colours.ts';
import { element } from './element.ts';
import { CellEditor } from './editor.ts';
import type { Axis } from './geometry.ts';
import { moved } from './keys.ts';
import { Mirror } from './mirror.ts';
import { spotAt, type Spot } from './hit.ts';
import { paint } from './paint.ts';
import { columnHeaderPx, rowHeaderPx, type Frame } from './panes.ts';
import { listenToPointer, type Pointed } from './pointer.ts';
import { bodySize, fittingPx, scalesOf, within } from './scrolling.ts';
import { rangeOfSelection, selectionOf, type Selection } from './selection.ts';
import type { GridSource, Peer } from './source.ts';

export interface GridShape {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly hasGridlines: boolean;
  /** The cells that hold anything. */
  readonly used: Range;
}

export interface GridEvents {
  readonly onSelect: (selection: Selection) => void;
  /** An input was typed into the active cell, or null to clear the selection. */
  readonly onEdit: (at: Address, input: string) => void;
  readonly onClear?: (range: Range) => void;
  readonly onPaste?: (at: Address, rows: readonly (readonly string[])[]) => void;
  readonly onUndo?: (isRedo: boolean) => void;
  /** Lines get a size in pixels; undefined asks for one that fits. */
  readonly onResize?: (lines: 'rows' | 'columns', index: number, px: number) => void;
  readonly onFill?: (source: Range, target: Range) => void;
  /** A key that the grid has no use for; answers whether somebody took it. */
  readonly onKey?: (event: KeyboardEvent) => boolean;
  /** Returns the text to edit of a cell; undefined where it is not known yet. */
  readonly inputOf: (at: Address) => string | undefined;
  /** Says why nothing can be typed; undefined where it can. */
  readonly lockedBecause: () => string | undefined;
}

/** A sheet on one canvas in a scroller, with selection, keyboard, editor, clipboard and peers. */
export class Grid {
  readonly #host: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #spacer: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #editor: CellEditor;
  readonly #mirror: Mirror;
  readonly #source: GridSource;
  readonly #events: GridEvents;
  readonly #resize: ResizeObserver;
  readonly #abort = new AbortController();
  #shape: GridShape;
  #selection: Selection = selectionOf(0, 0);
  #peers: readonly Peer[] = [];
  #scrollX = 0;
  #scrollY = 0;
  #frameRequest: number | undefined;
  #view: Range = { row0: 0, row1: 0, column0: 0, column1: 0 };
  #palette: Palette;

  constructor(
    host: HTMLElement,
    { source, shape, events }: { source: GridSource; shape: GridShape; events: GridEvents },
  ) {
    this.#host = host;
    this.#source = source;
    this.#shape = shape;
    this.#events = events;
    this.#scroller = element('div', 'grid-scroller');
    this.#spacer = element('div', 'grid-spacer');
    this.#canvas = element('canvas', 'grid-canvas');
    const content = element('div', 'grid-content');
    this.#canvas.append(content);
    const context = this.#canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('this browser draws no canvas');
    this.#context = context;
    this.#scroller.append(this.#spacer);
    this.#scroller.tabIndex = -1;
    this.#editor = new CellEditor({
      onCommit: (text, step) => this.#commit(text, step),
      onKey: (event) => this.#onKey(event),
      lockedBecause: () => events.lockedBecause(),
    });
    host.replaceChildren(this.#canvas, this.#scroller, this.#editor.element);
    this.#mirror = new Mirror(content, { rows: shape.rows.count, columns: shape.columns.count });
    this.#palette = readPalette(host);
    this.#resize = new ResizeObserver(() => this.#fit());
    this.#resize.observe(host);
    this.#listen();
    this.#fit();
  }

  reshape(shape: GridShape): void {
    this.#shape = shape;
    this.#fit();
  }

  showPeers(peers: readonly Peer[]): void {
    this.#peers = peers;
    this.draw();
  }

  select(selection: Selection): void {
    this.#selection = selection;
    this.reveal(selection.other);
    this.#placeEditor();
    this.#events.onSelect(selection);
    this.draw();
  }

  focus(): void {
    this.#editor.focus();
  }

  /** Draws at the next frame, once. */
  draw(): void {
    this.#frameRequest ??= requestAnimationFrame(() => {
      this.#frameRequest = undefined;
      this.#paint();
    });
  }

  retheme(): void {
    this.#palette = readPalette(this.#host);
    this.draw();
  }

  close(): void {
    this.#abort.abort();
    this.#resize.disconnect();
    this.#mirror.close();
    if (this.#frameRequest !== undefined) cancelAnimationFrame(this.#frameRequest);
    this.#host.replaceChildren();
  }

  /** Scrolls as little as shows a cell whole. */
  reveal({ row, column }: Address): void {
    const { rows, columns, frozenRows, frozenColumns } = this.#shape;
    const [width, height] = bodySize(this.#scroller, this.#shape);
    if (column >= frozenColumns) {
      const start = columns.startOf(column) - columns.startOf(frozenColumns);
      this.#scrollX = within(this.#scrollX, start, start + columns.sizeOf(column) - width);
    }
    if (row >= frozenRows) {
      const start = rows.startOf(row) - rows.startOf(frozenRows);
      this.#scrollY = within(this.#scrollY, start, start + rows.sizeOf(row) - height);
    }
    this.#syncBars();
  }

  #fit(): void {
    const ratio = window.devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = this.#host;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    const { across, down } = scalesOf(this.#scroller, this.#shape);
    this.#spacer.style.width = `${across.spacerPx}px`;
    this.#spacer.style.height = `${down.spacerPx}px`;
    this.#placeEditor();
    this.draw();
  }

  #frame(): Frame {
    const { clientWidth: width, clientHeight: height } = this.#host;
    const { rows, columns, frozenRows, frozenColumns, hasGridlines } = this.#shape;
    return {
      rows,
      columns,
      frozenRows,
      frozenColumns,
      hasGridlines,
      scrollX: this.#scrollX,
      scrollY: this.#scrollY,
      width,
      height,
      source: this.#source,
      selection: this.#selection,
      peers: this.#peers,
      palette: this.#palette,
      isFillable: this.#isFillable,
    };
  }

  #paint(): void {
    const ratio = window.devicePixelRatio;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const view = paint(this.#context, this.#frame());
    const { frozenRows, frozenColumns } = this.#shape;
    this.#source.look(view);
    if (frozenRows > 0) this.#source.look({ ...view, row0: 0, row1: frozenRows - 1 });
    if (frozenColumns > 0) this.#source.look({ ...view, column0: 0, column1: frozenColumns - 1 });
    this.#view = view;
    const isReadOnly = this.#events.lockedBecause() !== undefined;
    this.#mirror.show({
      range: view,
      source: this.#source,
      selection: this.#selection,
      isReadOnly,
      frozenRows,
      frozenColumns,
    });
  }

  #listen(): void {
    const { signal } = this.#abort;
    this.#scroller.addEventListener('scroll', () => this.#onScroll(), { signal, passive: true });
    this.#scroller.addEventListener('wheel', (event) => this.#onWheel(event), {
      signal,
      passive: false,
    });
    listenToPointer(this.#scroller, this.#pointed(), signal);
    const { element: field } = this.#editor;
    listenToClipboard(
      field,
      {
        isTyping: () => this.#editor.isOpen,
        copied: () => {
          const range = clippedTo(rangeOfSelection(this.#selection), this.#shape.used);
          return { range, source: this.#source };
        },
        onCut: () => this.#clear(),
        onPaste: (rows) => {
          if (this.#events.lockedBecause() === undefined)
            this.#events.onPaste?.(this.#selection.active, rows);
        },
      },
      signal,
    );
  }

  #onScroll(): void {
    const { across, down } = scalesOf(this.#scroller, this.#shape);
    const { scrollLeft, scrollTop } = this.#scroller;
    // A bar that stands where this class put it says nothing new.
    if (Math.abs(across.barOf(this.#scrollX) - scrollLeft) > 1)
      this.#scrollX = across.positionOf(scrollLeft);
    if (Math.abs(down.barOf(this.#scrollY) - scrollTop) > 1)
      this.#scrollY = down.positionOf(scrollTop);
    this.#placeEditor();
    this.draw();
  }

  /** The wheel moves in pixels of the sheet, also where the bar is shorter than the sheet. */
  #onWheel(event: WheelEvent): void {
    if (event.ctrlKey) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
    const { rows, columns } = this.#shape;
    const { clientWidth, clientHeight } = this.#scroller;
    const [x, y] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
    const [mostX, mostY] = [
      columns.total + rowHeaderPx - clientWidth,
      rows.total + columnHeaderPx - clientHeight,
    ];
    this.#scrollX = within(this.#scrollX + x * unit, Math.max(0, mostX), 0);
    this.#scrollY = within(this.#scrollY + y * unit, Math.max(0, mostY), 0);
    this.#syncBars();
    this.#placeEditor();
    this.draw();
  }

  #syncBars(): void {
    const { across, down } = scalesOf(this.#scroller, this.#shape);
    this.#scroller.scrollLeft = across.barOf(this.#scrollX);
    this.#scroller.scrollTop = down.barOf(this.#scrollY);
  }

  #pointed(): Pointed {
    return {
      spotAt: (event) => this.#spotAt(event),
      selection: () => this.#selection,
      select: (selection) => this.select(selection),
      selectLines: (lines, first, last) => this.selectLines(lines, first, last),
      selectAll: () => this.#selectAll(),
      sizeOf: (lines, index) => this.#shape[lines].sizeOf(index),
      begin: () => this.#editor.commit(),
      end: () => this.focus(),
      edit: () => this.#startEditing(),
      fitColumn: (column) => this.fitColumn(column),
      events: this.#events,
    };
  }

  #spotAt(event: MouseEvent): Spot {
    const box = this.#host.getBoundingClientRect();
    const { rows, columns, frozenRows, frozenColumns } = this.#shape;
    const frame = {
      rows,
      columns,
      frozenRows,
      frozenColumns,
      scrollX: this.#scrollX,
      scrollY: this.#scrollY,
      selected: rangeOfSelection(this.#selection),
      isFillable: this.#isFillable,
    };
    return spotAt(frame, event.clientX - box.left, event.clientY - box.top);
  }

  get #isFillable(): boolean {
    return this.#events.onFill !== undefined && this.#events.lockedBecause() === undefined;
  }

  /** Selects whole rows or columns, and stays where it is. */
  selectLines(lines: 'rows' | 'columns', first: number, last: number): void {
    const { rows, columns } = this.#shape;
    this.#selection =
      lines === 'rows'
        ? { active: { row: first, column: 0 }, other: { row: last, column: columns.count - 1 } }
        : { active: { row: 0, column: first }, other: { row: rows.count - 1, column: last } };
    this.#placeEditor();
    this.#events.onSelect(this.#selection);
    this.draw();
  }

  /** Makes a column as wide as what can be seen of it. */
  fitColumn(column: number): void {
    const px = fittingPx(this.#context, this.#source, { ...this.#view, column0: column });
    this.#events.onResize?.('columns', column, px);
  }

  #onKey(event: KeyboardEvent): void {
    const { rows, columns, used } = this.#shape;
    const page = {
      rows: Math.max(1, this.#view.row1 - this.#view.row0 - 1),
      columns: Math.max(1, this.#view.column1 - this.#view.column0 - 1),
    };
    const next = moved(this.#selection, event, { rows, columns, page, used });
    if (next) {
      event.preventDefault();
      this.select(next);
      return;
    }
    if (this.#runs(event) || this.#events.onKey?.(event) === true) event.preventDefault();
  }

  /** Runs a command of the grid itself; answers whether the key is one. */
  #runs({ key: pressed, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    const isCommand = ctrlKey || metaKey;
    const name = pressed.toLowerCase();
    const key = `${isCommand ? 'Ctrl+' : ''}${shiftKey && name === 'f2' ? 'Shift+' : ''}${name}`;
    const commands: Readonly<Record<string, () => void>> = {
      f2: () => this.#startEditing(),
      delete: () => this.#clear(),
      backspace: () => this.#clear(),
      'Ctrl+a': () => this.#selectAll(),
      'Ctrl+z': () => this.#events.onUndo?.(shiftKey),
      'Ctrl+y': () => this.#events.onUndo?.(true),
    };
    commands[key]?.();
    return key in commands;
  }

  #selectAll(): void {
    const { used } = this.#shape;
    this.#selection = {
      active: { row: used.row0, column: used.column0 },
      other: { row: used.row1, column: used.column1 },
    };
    this.#events.onSelect(this.#selection);
    this.draw();
  }

  #clear(): void {
    if (this.#events.lockedBecause() === undefined) {
      this.#events.onClear?.(rangeOfSelection(this.#selection));
    }
  }

  #startEditing(): void {
    const text = this.#events.inputOf(this.#selection.active);
    if (text !== undefined) this.#editor.open(text);
  }

  #commit(text: string, [down, right]: readonly [number, number]): void {
    const { active } = this.#selection;
    this.#events.onEdit(active, text);
    const { rows, columns } = this.#shape;
    const row = rows.nextVisible(Math.max(0, active.row + down), 1);
    const column = columns.nextVisible(Math.max(0, active.column + right), 1);
    this.select(selectionOf(row, column));
  }

  #placeEditor(): void {
    const { rows, columns, frozenRows, frozenColumns } = this.#shape;
    const { row, column } = this.#selection.active;
    const x = columns.startOf(column) + rowHeaderPx - (column < frozenColumns ? 0 : this.#scrollX);
    const y = rows.startOf(row) + columnHeaderPx - (row < frozenRows ? 0 : this.#scrollY);
    this.#editor.place({ x, y, width: columns.sizeOf(column), height: rows.sizeOf(row) });
  }
}
