import { Pace } from '../branches/pace.ts';
import type { Pool } from '../compute/pool.ts';
import { cellName } from '../model/address.ts';
import type { Value } from '../model/cell-value.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { referenceName } from '../model/reference.ts';
import { isAbove, type Ceiling, type Ceilings } from './ceiling.ts';
import type { Computation, Computations } from './computations.ts';
import type { ModelView } from './model.ts';
import type { Place } from '../branches/place.ts';
import type { Models } from './models.ts';
import type { BlockCell } from '../../workers/value-block.ts';
import { packModel } from './results/pack.ts';
import { StoredResult } from './results/results.ts';

/** A filled cell in an answer. */
export interface ValueCell {
  readonly sheet: string;
  readonly cell: string;
  readonly value: Value;
}

export interface ValuesPage {
  readonly seq: number;
  readonly total: number;
  readonly values: readonly ValueCell[];
}

/** All values of a position, in blocks of workers/value-block.ts. */
export interface AllValues {
  readonly seq: number;
  readonly total: number;
  readonly blockCount: number;
  readonly blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  /** Seconds to wait before answering that values are being computed. */
  readonly waitSeconds: number;
}

export interface ValuesOptions {
  readonly models: Models;
  readonly computations: Computations;
  readonly pool: Pick<Pool, 'run'>;
  readonly ceilings: Ceilings;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** Time for building a model before a read counts as a background computation. */
const openMilliseconds = 2000;
const readCells = 4096;

/** Size compared with the ceiling, and the position where it was counted. */
interface Size {
  readonly seq: number;
  readonly cells: number;
  readonly grid: number;
}

/** Reads whole states, which are computed in the background above the ceiling. */
export class Values {
  readonly #options: ValuesOptions;

  constructor(options: ValuesOptions) {
    this.#options = options;
  }

  /** Reads a page; undefined while the values are being computed. */
  async read(place: Place, page: PageRequest): Promise<ValuesPage | undefined> {
    const values: ValueCell[] = [];
    const scanned = await this.scan(place, page, ({ sheet, row, column, value }) => {
      values.push({ sheet, cell: cellName(row, column), value });
      return true;
    });
    return scanned && { ...scanned, values };
  }

  /**
   * Visits the cells of a page until `visit` returns false; undefined while values are being
   * computed.
   */
  async scan(
    place: Place,
    page: PageRequest,
    visit: (cell: BlockCell) => boolean,
  ): Promise<Omit<ValuesPage, 'values'> | undefined> {
    const { models, environment } = this.#options;
    const source = await this.#sourceOf(place, page.waitSeconds);
    if (source === undefined) return undefined;
    const pace = new Pace(environment);
    if (source instanceof StoredResult) return scanStored(source, page, { pace, visit });
    return models.use(source, true, (view) => scanModel(view, page, { pace, visit }));
  }

  /** Returns all values in blocks, or undefined while they are being computed. */
  async readAll(place: Place, waitSeconds: number): Promise<AllValues | undefined> {
    const { models, pool } = this.#options;
    const source = await this.#sourceOf(place, waitSeconds);
    if (source === undefined) return undefined;
    if (source instanceof StoredResult) {
      const { seq, total, blockCount } = source;
      return { seq, total, blockCount, blocks: source.blocks() };
    }
    return models.use(source, true, async (view) => {
      const { valueCount: total } = view.kernel;
      const blocks: Uint8Array[] = [];
      for await (const block of packModel(view, { pool })) blocks.push(block);
      return { seq: view.position.seq, total, blockCount: blocks.length, blocks };
    });
  }

  /**
   * Returns the stored result, or the place of the model below the ceiling; undefined for neither
   * yet.
   */
  async #sourceOf(place: Place, waitSeconds: number): Promise<StoredResult | Place | undefined> {
    const { models, computations } = this.#options;
    if (!models.holds(place) && !place.onto) {
      // Reading a stored result is faster than building a model.
      const stored = await computations.find(place);
      if (stored) return stored;
    }
    const waitMilliseconds = waitSeconds * 1000;
    const size = await this.#within(
      this.#sizeOf(place),
      Math.max(openMilliseconds, waitMilliseconds),
    );
    if (size === undefined) return undefined;
    // The position is fixed here, so that the computed one is answered.
    const settled = { ...place, seq: Math.max(place.seq, size.seq) };
    if (!this.#isAbove(place, size)) return settled;
    if (place.onto) throw tooLargeToPreview(place);
    const pinned = { ...settled, isPinned: true };
    const computation = await computations.ensure(pinned, {
      cells: size.cells,
      waitMilliseconds,
    });
    if (computation.kind === 'failed') throw failedBefore(settled, computation.message);
    return computation.kind === 'computed' ? computation.result : undefined;
  }

  /** Ends the computation of a position; returns whether there was one. */
  async cancel(place: Place): Promise<boolean> {
    if (place.onto) return false;
    return this.#options.computations.cancel({ ...place, isPinned: true });
  }

  /** Returns the state of the computation of a position; undefined below the ceiling. */
  async computation(place: Place): Promise<Computation | undefined> {
    const size = await this.#sizeOf(place);
    if (!this.#isAbove(place, size)) return undefined;
    return this.#options.computations.look({ ...place, seq: size.seq, isPinned: true });
  }

  /** Computes the values of a place, unless it is above the ceiling. */
  async warm(place: Place): Promise<void> {
    const { models } = this.#options;
    const size = await this.#sizeOf(place);
    const settled = { ...place, seq: Math.max(place.seq, size.seq) };
    if (!this.#isAbove(place, size)) await models.use(settled, true, () => undefined);
  }

  /** Changes the ceiling of a workbook, and drops its earlier computations. */
  async moveCeiling(workbookId: string, ceiling: Ceiling): Promise<void> {
    this.#options.ceilings.move(workbookId, ceiling);
    await this.#options.computations.forget(workbookId);
  }

  #sizeOf(place: Place): Promise<Size> {
    return this.#options.models.use(place, false, ({ kernel, sheets, position }) => {
      return { seq: position.seq, cells: kernel.valueCount, grid: sheets.grid };
    });
  }

  #isAbove(place: Place, size: Size): boolean {
    return isAbove(this.#options.ceilings.of(place.address.workbookId), size);
  }

  /**
   * Waits for work for a time; undefined if it takes longer, after which its failure is reported.
   */
  async #within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | undefined> {
    let isLate = false;
    work.catch((error: unknown) => {
      if (isLate) this.#options.report('open a workbook', error);
    });
    let cancel: (() => void) | undefined;
    const late = new Promise<undefined>((resolve) => {
      cancel = this.#options.environment.after(milliseconds, () => resolve(undefined));
    });
    const result = await Promise.race([work, late]);
    cancel?.();
    isLate = result === undefined;
    return result;
  }
}

function failedBefore({ branch, seq }: Place, message: string): Failure {
  return new Failure('evaluationFailed', {
    detail: `The calculation of ${referenceName(branch, seq)} failed: ${message}`,
    hint: 'Read with lens=formula to look at the formulas; undo the last change if it goes on.',
  });
}

function tooLargeToPreview({ branch }: Place): Failure {
  return new Failure('rangeTooLarge', {
    detail: 'The merge has too many cells to calculate them all before it is applied.',
    hint: `Read ranges of it: GET …/slice?ref=${branch}&range=…`,
  });
}

interface Scan {
  readonly pace: Pace;
  readonly visit: (cell: BlockCell) => boolean;
}

async function scanStored(
  stored: StoredResult,
  { offset, limit }: PageRequest,
  { pace, visit }: Scan,
): Promise<Omit<ValuesPage, 'values'>> {
  const { seq, total } = stored;
  let visited = 0;
  for await (const cells of stored.cells(offset, offset + limit)) {
    for (const cell of cells) {
      if (!visit(cell)) return { seq, total };
      visited++;
      if (visited % readCells === 0 && pace.isDue) await pace.rest();
    }
  }
  return { seq, total };
}

async function scanModel(
  { kernel, sheets, position: { seq } }: ModelView,
  { offset, limit }: PageRequest,
  { pace, visit }: Scan,
): Promise<Omit<ValuesPage, 'values'>> {
  const names = new Map(sheets.all.map(({ key, name }) => [key, name]));
  const total = kernel.valueCount;
  const end = Math.min(total, offset + limit);
  const wish = { isOver: false };
  for (let at = offset; at < end && !wish.isOver;) {
    at += kernel.readValues(at, Math.min(readCells, end - at), ({ sheet, row, column, value }) => {
      if (!wish.isOver) wish.isOver = !visit({ sheet: names.get(sheet) ?? '', row, column, value });
    });
    if (pace.isDue) await pace.rest();
  }
  return { seq, total };
}
