import { cellName } from '../../../server/model/address.ts';
import { formatColour } from '../../../server/model/format-colour.ts';
import { quoteSheet, type Range } from '../../../server/model/range.ts';
import type { Service } from '../service.ts';
import { inputText } from '../sheet/input-text.ts';
import { RuleLooks, withLook, type LookRule } from './rule-looks.ts';
import type { Icon } from './rule-icons.ts';
import type { Bar } from './rule-scales.ts';

/** Style of a cell, as `formats` of the service has it (docs/api.md "Formats"). */
export interface CellStyle {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly underline?: string;
  readonly color?: Color;
  readonly fill?: Color | { readonly fg?: Color; readonly bg?: Color; readonly pattern?: string };
  readonly align?: string;
  readonly size?: number;
  readonly font?: string;
  readonly indent?: number;
  /** Degrees counter-clockwise, from -90 to 90. */
  readonly rotation?: number | 'vertical';
  readonly script?: string;
  readonly shrink?: boolean;
  readonly wrap?: boolean;
  readonly valign?: string;
  readonly numberFormat?: string;
  readonly border?: Readonly<Record<string, BorderLine>>;
}

export interface BorderLine {
  readonly style: string;
  readonly color?: Color;
}

export type Color = string | { readonly theme: number; readonly tint?: number };

/** A cell as drawn. */
export interface ShownCell {
  readonly text: string;
  readonly kind: 'blank' | 'text' | 'number' | 'boolean' | 'error';
  readonly style: CellStyle | undefined;
  /** True while a newer value is loading. */
  readonly isStale: boolean;
  /** A bar that a conditional format draws behind the text. */
  readonly bar?: Bar;
  /** An icon that a conditional format draws before the text. */
  readonly icon?: Icon;
}

interface Block {
  readonly row0: number;
  readonly column0: number;
  state: 'wanted' | 'loading' | 'ready' | 'failed';
  /** Position of its texts. */
  seq: number;
  /** Time since when another position is wanted; undefined if the texts are current. */
  staleAt: number | undefined;
  texts: readonly (readonly unknown[])[];
  values: readonly (readonly unknown[])[];
  styles: readonly (readonly number[])[];
  looks: readonly CellStyle[];
  abort: AbortController | undefined;
}

interface Slice {
  readonly rows: readonly (readonly unknown[])[];
}

interface Formats {
  readonly styles: readonly CellStyle[];
  readonly themeColors: readonly string[];
  readonly slices: readonly { readonly cells: readonly (readonly number[])[] }[];
}

export interface BlockSource {
  readonly workbookId: string;
  readonly sheet: string;
  /** Position such as `main@118`; blocks of a position never change. */
  readonly ref: string;
  /** True for inputs in the place of values. */
  readonly isOfInputs?: boolean;
}

const blockRows = 128;
const blockColumns = 32;
const blocksMost = 400;
const loadingMost = 3;
/** Time after which old texts are dimmed. */
const dimmedMs = 300;
const unloaded = { state: 'wanted', seq: 0, staleAt: undefined } as const;

/**
 * Cells of one sheet at one position, in blocks of 128 rows and 32 columns. Blocks are loaded when
 * they come into view, the nearest first, and dropped when they leave it.
 */
export class BlockStore {
  themeColors: readonly string[] = [];
  fault: Error | undefined;
  readonly #service: Service;
  readonly #onChange: () => void;
  readonly #blocks = new Map<string, Block>();
  #source: BlockSource;
  #loading = 0;
  #wanted: readonly Block[] = [];
  #dimming: ReturnType<typeof setTimeout> | undefined;
  readonly #waiters: (() => void)[] = [];
  /** Blocks whose values the service calculates, and how often it said so. */
  readonly #computing = new Map<Block, number>();
  readonly #ruleLooks: RuleLooks;

  constructor(service: Service, source: BlockSource, onChange: () => void) {
    this.#service = service;
    this.#source = source;
    this.#onChange = onChange;
    const onFault = (fault: Error) => {
      this.fault = fault;
      onChange();
    };
    this.#ruleLooks = new RuleLooks(service, source, { onChange, onFault });
  }

  /** Sets the conditional formats of the sheet, which override those of cells. */
  showRules(rules: readonly LookRule[]): void {
    this.#ruleLooks.take(rules);
  }

  /** Moves to another position of the same sheet; old texts stay until new ones are loaded. */
  moveTo(ref: string): void {
    if (ref !== this.#source.ref) this.#loadAnew({ ...this.#source, ref });
  }

  showInputs(isOfInputs: boolean): void {
    this.#loadAnew({ ...this.#source, isOfInputs });
  }

  #loadAnew(source: BlockSource): void {
    this.#source = source;
    this.#ruleLooks.moveTo(source);
    for (const block of this.#blocks.values()) {
      block.abort?.abort();
      block.abort = undefined;
      block.state = 'wanted';
      block.staleAt ??= performance.now();
    }
    clearTimeout(this.#dimming);
    this.#dimming = setTimeout(this.#onChange, dimmedMs);
    this.#pump();
  }

  /** True while the service calculates values of the view, and that takes more than a moment. */
  get isComputing(): boolean {
    return [...this.#computing.values()].some((count) => count > 1);
  }

  /** Position that all visible blocks have reached. */
  get reachedSeq(): number {
    return Math.min(...this.#wanted.map(({ seq }) => seq));
  }

  /** Resolves when the visible blocks are loaded, or have failed. */
  async settled(): Promise<void> {
    while (this.#wanted.some(({ state }) => state === 'wanted' || state === 'loading')) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  /** Returns the position of a cell's shown text; 0 if it has none. */
  seqAt(row: number, column: number): number {
    return this.#blocks.get(keyOf(row, column))?.seq ?? 0;
  }

  cellAt(row: number, column: number): ShownCell | undefined {
    const block = this.#blocks.get(keyOf(row, column));
    if (!block || block.texts.length === 0) return undefined;
    const [down, across] = [row - block.row0, column - block.column0];
    const text = block.texts[down]?.[across];
    const value = block.values[down]?.[across];
    const cell = {
      text: inputText(text),
      kind: kindOf(value),
      style: inFormatColour(block.looks[block.styles[down]?.[across] ?? 0], value),
      isStale: block.staleAt !== undefined && performance.now() - block.staleAt > dimmedMs,
    };
    return withLook(cell, this.#ruleLooks.at(row, column));
  }

  /** Loads the missing blocks of a view, and drops those that left it. */
  look(ranges: readonly Range[]): void {
    this.#ruleLooks.look(ranges);
    const seen = new Set<Block>();
    for (const { row0, row1, column0, column1 } of ranges) {
      const [top, left] = [row0 - (row0 % blockRows), column0 - (column0 % blockColumns)];
      for (let row = top; row <= row1; row += blockRows) {
        for (let column = left; column <= column1; column += blockColumns) {
          seen.add(this.#blockAt(row, column));
        }
      }
    }
    for (const block of this.#wanted) {
      if (!seen.has(block)) block.abort?.abort();
    }
    this.#wanted = [...seen];
    this.#pump();
  }

  #blockAt(row: number, column: number): Block {
    const key = keyOf(row, column);
    const known = this.#blocks.get(key);
    if (known) {
      this.#blocks.delete(key);
      this.#blocks.set(key, known);
      return known;
    }
    const block: Block = {
      row0: row - (row % blockRows),
      column0: column - (column % blockColumns),
      ...unloaded,
      texts: [],
      values: [],
      styles: [],
      looks: [],
      abort: undefined,
    };
    this.#blocks.set(key, block);
    for (const [oldest] of this.#blocks) {
      if (this.#blocks.size <= blocksMost) break;
      this.#blocks.delete(oldest);
    }
    return block;
  }

  #pump(): void {
    for (const block of this.#wanted) {
      if (this.#loading >= loadingMost) return;
      if (block.state === 'wanted') void this.#load(block);
    }
  }

  async #load(block: Block): Promise<void> {
    const { workbookId, sheet, ref, isOfInputs } = this.#source;
    const lens = isOfInputs === true ? 'input' : 'formatted';
    const abort = new AbortController();
    block.abort = abort;
    block.state = 'loading';
    this.#loading++;
    try {
      const range = rangeText(sheet, block);
      const ask = <Answer>(path: string) =>
        this.#service.ask<Answer>(`/v1/workbooks/${workbookId}/${path}`, {
          signal: abort.signal,
          onComputing: () => this.#noteComputing(block),
        });
      const query = `range=${encodeURIComponent(range)}&ref=${encodeURIComponent(ref)}`;
      const [texts, values, formats] = await Promise.all([
        ask<Slice>(`slice?${query}&lens=${lens}`),
        // Inputs are shown without waiting for values.
        isOfInputs === true ? undefined : ask<Slice>(`slice?${query}`),
        ask<Formats>(`formats?${query}`),
      ]);
      // An answer for an earlier position may arrive when another one is wanted.
      if (block.abort !== abort) return;
      block.texts = texts.rows;
      block.values = (values ?? texts).rows;
      block.looks = formats.styles;
      block.styles = formats.slices[0]?.cells ?? [];
      block.seq = Number(ref.slice(ref.lastIndexOf('@') + 1));
      block.staleAt = undefined;
      block.state = 'ready';
      this.themeColors = formats.themeColors;
      this.fault = undefined;
    } catch (error) {
      // A dropped block is loaded again when it comes back into view.
      if (block.abort === abort) block.state = abort.signal.aborted ? 'wanted' : 'failed';
      if (!abort.signal.aborted) this.fault = error as Error;
    } finally {
      this.#loading--;
      this.#computing.delete(block);
      this.#pump();
      for (const resolve of this.#waiters.splice(0)) resolve();
      this.#onChange();
    }
  }

  #noteComputing(block: Block): void {
    this.#computing.set(block, (this.#computing.get(block) ?? 0) + 1);
    this.#onChange();
  }

  /** Loads failed blocks again. */
  tryAgain(): void {
    this.fault = undefined;
    this.#ruleLooks.tryAgain();
    for (const block of this.#blocks.values()) {
      if (block.state === 'failed') block.state = 'wanted';
    }
    this.#pump();
  }

  close(): void {
    clearTimeout(this.#dimming);
    this.#ruleLooks.close();
    this.#wanted = [];
    for (const block of this.#blocks.values()) block.abort?.abort();
  }
}

function keyOf(row: number, column: number): string {
  return `${Math.floor(row / blockRows)}:${Math.floor(column / blockColumns)}`;
}

function rangeText(sheet: string, { row0, column0 }: Block): string {
  const last = cellName(
    Math.min(row0 + blockRows, 1_048_576) - 1,
    Math.min(column0 + blockColumns, 16_384) - 1,
  );
  return `${quoteSheet(sheet)}!${cellName(row0, column0)}:${last}`;
}

function kindOf(value: unknown): ShownCell['kind'] {
  if (value === null || value === undefined) return 'blank';
  if (typeof value === 'object') return 'error';
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number';
  return 'text';
}

/** Returns a style with the colour that its number format has for a value, if it has one. */
function inFormatColour(style: CellStyle | undefined, value: unknown): CellStyle | undefined {
  const color = style?.numberFormat && formatColour(style.numberFormat, value);
  return color ? { ...style, color } : style;
}
