import type { Address } from '../../../server/model/address.ts';
import { holdsCell, type Range } from '../../../server/model/range.ts';
import { noVocabulary } from '../formula/completion.ts';
import { listenToClipboard } from './clipboard.ts';
import { clippingOf } from './clipping.ts';
import { readPalette, whenRecoloured, type Palette } from './colours.ts';
import { element, fitCanvas } from './element.ts';
import { CellEditor } from './editor.ts';
import type { GridEvents, GridShape } from './grid-events.ts';
import { FittedRows } from './fitted-rows.ts';
import { GridKeys } from './grid-keys.ts';
import { Mirror } from './mirror.ts';
import { paint } from './paint.ts';
import { shownCell, wholeSelection } from './merged.ts';
import { NoteCard } from './note-card.ts';
import { columnHeaderPx, freedLines, rowHeaderPx, shownBoxOf } from './panes.ts';
import type { Box, Frame } from './panes.ts';
import { PeerTags, type Peer } from './peer-tags.ts';
import { listenToPointer, type LineSelect, type LineSpan, type Pointed } from './pointer.ts';
import { fittingSizes } from './scrolling.ts';
import {
  rangeOfSelection,
  rangesOf,
  revealedOf,
  selectionOf,
  selectionOfLines,
  shiftedSelection,
  type FollowedShift,
  type Selection,
} from './selection.ts';
import type { GridSource } from './source.ts';
import { isByFinger, listenToTouch } from './touch.ts';
import { Typing } from './typing.ts';
import { UnderPointer } from './under-pointer.ts';
import { seenRanges, Viewport } from './viewport.ts';
import { Zooming } from './zooming.ts';

/** A sheet on one canvas in a scroller, with selection, keyboard, editor, clipboard and peers. */
export class Grid {
  readonly zooming: Zooming;
  readonly #host: HTMLElement;
  readonly #viewport: Viewport;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #editor: CellEditor;
  readonly #mirror: Mirror;
  readonly #keys: GridKeys;
  readonly #typing: Typing;
  readonly #source: GridSource;
  readonly #events: GridEvents;
  readonly #resize: ResizeObserver;
  readonly #abort = new AbortController();
  /** Shape as given; the drawn one has fitted rows. */
  #given: GridShape;
  #shape: GridShape;
  readonly #fitted = new FittedRows();
  readonly #note = new NoteCard({
    noteOf: (cell) => this.#events.noteOf?.(cell) ?? '',
    boxOf: (cell) => this.#boxOf(cell),
  });
  #selection: Selection = selectionOf(0, 0);
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
    this.#given = shape;
    this.#shape = shape;
    this.#events = events;
    this.#viewport = new Viewport(shape);
    // The view does not return to the active cell if larger cells leave no room for it.
    this.zooming = new Zooming(this.#viewport, () => {
      this.#fit();
      this.#paint();
    });
    this.#canvas = element('canvas', 'grid-canvas');
    const content = element('div', 'grid-content');
    this.#canvas.append(content);
    const context = this.#canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('this browser draws no canvas');
    this.#context = context;
    this.#editor = new CellEditor({
      onCommit: (...entered) => this.#typing.commit(...entered),
      onCommitAll: (text) => this.#typing.commitAll(text),
      onCancel: () => this.#typing.cancel(),
      ...(events.onContext && { onContext: events.onContext }),
      onKey: (pressed) => this.#keys.take(pressed),
      holds: (pressed) => this.#keys.holds(pressed),
      lockedBecause: () => events.lockedBecause(),
      vocabulary: (onMore) => events.vocabulary?.(onMore) ?? noVocabulary,
      onText: (typed) => {
        this.#typing.turn(typed !== undefined);
        events.onText?.(typed);
      },
      onPoint: (arrow, isExtending) => this.#typing.pointBy(arrow, isExtending),
    });
    this.#typing = this.#makeTyping();
    this.#keys = this.#makeKeys();
    this.#mirror = new Mirror(content);
    const [{ scroller }, { assist }] = [this.#viewport, this.#editor];
    const parts = [scroller, assist.element, this.#note.element, this.#mirror.said];
    host.replaceChildren(this.#canvas, ...parts);
    this.#palette = readPalette(host);
    this.#resize = new ResizeObserver(() => {
      this.#refit(() => this.#fit());
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
    const before = this.#shape;
    this.#given = shape;
    this.#fit();
    const freed = freedLines(this.#selection.active, before, this.#shape);
    if (freed) this.reveal(freed);
  }

  showPeers(peers: readonly Peer[]): void {
    this.#tags.show(peers);
    this.draw();
  }

  /** Shows another sheet, with its selection. */
  turnTo(shape: GridShape, selection: Selection): void {
    this.#keys.turnSheet();
    const back = this.#typing.turnSheet();
    this.#fitted.clear();
    this.reshape(shape);
    this.select(back ?? selection);
  }

  /** Holds keys back until a move to another place is done. */
  lead(way: Promise<unknown>): void {
    this.#keys.lead(way);
  }

  select(selection: Selection): void {
    this.#selection = wholeSelection(selection, this.#merged);
    this.#viewport.reveal(revealedOf(this.#selection, this.#shape));
    this.#placeEditor();
    this.#events.onSelect(this.#selection);
    this.draw();
  }

  focus(pressed: Parameters<GridKeys['press']>[0] = []): void {
    this.#editor.focus();
    this.#keys.press(pressed);
  }

  /** Opens the editor of the active cell with a text. */
  type(text: string): void {
    this.#editor.open(text);
  }

  /** Enters the typed text, because the person goes elsewhere. */
  enter(): void {
    this.#editor.commit();
  }

  /** Moves the selection and the typed text along with lines that moved. */
  shift(shifts: readonly FollowedShift[]): void {
    const { active } = this.#selection;
    const shifted = shiftedSelection(this.#selection, shifts);
    if (shifted.isGone && this.#editor.isOpen) this.#events.onLost?.(active, this.#editor.take());
    this.#selection = shifted.selection;
    this.#fitted.clear();
    this.#placeEditor();
    this.#events.onSelect(this.#selection);
    this.draw();
  }

  /** Draws at the next frame; several calls draw once. */
  draw(): void {
    this.#frameRequest ??= requestAnimationFrame(() => this.#paint());
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

  /** Changes sizes; an active cell that was in view stays in view. */
  #refit(refit: () => void): void {
    const { active } = this.#selection;
    const isSeen = holdsCell(this.#view, active);
    refit();
    if (isSeen) this.reveal(active);
  }

  /** Draws with new row heights at the next frame. */
  #fitRows(): void {
    this.#shape = this.#fitted.applied(this.#given, this.#viewport.scroller);
    this.#viewport.fit(this.#shape);
    this.#scrolled();
  }

  #fit(): void {
    this.#events.onZoom?.(this.zooming.follow(this.#given.zoom));
    this.#shape = this.#fitted.applied(this.#given, this.#viewport.scroller);
    fitCanvas(this.#canvas, this.#host, this.#viewport.zoom);
    this.#editor.isMirrored = this.#shape.isMirrored === true;
    this.#host.dir = this.#editor.isMirrored ? 'rtl' : 'ltr';
    this.#viewport.fit(this.#shape);
    this.#placeEditor();
    this.draw();
  }

  #frame(): Frame {
    const { clientWidth: width, clientHeight: height } = this.#host;
    return {
      ...this.#shape,
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
      onNeed: this.#fitted.note,
    };
  }

  #paint(): void {
    if (this.#frameRequest !== undefined) cancelAnimationFrame(this.#frameRequest);
    this.#frameRequest = undefined;
    const ratio = window.devicePixelRatio * this.#viewport.zoom;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const view = paint(this.#context, this.#frame());
    this.#source.look(seenRanges(view, { ...this.#shape, merged: this.#merged }));
    this.#view = view;
    this.#mirror.show({
      ...this.#shape,
      range: view,
      source: this.#source,
      selection: this.#selection,
      isReadOnly: this.#events.lockedBecause() !== undefined,
      isFormula: () => this.#events.isFormula?.(this.#selection.active) ?? false,
    });
    this.#note.refresh();
    if (this.#fitted.takeChange()) this.#refit(() => this.#fitRows());
  }

  #listen(): void {
    const { signal } = this.#abort;
    const { scroller } = this.#viewport;
    this.#viewport.listen(() => this.#scrolled(), signal);
    const pointed = this.#pointerParts();
    listenToPointer(scroller, pointed, signal);
    listenToTouch(scroller, pointed, signal);
    this.zooming.listen(signal);
    const clipped = { editor: this.#editor, source: this.#source, events: this.#events };
    const clipping = clippingOf({ ...clipped, keys: this.#keys, ...this.#now });
    listenToClipboard(this.#editor.element, clipping, signal);
  }

  #scrolled(): void {
    this.#note.follow(undefined);
    this.#placeEditor();
    this.draw();
  }

  #pointerParts(): Pointed {
    const under = new UnderPointer(this.#viewport, () => this.#hitLines());
    return {
      ...under.finders,
      reveal: (cell) => this.reveal(cell),
      ...this.#now,
      selectLines: (...lines) => this.selectLines(...lines),
      selectAll: () => this.#keys.selectAll(),
      linesOf: (lines, ends) => selectionOfLines(lines, ends, this.#shape),
      sizeOf: (lines, index) => this.#shape[lines].sizeOf(index),
      lastOf: (lines) => this.#shape[lines].count - 1,
      begin: () => {
        this.#keys.giveUp();
        this.#events.pointing?.()?.commit();
        this.#editor.commit();
      },
      end: () => this.focus(),
      edit: () => this.#keys.edit(),
      fillDown: () => this.#keys.fillDown(),
      hover: (cell) => this.#note.follow(cell && shownCell(this.#merged, cell)),
      fitColumns: (spans) => this.fitColumns(spans),
      isPointing: () => this.#typing.pointing() !== undefined,
      point: (selection) => this.#typing.point(selection),
      events: this.#events,
    };
  }

  reveal(cell: Partial<Address>): void {
    this.#viewport.reveal(cell);
    this.#scrolled();
  }

  #hitLines() {
    return {
      ...this.#shape,
      selected: rangeOfSelection(this.#selection),
      isFillable: this.#isFillable,
      filters: this.#source.records?.filters ?? [],
    };
  }

  get #isFillable(): boolean {
    const isLocked = this.#events.lockedBecause() !== undefined;
    return this.#events.onFill !== undefined && !isLocked && rangesOf(this.#selection).length === 1;
  }

  /** Selects whole rows or columns without scrolling. */
  selectLines(...[lines, first, last, also = []]: Parameters<LineSelect>): void {
    this.#selection = { ...selectionOfLines(lines, [first, last], this.#shape), also };
    this.#placeEditor();
    this.#events.onSelect(this.#selection);
    this.draw();
  }

  /** Makes columns as wide as their visible texts; those out of view stay. */
  fitColumns(spans: readonly LineSpan[]): void {
    const sizes = fittingSizes(this.#context, this.#source, { view: this.#view, spans });
    this.#events.onResize?.('columns', sizes);
  }

  #makeKeys(): GridKeys {
    return new GridKeys({
      editor: this.#editor,
      source: this.#source,
      events: this.#events,
      ...this.#now,
      page: () => {
        const { row0, row1, column0, column1 } = this.#view;
        return { rows: Math.max(1, row1 - row0 - 1), columns: Math.max(1, column1 - column0 - 1) };
      },
      selectLines: (lines, first, last) => this.selectLines(lines, first, last),
      clear: () => this.#clear(),
    });
  }

  #clear(): void {
    if (this.#events.lockedBecause() !== undefined) return;
    this.#events.onClear?.(rangesOf(this.#selection));
  }

  #makeTyping(): Typing {
    return new Typing({
      editor: this.#editor,
      events: this.#events,
      ...this.#now,
      reveal: (cell) => this.reveal(cell),
      lead: (way) => this.lead(way),
    });
  }

  get #merged(): readonly Range[] | undefined {
    return this.#source.records?.merged;
  }

  /** Current state of the grid. */
  get #now() {
    return {
      shape: () => ({ ...this.#shape, merged: this.#merged }),
      selection: () => this.#selection,
      select: (selection: Selection) => this.select(selection),
    };
  }

  #placeEditor(): void {
    // The field stays where it is while its cell is on another sheet.
    if (this.#typing.isAway) return;
    this.#editor.place(this.#boxOf(this.#selection.active));
  }

  /** Returns the box of a cell in pixels of the grid. */
  #boxOf({ row, column }: Address): Box {
    const { rows, columns, frozenRows, frozenColumns } = this.#shape;
    const dx = rowHeaderPx - (column < frozenColumns ? 0 : this.#viewport.x);
    const dy = columnHeaderPx - (row < frozenRows ? 0 : this.#viewport.y);
    const place = { dx, dy, merged: this.#merged };
    return shownBoxOf({ rows, columns }, place, { row, column });
  }
}
