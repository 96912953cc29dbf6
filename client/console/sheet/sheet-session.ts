import { cellName, parseAddress, type Address } from '../../../server/model/address.ts';
import { parseRange, quoteSheet, rangeName, type Range } from '../../../server/model/range.ts';
import { positionText, type Position } from '../address.ts';
import type { GridShape } from '../grid/grid.ts';
import type { GridSource, Mark } from '../grid/source.ts';
import type { Service } from '../service.ts';
import { BlockStore, type ShownCell } from '../store/block-store.ts';
import { EditQueue, type PendingEdit, type RefusedEdit } from '../store/edit-queue.ts';
import { inputText } from './input-text.ts';
import { loadLying, nothingLies, type Lying } from './lying.ts';
import { shapeOf, type LineFormats } from './sheet-shape.ts';
import { LiveBranch, type LivePeer, type LiveState } from '../store/live.ts';

export interface SheetOutline {
  readonly id: string;
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly used: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

interface BranchState {
  readonly branch: string;
  readonly head: number;
  readonly sheets: readonly SheetOutline[];
}

export interface SessionPlace {
  readonly workbookId: string;
  readonly at: Position;
  readonly sheet: string | undefined;
  readonly writer: string;
}

const refreshMs = 120;

/** One branch, or one position of it, as somebody looks at it: cells, edits that wait, who is there. */
export class SheetSession implements GridSource {
  readonly place: SessionPlace;
  sheets: readonly SheetOutline[] = [];
  sheet: SheetOutline | undefined;
  shape: GridShape | undefined;
  /** The newest sequence known of the branch. */
  head = 0;
  peers: readonly LivePeer[] = [];
  liveState: LiveState = 'connecting';
  refused: readonly RefusedEdit[] = [];
  readonly #service: Service;
  readonly #onChange: () => void;
  readonly #edits: EditQueue;
  #store: BlockStore | undefined;
  #live: LiveBranch | undefined;
  #refresh: number | undefined;
  #lying: Lying = nothingLies;
  /** References of the formula at the active cell to this sheet. */
  named: readonly Range[] = [];
  readonly #done: { readonly undo: number[]; readonly redo: number[] } = { undo: [], redo: [] };

  constructor(service: Service, place: SessionPlace, onChange: () => void) {
    this.#service = service;
    this.place = place;
    this.#onChange = onChange;
    const { workbookId, at, writer } = place;
    const path = `/v1/workbooks/${workbookId}/branches/${encodeURIComponent(at.branch)}/ops`;
    this.#edits = new EditQueue(
      service,
      { path, writer },
      {
        onApplied: (edit, head, seq) => this.#applied(edit, head, seq),
        onRefused: (refused) => {
          this.refused = [...this.refused, refused];
          onChange();
        },
        onChange,
      },
    );
  }

  /** The position that is shown, as reads of the service name it. */
  get source(): { readonly workbookId: string; readonly sheet: string; readonly ref: string } {
    const { workbookId } = this.place;
    return { workbookId, sheet: this.sheet?.name ?? '', ref: this.#ref() };
  }

  /** True at the head of a branch: older positions are read only. */
  get isHead(): boolean {
    return this.place.at.seq === undefined;
  }

  get waitingCount(): number {
    return this.#edits.waiting.length;
  }

  get isOffline(): boolean {
    return this.#edits.isOffline || this.liveState === 'offline';
  }

  get fault(): Error | undefined {
    return this.#store?.fault;
  }

  get themeColors(): readonly string[] {
    return this.#store?.themeColors ?? [];
  }

  async open(): Promise<void> {
    await this.#loadState();
    const { workbookId, at, writer } = this.place;
    if (!this.isHead) return;
    this.#live = new LiveBranch(
      this.#service,
      { workbookId, branch: at.branch, writer },
      {
        onHead: (head) => this.#moveHead(head),
        onPeers: (peers) => {
          this.peers = peers;
          this.#onChange();
        },
        onState: (state) => {
          this.liveState = state;
          this.#onChange();
        },
      },
    );
  }

  close(): void {
    window.clearTimeout(this.#refresh);
    this.#live?.close();
    this.#edits.close();
    this.#store?.close();
  }

  async choose(name: string): Promise<void> {
    this.sheet = this.sheets.find((sheet) => sheet.name === name) ?? this.sheets[0];
    this.#store?.close();
    this.#store = undefined;
    if (this.sheet) {
      const { workbookId } = this.place;
      const source = { workbookId, sheet: this.sheet.name, ref: this.#ref() };
      this.#store = new BlockStore(this.#service, source, this.#onChange);
      await this.#loadShape(this.sheet);
    }
    this.#onChange();
  }

  showPlace(cell: string): void {
    this.#live?.show({ sheet: this.sheet?.name ?? null, cell });
  }

  cellAt(row: number, column: number): ShownCell | undefined {
    const cell = this.#store?.cellAt(row, column);
    const typed = this.#pendingAt(row, column);
    if (typed === undefined) return cell;
    return {
      text: typed,
      kind: typed === '' ? 'blank' : 'text',
      style: cell?.style,
      isStale: true,
    };
  }

  markAt(row: number, column: number): Mark | undefined {
    return this.#pendingAt(row, column) === undefined ? undefined : 'waiting';
  }

  look(range: Range): void {
    this.#store?.look(range);
  }

  tryAgain(): void {
    this.#store?.tryAgain();
  }

  /** Returns what stands in a cell, as it is typed: `=SUM(A1:A3)`, `2.5`. */
  async inputAt({ row, column }: Address): Promise<string> {
    const typed = this.#pendingAt(row, column);
    if (typed !== undefined || !this.sheet) return typed ?? '';
    const range = `${quoteSheet(this.sheet.name)}!${cellName(row, column)}`;
    const query = `range=${encodeURIComponent(range)}&ref=${encodeURIComponent(this.#ref())}&lens=input`;
    const { rows } = await this.#service.ask<{ rows: unknown[][] }>(
      `/v1/workbooks/${this.place.workbookId}/slice?${query}`,
    );
    return inputText(rows[0]?.[0]);
  }

  enter({ row, column }: Address, input: string): void {
    const a1 = cellName(row, column);
    this.#add(
      'cells.set',
      { parse: true, cells: [{ a1, input }] },
      {
        shown: new Map([[placeKey(row, column), input]]),
        text: `${a1} = ${input}`,
      },
    );
  }

  clear(range: Range): void {
    const shown = new Map<string, string>();
    const cells = (range.row1 - range.row0 + 1) * (range.column1 - range.column0 + 1);
    if (cells <= 10_000) for (const key of placesOf(range)) shown.set(key, '');
    this.#add(
      'range.clear',
      { range: rangeName(range), what: ['values'] },
      { shown, text: `clear ${rangeName(range)}` },
    );
  }

  paste(at: Address, rows: readonly (readonly string[])[]): void {
    const width = Math.max(...rows.map((row) => row.length));
    const inputs = rows.map((row) => Array.from({ length: width }, (_, index) => row[index] ?? ''));
    const range = {
      row0: at.row,
      column0: at.column,
      row1: at.row + rows.length - 1,
      column1: at.column + width - 1,
    };
    const shown = new Map<string, string>();
    for (const [down, row] of inputs.entries()) {
      for (const [across, text] of row.entries())
        shown.set(placeKey(at.row + down, at.column + across), text);
    }
    this.#add(
      'range.set',
      { range: rangeName(range), parse: true, inputs },
      { shown, text: `paste into ${rangeName(range)}` },
    );
  }

  /** Adds an operation of any kind; `text` tells it in words. The sheet is this one. */
  apply(kind: string, payload: Readonly<Record<string, unknown>>, text: string): void {
    this.#add(kind, payload, { shown: new Map(), text });
  }

  get merged(): readonly Range[] {
    return this.#lying.merged;
  }

  get notes(): readonly Address[] {
    return this.#lying.notes;
  }

  noteAt({ row, column }: Address): string {
    return this.#lying.texts.get(placeKey(row, column)) ?? '';
  }

  /** Takes back the last edit of this page, or does again what was taken back last. */
  undo(isRedo: boolean): void {
    const seq = (isRedo ? this.#done.redo : this.#done.undo).pop();
    if (seq === undefined) return;
    this.#add(
      'undo',
      { of: seq },
      { shown: new Map(), text: isRedo ? 'redo' : 'undo', undoes: isRedo ? 'redo' : 'undo' },
    );
  }

  dismiss(refused: RefusedEdit): void {
    this.refused = this.refused.filter((one) => one !== refused);
    this.#onChange();
  }

  #add(
    kind: string,
    payload: Readonly<Record<string, unknown>>,
    told: {
      readonly shown: ReadonlyMap<string, string>;
      readonly text: string;
      readonly undoes?: 'undo' | 'redo';
    },
  ): void {
    const sheet = this.sheet?.name ?? '';
    const id = `${told.undoes ?? 'edit'}-${crypto.randomUUID()}`;
    const full = kind === 'undo' ? payload : { sheet, ...payload };
    this.#edits.add({
      id,
      kind,
      payload: full,
      baseSeq: this.head,
      shown: told.shown,
      sheet,
      text: told.text,
    });
  }

  #applied(edit: PendingEdit, head: number, seq: number | undefined): void {
    if (seq !== undefined) {
      if (edit.id.startsWith('undo-')) this.#done.redo.push(seq);
      else this.#done.undo.push(seq);
      if (edit.id.startsWith('edit-')) this.#done.redo.length = 0;
    }
    this.#moveHead(head);
  }

  #pendingAt(row: number, column: number): string | undefined {
    const key = placeKey(row, column);
    for (const { sheet, shown } of this.#edits.waiting.toReversed()) {
      const text = sheet === this.sheet?.name ? shown.get(key) : undefined;
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Many operations that come at once are looked at once. */
  #moveHead(head: number): void {
    if (head <= this.head || !this.isHead) return;
    this.head = head;
    this.#refresh ??= window.setTimeout(() => {
      this.#refresh = undefined;
      this.#store?.moveTo(this.#ref());
      void this.#loadState().then(() => this.#onChange());
      this.#onChange();
    }, refreshMs);
  }

  async #loadState(): Promise<void> {
    const { workbookId, at, sheet } = this.place;
    const query = at.seq === undefined ? '' : `?ref=${encodeURIComponent(positionText(at))}`;
    const path = `/v1/workbooks/${workbookId}/branches/${encodeURIComponent(at.branch)}/state${query}`;
    const state = await this.#service.ask<BranchState>(path);
    this.head = Math.max(this.head, at.seq ?? state.head);
    this.sheets = state.sheets;
    const current = this.sheets.find(({ id }) => id === this.sheet?.id);
    if (!current) await this.choose(sheet ?? this.sheets[0]?.name ?? '');
    else {
      const isRenamed = current.name !== this.sheet?.name;
      this.sheet = current;
      if (isRenamed) await this.choose(current.name);
      else await this.#loadShape(current);
    }
  }

  async #loadShape(sheet: SheetOutline): Promise<void> {
    const used = parseRange(sheet.used ?? 'A1') ?? { row0: 0, column0: 0, row1: 0, column1: 0 };
    const quoted = quoteSheet(sheet.name);
    const ranges = ['1:1', 'A:A'].map(
      (lines) => `range=${encodeURIComponent(`${quoted}!${lines}`)}`,
    );
    const query = `${ranges.join('&')}&ref=${encodeURIComponent(this.#ref())}`;
    const path = `/v1/workbooks/${this.place.workbookId}/formats?${query}`;
    const [across, down] = (await this.#service.ask<LineFormats>(path)).slices;
    const { workbookId } = this.place;
    const ref = this.#ref();
    this.#lying = await loadLying(this.#service, workbookId, { sheet: sheet.name, ref });
    this.shape = shapeOf(sheet, used, { across, down });
  }

  #ref(): string {
    return `${this.place.at.branch}@${this.place.at.seq ?? this.head}`;
  }
}

function placeKey(row: number, column: number): string {
  return `${row}:${column}`;
}

function* placesOf(range: Range): Generator<string> {
  for (let { row0: row } = range; row <= range.row1; row++) {
    for (let { column0: column } = range; column <= range.column1; column++)
      yield placeKey(row, column);
  }
}

/** Returns the cell that a text such as `b7` names. */
export function readCell(text: string): Address | undefined {
  return parseAddress(text.trim());
}
