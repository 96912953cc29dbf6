import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { GridSource } from '../grid/source.ts';
import { positionText } from '../address.ts';
import { Axis } from '../grid/geometry.ts';
import type { GridShape } from '../grid/grid-events.ts';
import type { Service } from '../service.ts';
import { inputText } from '../sheet/input-text.ts';
import type { ShownCell } from '../store/block-store.ts';
import { Problem } from '../service.ts';
import type { Row, RowPage, ShownPage } from './table.ts';

const pageRows = 200;
const pagesMost = 200;

interface Page {
  readonly rows: readonly Row[];
  /** Formatted texts of the rows, such as dates; empty until they are loaded. */
  readonly texts: readonly (readonly (string | null)[])[];
}

interface Asked {
  readonly path: string;
  /** Query that filters and sorts the rows, without `offset` and `limit`. */
  readonly query: string;
}

/**
 * Rows of a table for a grid: column names in the first row, pages loaded as they come into view.
 */
export class RowSource implements GridSource {
  readonly themeColors: readonly string[] = [];
  columns: readonly string[] = [];
  total = 0;
  /** Number of rows for which the condition is an error. */
  faulty = 0;
  error: Error | undefined;
  /** True while the service calculates values of the rows. */
  isComputing = false;
  readonly #service: Service;
  readonly #asked: Asked;
  readonly #onChange: () => void;
  readonly #pages = new Map<number, Page | 'loading'>();
  readonly #abort = new AbortController();
  /** Number of times that all rows were loaded anew; answers to earlier requests do not count. */
  #round = 0;

  constructor(service: Service, asked: Asked, onChange: () => void) {
    this.#service = service;
    this.#asked = asked;
    this.#onChange = onChange;
    void this.#load(0);
  }

  get shape(): GridShape | undefined {
    if (this.columns.length === 0) return undefined;
    const used = { row0: 0, column0: 0, row1: this.total, column1: this.columns.length - 1 };
    return {
      rows: new Axis(this.total + 1, 24),
      columns: new Axis(this.columns.length, 140),
      frozenRows: 1,
      frozenColumns: 0,
      hasGridlines: true,
      used,
    };
  }

  cellAt(row: number, column: number): ShownCell | undefined {
    const name = this.columns[column] ?? '';
    if (row === 0) return { text: name, kind: 'text', style: { bold: true }, isStale: false };
    const line = this.rowAt(row);
    if (!line) return undefined;
    const value = line[name];
    const text = this.shownAt({ row, column }) ?? inputText(value);
    return { text, kind: kindOf(value), style: undefined, isStale: false };
  }

  markAt(): undefined {
    return undefined;
  }

  /** Returns the table row of a grid row, once it is loaded. */
  rowAt(row: number): Row | undefined {
    const page = this.#pages.get(Math.floor((row - 1) / pageRows));
    return typeof page === 'object' ? page.rows[(row - 1) % pageRows] : undefined;
  }

  /** Returns the formatted text of a cell, once it is loaded. */
  shownAt({ row, column }: Address): string | undefined {
    const page = this.#pages.get(Math.floor((row - 1) / pageRows));
    if (typeof page !== 'object') return undefined;
    return page.texts[(row - 1) % pageRows]?.[column] ?? undefined;
  }

  /** Returns the text for editing a cell: the value without its format. */
  textAt({ row, column }: Address): string {
    return inputText(this.rowAt(row)?.[this.columns[column] ?? '']);
  }

  look(ranges: readonly Range[]): void {
    for (const range of ranges) this.#want(range);
  }

  #want({ row0, row1 }: Range): void {
    const [first, last] = [Math.max(0, row0 - 1), Math.min(this.total, row1) - 1];
    for (let page = Math.floor(first / pageRows); page * pageRows <= last; page++) {
      if (!this.#pages.has(page)) void this.#load(page);
    }
  }

  close(): void {
    this.#abort.abort();
  }

  /** Loads the known rows anew, and shows them as they were meanwhile. */
  reload(): void {
    this.#round++;
    this.error = undefined;
    for (const page of this.#pages.keys()) void this.#load(page);
    if (this.#pages.size === 0) void this.#load(0);
  }

  async #load(page: number): Promise<void> {
    const round = this.#round;
    if (!this.#pages.has(page)) this.#pages.set(page, 'loading');
    const { path, query } = this.#asked;
    const { signal } = this.#abort;
    try {
      const asked = new URLSearchParams(query);
      asked.set('offset', String(page * pageRows));
      asked.set('limit', String(pageRows));
      const onComputing = () => {
        this.isComputing = true;
        this.#onChange();
      };
      const answer = await this.#service.ask<RowPage>(`${path}?${asked}`, { signal, onComputing });
      this.isComputing = false;
      if (round !== this.#round) return;
      const { rows, ref } = answer;
      this.columns = answer.columns;
      this.total = answer.total;
      this.faulty = answer.errors ?? 0;
      // Rows that are loaded anew are shown once their texts are there.
      if (this.#pages.get(page) === 'loading') this.#pages.set(page, { rows, texts: [] });
      this.#onChange();
      asked.set('ref', positionText(ref));
      asked.set('lens', 'formatted');
      asked.set('as', 'lists');
      const shown = await this.#service.ask<ShownPage>(`${path}?${asked}`, { signal });
      if (round !== this.#round) return;
      this.#pages.set(page, { rows, texts: shown.rows });
      for (const [oldest] of this.#pages) {
        if (this.#pages.size <= pagesMost) break;
        this.#pages.delete(oldest);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.error = error instanceof Problem ? error : new Error(String(error));
    }
    this.#onChange();
  }
}

function kindOf(value: unknown): ShownCell['kind'] {
  if (value === null || value === undefined) return 'blank';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'object' ? 'error' : 'text';
}
