import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import { isFilledAt } from '../grid/edge.ts';
import type { ShownCell } from '../store/block-store.ts';
import { loadRange } from './cell-reads.ts';
import type { SheetSession } from './sheet-session.ts';

const blockRows = 2_048;
const blockColumns = 32;

type Rows = readonly (readonly unknown[])[];

/** Kinds of the cells of a sheet, filled or blank; cells out of view are loaded in blocks. */
export class FilledCells {
  readonly used: Range;
  readonly source = this;
  readonly #session: SheetSession;
  readonly #place: SheetSession['source'];
  readonly #blocks = new Map<string, Rows>();
  #missing: Address | undefined;

  constructor(session: SheetSession, used: Range) {
    this.used = used;
    this.#session = session;
    this.#place = session.source;
  }

  /** Returns the kind of a cell; undefined if its block has to be loaded. */
  cellAt(row: number, column: number): Pick<ShownCell, 'kind'> | undefined {
    const shown = this.#session.cellAt(row, column);
    if (shown && !shown.isStale) return shown;
    const [row0, column0] = [row - (row % blockRows), column - (column % blockColumns)];
    const rows = this.#blocks.get(`${row0}:${column0}`);
    if (!rows) {
      this.#missing = { row: row0, column: column0 };
      return undefined;
    }
    const isBlank = (rows[row - row0]?.[column - column0] ?? null) === null;
    return { kind: isBlank ? 'blank' : 'text' };
  }

  /** Returns whether a cell holds anything. */
  async has(row: number, column: number): Promise<boolean> {
    for (;;) {
      const isFilled = isFilledAt({ row, column }, this);
      if (isFilled !== undefined) return isFilled;
      await this.loadMissing();
    }
  }

  /** Loads the block that was missing last; all blocks are of one position. */
  async loadMissing(): Promise<void> {
    if (!this.#missing) return;
    const { row: row0, column: column0 } = this.#missing;
    const range = {
      row0,
      column0,
      row1: Math.min(this.used.row1, row0 + blockRows - 1),
      column1: Math.min(this.used.column1, column0 + blockColumns - 1),
    };
    const rows = await loadRange(this.#session.service, this.#place, { range, lens: 'value' });
    this.#blocks.set(`${row0}:${column0}`, rows);
  }
}
