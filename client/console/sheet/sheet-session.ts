import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { Marks } from '../diff/diff-page.ts';
import type { Arrow } from '../grid/edge.ts';
import type { GridShape } from '../grid/grid-events.ts';
import type { Pieces } from '../grid/pieces.ts';
import type { FollowedShift } from '../grid/selection.ts';
import type { GridSource, Mark } from '../grid/source.ts';
import type { Service } from '../service.ts';
import { BlockStore, type ShownCell } from '../store/block-store.ts';
import type { KeptTexts } from '../store/kept-texts.ts';
import { voidReasons } from '../../library/session-ends.ts';
import { LiveEdits } from '../store/live-edits.ts';
import { textAbove, type News, type Op } from '../store/overlay.ts';
import type { LivePeer } from '../store/peers.ts';
import { loadEdge, loadInput } from './cell-reads.ts';
import { ClipboardState } from './clipboard-state.ts';
import { FormulaSight } from './formula-sight.ts';
import { lockedBecause } from './locked-because.ts';
import { noRecords, type SheetRecords } from './sheet-records.ts';
import { NewsList, opsOf, outlineWith, usedWith, waitingOn } from './news.ts';
import { withUsed } from './sheet-shape.ts';
import {
  areAlike,
  loadSheet,
  loadState,
  shownSheets,
  type LoadedSheet,
  type SessionPlace,
  type SheetOutline,
} from './sheet-loading.ts';
import { shownOf } from './typed-cell.ts';

interface SessionEvents {
  readonly onChange: () => void;
  /** Called when lines of the shown sheet have moved. */
  readonly onShift: (shifts: readonly FollowedShift[]) => void;
  /** Called when another sheet is shown. */
  readonly onSheet: () => void;
}

const refreshMs = 60;

/** A branch, or one of its positions, in a page: cells, waiting edits, and who is there. */
export class SheetSession implements GridSource {
  readonly place: SessionPlace;
  readonly edits: LiveEdits;
  readonly clipboard = new ClipboardState(() => this.#events.onChange());
  sheets: readonly SheetOutline[] = [];
  sheet: SheetOutline | undefined;
  shape: GridShape | undefined;
  /** Merged areas, notes and comments of the sheet. */
  records: SheetRecords = noRecords;
  /** True to show inputs in the place of values. */
  isOfInputs = false;
  /** Newest known sequence number of the branch. */
  head = 0;
  /** Error in loading cells or sheets. */
  loadFault: Error | undefined;
  readonly formulas: FormulaSight;
  readonly service: Service;
  readonly #events: SessionEvents;
  readonly news = new NewsList();
  #shown = 0;
  #store: BlockStore | undefined;
  #view: readonly Range[] = [];
  #marks: Marks = new Map();
  #isRefreshing = false;
  #isClosed = false;
  #refreshedAt = 0;
  #choices = 0;

  constructor(
    { service, texts }: { readonly service: Service; readonly texts: KeptTexts },
    place: SessionPlace,
    events: SessionEvents,
  ) {
    this.service = service;
    this.place = place;
    this.#events = events;
    this.formulas = new FormulaSight(service, { ...place, branch: place.at.branch });
    const { workbookId, at, writer } = place;
    this.edits = new LiveEdits(
      { service, texts },
      { workbookId, branch: at.branch, writer },
      {
        onNews: (news, head) => this.#hear(news, head),
        onGap: (head, reason) => {
          // The new place of copied cells is unknown.
          this.clipboard.forget();
          this.news.clear();
          if (voidReasons.includes(reason)) void this.#reload();
          else this.#hear([], head);
        },
        onChange: () => this.#events.onChange(),
      },
    );
  }

  /** Shown position, as references of the service name it. */
  get source(): { readonly workbookId: string; readonly sheet: string; readonly ref: string } {
    const { workbookId } = this.place;
    return { workbookId, sheet: this.sheet?.name ?? '', ref: this.#ref(this.#shown) };
  }

  /** Position of the lines as they are shown. */
  get shownSeq(): number {
    return this.#shown;
  }

  /** True at the head of a branch; older positions are read-only. */
  get isHead(): boolean {
    return this.place.at.seq === undefined;
  }

  /** Reason why nothing can be typed; undefined if it can. */
  get lockedBecause(): string | undefined {
    return lockedBecause(this);
  }

  get peers(): readonly LivePeer[] {
    return this.edits.peers;
  }

  get refused(): LiveEdits['refused'] {
    return this.edits.refused;
  }

  get waitingCount(): number {
    return this.edits.waiting.length;
  }

  /** True while the service calculates what is in view. */
  get isComputing(): boolean {
    return this.#store?.isComputing === true;
  }

  get fault(): Error | undefined {
    return this.loadFault ?? this.#store?.fault;
  }

  get themeColors(): readonly string[] {
    return this.#store?.themeColors ?? [];
  }

  get named(): FormulaSight['all'] {
    return this.formulas.on(this.sheet?.name);
  }

  get copied(): readonly Range[] {
    return this.clipboard.piecesOn(this.sheet?.id);
  }

  noteAt({ row, column }: Address): string {
    return this.records.texts.get(`${row}:${column}`) ?? '';
  }

  async open(): Promise<void> {
    await this.#load(this.place.sheet);
    if (this.isHead && !this.#isClosed) await this.edits.open();
    this.#plan();
  }

  /** Shows the branch from its newest position, whatever was shown before. */
  async #load(sheet: string | undefined): Promise<void> {
    const { workbookId, at } = this.place;
    const state = await loadState(this.service, { workbookId, ...at });
    this.head = this.#shown = at.seq ?? state.head;
    this.sheets = state.sheets;
    await this.choose(sheet ?? '');
  }

  /** Loads a branch anew that has another history than the shown one. */
  async #reload(): Promise<void> {
    await this.#load(this.sheet?.name).catch((fault: Error) => (this.loadFault = fault));
    this.#events.onChange();
  }

  close(): void {
    this.#isClosed = true;
    this.edits.close();
    this.#store?.close();
  }

  /** Shows another sheet; of several choices the last one wins. */
  async choose(name: string): Promise<void> {
    const sheet = this.sheets.find((one) => one.name === name) ?? this.tabs[0];
    if (!sheet) return;
    const choice = ++this.#choices;
    const seq = this.#shown;
    const ref = this.#ref(seq);
    const store = this.#storeOf(sheet, ref);
    // The first cells are loaded together with the line sizes, because most people begin there.
    store.look([{ row0: 0, row1: 0, column0: 0, column1: 0 }]);
    const loaded = await loadSheet(this.service, this.place.workbookId, { sheet, ref });
    if (choice !== this.#choices || this.#isClosed) return store.close();
    // The branch may have moved meanwhile: the new sheet follows it from its own position.
    this.#shown = seq;
    this.#turn(sheet, loaded, store);
    this.#events.onChange();
    this.#plan();
  }

  /** Sheets with a tab. */
  get tabs(): readonly SheetOutline[] {
    return shownSheets(this.sheets);
  }

  /** Finds the cell that Ctrl and an arrow lead to, over any distance. */
  edgeOf(from: Address, arrow: Arrow, signal: AbortSignal): Promise<Address> {
    return loadEdge(this.service, this.source, { from, arrow, signal });
  }

  showPlace(cell: string): void {
    this.edits.show({ sheet: this.sheet?.name ?? null, cell });
  }

  cellAt(row: number, column: number): ShownCell | undefined {
    const cell = this.#store?.cellAt(row, column);
    const typed = this.#typedAt(row, column);
    return typed === undefined ? cell : shownOf(typed, cell?.style);
  }

  markAt(row: number, column: number): Mark | undefined {
    if (this.#typedAt(row, column) !== undefined) return 'waiting';
    return this.#marks.get(this.sheet?.name ?? '')?.get(`${row}:${column}`);
  }

  /** Marks cells, by the name of their sheet. */
  mark(marks: Marks): void {
    this.#marks = marks;
    this.#events.onChange();
  }

  look(ranges: readonly Range[]): void {
    this.#view = ranges;
    this.#store?.look(ranges);
  }

  turnInputs(): void {
    this.isOfInputs = !this.isOfInputs;
    this.#store?.showInputs(this.isOfInputs);
    this.#events.onChange();
  }

  tryAgain(): void {
    this.loadFault = undefined;
    this.#store?.tryAgain();
    this.#plan();
  }

  /** Returns the content of a cell as one would type it: `=SUM(A1:A3)`, `2.5`. */
  async inputAt(at: Address): Promise<string> {
    const typed = this.#typedAt(at.row, at.column);
    if (typed !== undefined || !this.sheet) return typed ?? '';
    return loadInput(this.service, this.source, at);
  }

  /** Notes copied or cut cells; returns their mark for the clipboard. */
  copy(pieces: Pieces, isCut: boolean): string {
    const { workbookId, at } = this.place;
    const place = { workbookId, branch: at.branch, sheet: this.sheet?.id ?? '' };
    return this.clipboard.copy({ ...place, pieces, isCut, seq: this.#shown });
  }

  /** Submits operations of one kind on the shown sheet. */
  apply(kind: string, ...payloads: readonly Readonly<Record<string, unknown>>[]): void {
    const { id: sheet = '' } = this.sheet ?? {};
    this.hand(...payloads.map((payload) => ({ kind, payload: { sheet, ...payload } })));
  }

  /** Submits operations on another sheet, or on none. */
  hand(...ops: readonly Op[]): void {
    this.clipboard.goOn();
    if (this.lockedBecause === undefined) this.edits.submit(ops, this.#addressSeq);
    else for (const op of ops) this.edits.keepTyped(op, this.lockedBecause);
  }

  /** Undoes the last edit of this page, or redoes the last undone one. */
  undo(isRedo: boolean): void {
    this.clipboard.goOn();
    this.edits.undo(isRedo ? 'redo' : 'undo', this.#addressSeq);
  }

  tryEditAgain(refused: LiveEdits['refused'][number]): void {
    this.edits.tryAgain(refused, this.#addressSeq);
  }

  get #addressSeq(): number {
    return this.news.addressSeq(this.#shown, this.head);
  }

  #typedAt(row: number, column: number): string | undefined {
    const { sheet, edits } = this;
    if (!sheet || edits.layers.length === 0) return undefined;
    const layers = edits.layers.filter((one) => one.sheet === sheet.id || one.sheet === sheet.name);
    return textAbove(layers, { row, column }, this.#store?.seqAt(row, column) ?? 0);
  }

  #hear(news: readonly News[], head: number): void {
    this.news.add(news, this.place.writer);
    this.sheets = this.sheets.map((one) => outlineWith(one, news));
    const { sheet, shape } = this;
    if (sheet && shape) this.shape = withUsed(shape, usedWith(shape.used, opsOf(sheet, news)));
    if (!this.isHead) return;
    this.head = Math.max(this.head, head);
    this.#plan();
  }

  /** Plans one look at all operations that arrive together. */
  #plan(): void {
    const isDone = this.head <= this.#shown && this.loadFault === undefined;
    if (this.#isRefreshing || this.#isClosed || isDone || this.#store === undefined) return;
    this.#isRefreshing = true;
    const wait = Math.max(0, this.#refreshedAt + refreshMs - performance.now());
    window.setTimeout(() => void this.#refresh(), wait);
  }

  async #refresh(): Promise<void> {
    const to = this.head;
    try {
      if (this.news.areCells(this.#shown, to)) this.#store?.moveTo(this.#ref(to));
      else await this.#follow(to);
      this.#shown = to;
      this.news.shown(to);
      this.loadFault = undefined;
      this.#events.onChange();
      await this.#store?.settled();
      this.edits.forgetBefore(this.#store?.reachedSeq ?? 0);
    } catch (fault) {
      this.loadFault = fault as Error;
    }
    this.#isRefreshing = false;
    this.#refreshedAt = performance.now();
    this.#events.onChange();
    if (this.loadFault === undefined) this.#plan();
  }

  /** Shows a later position whose lines may have moved, once all of its view is loaded. */
  async #follow(to: number): Promise<void> {
    const { workbookId, at } = this.place;
    const shown = this.sheet;
    const { sheets } = await loadState(this.service, { workbookId, branch: at.branch, seq: to });
    const sheet = sheets.find(({ id }) => id === shown?.id) ?? shownSheets(sheets)[0];
    if (!sheet) return;
    const ref = this.#ref(to);
    const loaded = await loadSheet(this.service, workbookId, { sheet, ref });
    const names = [sheet.id, sheet.name, shown?.name ?? sheet.name];
    const shifts = this.news.shifts(names, this.#shown, to);
    const isAsBefore = areAlike(sheet, shown) && shifts.length === 0;
    const store = await this.#storeAt(sheet, ref, isAsBefore);
    if (this.#isClosed) return;
    // Another sheet was chosen meanwhile, and is shown instead.
    if (this.sheet?.id !== shown?.id) return this.#follow(to);
    this.sheets = sheets.map((one) => outlineWith(one, this.news.after(to)));
    this.edits.shift(names, shifts);
    this.#shiftCopied(to);
    this.#turn(sheet, loaded, store);
    if (shifts.length > 0) this.#events.onShift(shifts);
  }

  #shiftCopied(to: number): void {
    const of = this.clipboard.cells?.sheet;
    const names = this.sheets.flatMap(({ id, name }) => (id === of ? [id, name] : []));
    this.clipboard.shift(this.news.shifts(names, this.#shown, to));
  }

  /** Keeps blocks whose lines are in place, else loads those of the view again. */
  async #storeAt(sheet: SheetOutline, ref: string, isAsBefore: boolean): Promise<BlockStore> {
    if (isAsBefore && this.#store) {
      this.#store.moveTo(ref);
      return this.#store;
    }
    const store = this.#storeOf(sheet, ref);
    store.look(this.#view);
    await store.settled();
    return store;
  }

  #storeOf(sheet: SheetOutline, ref: string): BlockStore {
    const { isOfInputs } = this;
    const source = { workbookId: this.place.workbookId, sheet: sheet.name, ref, isOfInputs };
    return new BlockStore(this.service, source, () => this.#events.onChange());
  }

  #turn(sheet: SheetOutline, { shape, records }: LoadedSheet, store: BlockStore): void {
    if (store !== this.#store) this.#store?.close();
    this.#store = store;
    const isOther = this.sheet?.id !== sheet.id;
    this.sheet = sheet;
    this.shape = withUsed(shape, usedWith(shape.used, waitingOn(sheet, this.edits.waiting)));
    this.records = records;
    store.showRules(records.rules);
    if (isOther) this.#events.onSheet();
  }

  #ref(seq: number): string {
    return `${this.place.at.branch}@${this.place.at.seq ?? seq}`;
  }
}
