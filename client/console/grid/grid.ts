import type { Range } from '../../../server/model/range.ts';
import type { Shift } from '../../../server/model/shift.ts';
import type { FormulaAssist } from '../formula/assist.ts';
import { noVocabulary } from '../formula/completion.ts';
import { clippedTo, listenToClipboard } from './clipboard.ts';
import { readPalette, whenRecoloured, type Palette } from './colours.ts';
import { element, fitCanvas } from './element.ts';
import { CellEditor } from './editor.ts';
import type { GridEvents, GridShape } from './grid-events.ts';
import type { Arrow } from './edge.ts';
import { GridKeys } from './grid-keys.ts';
import { Mirror } from './mirror.ts';
import { cornerAt, spotAt, type HitFrame } from './hit.ts';
import { paint } from './paint.ts';
import { columnHeaderPx, rowHeaderPx, type Frame } from './panes.ts';
import { PeerTags, type Peer } from './peer-tags.ts';
import { listenToPointer, type LineSelect, type Pixel, type Pointed } from './pointer.ts';
import { fittingPx } from './scrolling.ts';
import {
  rangeOfSelection,
  rangesOf,
  revealedOf,
  selectionName,
  selectionOf,
  selectionOfLines,
  shiftedSelection,
  stepFrom,
  stepped,
  type Selection,
} from './selection.ts';
import type { GridSource } from './source.ts';
import { isByFinger, listenToTouch } from './touch.ts';
import { seenRanges, Viewport } from './viewport.ts';

/** A sheet on one canvas in a scroller, with selection, keyboard, editor, clipboard and peers. */
export class Grid {
  readonly #host: HTMLElement;
  readonly #viewport: Viewport;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #editor: CellEditor;
  readonly #mirror: Mirror;
  readonly #keys: GridKeys;
  readonly #source: GridSource;
  readonly #events: GridEvents;
  readonly #resize: ResizeObserver;
  readonly #abort = new AbortController();
  #shape: GridShape;
  #selection: Selection = selectionOf(0, 0);
  /** The cells that are pointed at for a formula. */
  #pointed: Selection | undefined;
  readonly #tags = new PeerTags(() => this.draw());
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
    this.#viewport = new Viewport(shape);
    this.#canvas = element('canvas', 'grid-canvas');
    const content = element('div', 'grid-content');
    this.#canvas.append(content);
    const context = this.#canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('this browser draws no canvas');
    this.#context = context;
    this.#editor = new CellEditor({
      onCommit: (text, step) => this.#commit(text, step),
      onCommitAll: (text) => {
        this.#events.onEdit(this.#selection.active, text);
        for (const range of rangesOf(this.#selection)) {
          this.#events.onRepeat?.(this.#selection.active, range);
        }
      },
      onKey: (pressed) => this.#keys.take(pressed),
      holds: (event) => this.#keys.holds(event),
      lockedBecause: () => events.lockedBecause(),
      vocabulary: (onMore) => events.vocabulary?.(onMore) ?? noVocabulary,
      onText: (typed) => events.onText?.(typed),
      onPoint: (arrow, isExtending) => this.#pointBy(arrow, isExtending),
    });
    this.#keys = this.#makeKeys();
    this.#mirror = new Mirror(content, { rows: shape.rows.count, columns: shape.columns.count });
    const { assist } = this.#editor;
    const { scroller } = this.#viewport;
    host.replaceChildren(this.#canvas, scroller, assist.element, this.#mirror.said);
    this.#palette = readPalette(host);
    this.#resize = new ResizeObserver(() => {
      this.#fit();
      this.#paint();
    });
    this.#resize.observe(host);
    this.#listen();
    whenRecoloured(this.#abort.signal, () => {
      this.#palette = readPalette(host);
      this.draw();
    });
    this.#fit();
  }

  reshape(shape: GridShape): void {
    this.#shape = shape;
    this.#fit();
  }

  showPeers(peers: readonly Peer[]): void {
    this.#tags.show(peers);
    this.draw();
  }

  /** Shows another sheet, with its selection. */
  turnTo(shape: GridShape, selection: Selection): void {
    this.#keys.turnSheet();
    this.reshape(shape);
    this.select(selection);
  }

  /** Lets keys wait until somebody has been led elsewhere. */
  lead(way: Promise<unknown>): void {
    this.#keys.lead(way);
  }

  select(selection: Selection): void {
    this.#selection = selection;
    this.#viewport.reveal(revealedOf(selection, this.#shape));
    this.#placeEditor();
    this.#events.onSelect(selection);
    this.draw();
  }

  focus(): void {
    this.#editor.focus();
  }

  /** Lines stand elsewhere now: the selection, and what is being typed, go with their cells. */
  shift(shifts: readonly Shift[]): void {
    const { active } = this.#selection;
    const shifted = shiftedSelection(this.#selection, shifts);
    if (shifted.isGone && this.#editor.isOpen) this.#events.onLost?.(active, this.#editor.take());
    this.#selection = shifted.selection;
    this.#placeEditor();
    this.#events.onSelect(this.#selection);
    this.draw();
  }

  /** Draws at the next frame, once. */
  draw(): void {
    this.#frameRequest ??= requestAnimationFrame(() => {
      this.#frameRequest = undefined;
      this.#paint();
    });
  }

  close(): void {
    this.#keys.giveUp();
    this.#abort.abort();
    this.#resize.disconnect();
    this.#tags.close();
    this.#mirror.close();
    if (this.#frameRequest !== undefined) cancelAnimationFrame(this.#frameRequest);
    this.#host.replaceChildren();
  }

  #fit(): void {
    fitCanvas(this.#canvas, this.#host);
    this.#viewport.fit(this.#shape);
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
      scrollX: this.#viewport.x,
      scrollY: this.#viewport.y,
      width,
      height,
      source: this.#source,
      selection: this.#selection,
      peers: this.#tags.tagged,
      palette: this.#palette,
      isFillable: this.#isFillable,
      hasHandles: isByFinger(),
    };
  }

  #paint(): void {
    const ratio = window.devicePixelRatio;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const view = paint(this.#context, this.#frame());
    const { frozenRows, frozenColumns } = this.#shape;
    this.#source.look(seenRanges(view, this.#shape));
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
    const { scroller } = this.#viewport;
    const scroll = () => {
      this.#viewport.readBars();
      this.#scrolled();
    };
    const wheel = (event: WheelEvent) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      this.#viewport.takeWheel(event);
      this.#scrolled();
    };
    scroller.addEventListener('scroll', scroll, { signal, passive: true });
    scroller.addEventListener('wheel', wheel, { signal, passive: false });
    listenToPointer(scroller, this.#pointerParts(), signal);
    listenToTouch(scroller, this.#pointerParts(), signal);
    this.#listenToClipboard();
    const { element: field } = this.#editor;
    field.addEventListener('contextmenu', (event) => this.#askMenu(event), { signal });
  }

  /** The key for menus asks for one at the active cell. */
  #askMenu(event: MouseEvent): void {
    if (this.#editor.isOpen || !this.#events.onContext) return;
    event.preventDefault();
    const { left, bottom } = this.#editor.element.getBoundingClientRect();
    this.#events.onContext({ x: left, y: bottom });
  }

  #listenToClipboard(): void {
    const { onCopy, onCopied, loadTexts, onTell } = this.#events;
    listenToClipboard(
      this.#editor.element,
      {
        isTyping: () => this.#editor.isOpen,
        ranges: () => {
          const clipped = (range: Range) => clippedTo(range, this.#shape.used);
          const [range, ...also] = rangesOf(this.#selection);
          return [clipped(range), ...also.map(clipped)];
        },
        source: this.#source,
        markOf: (pieces, isCut) =>
          onCopy?.(pieces, isCut && this.#events.lockedBecause() === undefined) ?? '',
        onText: (text) => onCopied?.(text),
        onTell: (sentence) => onTell?.(sentence),
        load: (range) => loadTexts?.(range) ?? Promise.reject(new Error('nothing can be loaded')),
        later: (act) => this.#keys.later(act),
        onPaste: (pasted) => {
          if (this.#events.lockedBecause() !== undefined) return;
          const range = rangeOfSelection(this.#selection);
          const isPlain = this.#editor.takePlain();
          const way = this.#events.onPaste?.(range, { ...pasted, isPlain });
          if (way) this.#keys.lead(way);
        },
      },
      this.#abort.signal,
    );
  }

  /** Returns the field that takes the cells that are pointed at, if one does. */
  #pointing(): Pick<FormulaAssist, 'canPoint' | 'point'> | undefined {
    const field = this.#editor.isOpen ? this.#editor.assist : this.#events.pointing?.();
    return field?.canPoint === true ? field : undefined;
  }

  #point(selection: Selection): void {
    this.#pointed = selection;
    this.#pointing()?.point(selectionName(selection));
    this.#viewport.reveal(selection.other);
    this.#scrolled();
  }

  #pointBy(arrow: Arrow, isExtending: boolean): void {
    const isOn = this.#editor.assist.isPointing;
    const from = (isOn ? this.#pointed : undefined) ?? this.#selection;
    const to = stepFrom(isExtending ? from.other : from.active, arrow, this.#shape);
    this.#point({ active: isExtending ? from.active : to, other: to });
  }

  #scrolled(): void {
    this.#placeEditor();
    this.draw();
  }

  #pointerParts(): Pointed {
    return {
      spotAt: (at) => this.#hit(at, spotAt),
      cornerAt: (at) => this.#hit(at, cornerAt),
      selection: () => this.#selection,
      select: (selection) => this.select(selection),
      selectLines: (...lines) => this.selectLines(...lines),
      selectAll: () => this.#keys.selectAll(),
      sizeOf: (lines, index) => this.#shape[lines].sizeOf(index),
      lastOf: (lines) => this.#shape[lines].count - 1,
      begin: () => {
        this.#keys.giveUp();
        this.#events.pointing?.()?.commit();
        this.#editor.commit();
      },
      end: () => this.focus(),
      edit: () => this.#keys.edit(),
      fitColumn: (column) => this.fitColumn(column),
      isPointing: () => this.#pointing() !== undefined,
      point: (selection) => this.#point(selection),
      events: this.#events,
    };
  }

  #hit<Found>(at: Pixel, find: (frame: HitFrame, x: number, y: number) => Found): Found {
    const box = this.#host.getBoundingClientRect();
    const { rows, columns, frozenRows, frozenColumns } = this.#shape;
    const frame = {
      rows,
      columns,
      frozenRows,
      frozenColumns,
      scrollX: this.#viewport.x,
      scrollY: this.#viewport.y,
      selected: rangeOfSelection(this.#selection),
      isFillable: this.#isFillable,
      filters: this.#source.lying?.filters ?? [],
    };
    return find(frame, at.clientX - box.left, at.clientY - box.top);
  }

  get #isFillable(): boolean {
    const isLocked = this.#events.lockedBecause() !== undefined;
    return this.#events.onFill !== undefined && !isLocked && rangesOf(this.#selection).length === 1;
  }

  /** Selects whole rows or columns, and stays where it is. */
  selectLines(...[lines, first, last, also = []]: Parameters<LineSelect>): void {
    this.#selection = { ...selectionOfLines(lines, [first, last], this.#shape), also };
    this.#placeEditor();
    this.#events.onSelect(this.#selection);
    this.draw();
  }

  /** Makes a column as wide as what can be seen of it. */
  fitColumn(column: number): void {
    const px = fittingPx(this.#context, this.#source, { ...this.#view, column0: column });
    this.#events.onResize?.('columns', column, px);
  }

  #makeKeys(): GridKeys {
    return new GridKeys({
      editor: this.#editor,
      source: this.#source,
      events: this.#events,
      shape: () => this.#shape,
      page: () => {
        const { row0, row1, column0, column1 } = this.#view;
        return { rows: Math.max(1, row1 - row0 - 1), columns: Math.max(1, column1 - column0 - 1) };
      },
      selection: () => this.#selection,
      select: (selection) => this.select(selection),
      selectLines: (lines, first, last) => this.selectLines(lines, first, last),
      clear: () => this.#clear(),
    });
  }

  #clear(): void {
    if (this.#events.lockedBecause() === undefined) {
      this.#events.onClear?.(rangesOf(this.#selection));
    }
  }

  #commit(text: string, step: readonly [number, number]): void {
    this.#events.onEdit(this.#selection.active, text);
    this.select(stepped(this.#selection, step, this.#shape));
  }

  #placeEditor(): void {
    const { rows, columns, frozenRows, frozenColumns } = this.#shape;
    const { row, column } = this.#selection.active;
    const x =
      columns.startOf(column) + rowHeaderPx - (column < frozenColumns ? 0 : this.#viewport.x);
    const y = rows.startOf(row) + columnHeaderPx - (row < frozenRows ? 0 : this.#viewport.y);
    this.#editor.place({ x, y, width: columns.sizeOf(column), height: rows.sizeOf(row) });
  }
}
