import { LRUCache } from 'lru-cache';

import { Pace } from '../branches/pace.ts';
import { cellName } from '../model/address.ts';
import type { Value } from '../model/cell-value.ts';
import type { Environment } from '../model/environment.ts';
import { referenceName } from '../model/reference.ts';
import { isAbove, type Ceiling, type Ceilings } from './ceiling.ts';
import type { ModelView } from './model.ts';
import type { Place } from '../branches/place.ts';
import type { Models } from './models.ts';

/** One non-blank cell, as it goes over the wire. */
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

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  /** How long the client would rather wait than be told that the values are being computed. */
  readonly waitSeconds: number;
}

export interface ValuesOptions {
  readonly models: Models;
  readonly ceilings: Ceilings;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** The model of a workbook that nobody read for a while is built first; this long is no background. */
const openMilliseconds = 2000;
const readCells = 4096;
const computedMost = 10_000;

/** Reads of whole states, computed in the background where they are above the ceiling. */
export class Values {
  readonly #options: ValuesOptions;
  /** Background computations by position; whoever asks for the same one waits for the same one. */
  readonly #jobs = new Map<string, Promise<void>>();
  /** Positions above the ceiling whose values were computed. */
  readonly #computed = new LRUCache<string, true>({ max: computedMost });

  constructor(options: ValuesOptions) {
    this.#options = options;
  }

  /** A page, or undefined while the values are being computed. */
  async read(place: Place, page: PageRequest): Promise<ValuesPage | undefined> {
    const { models, environment } = this.#options;
    const waitMilliseconds = page.waitSeconds * 1000;
    const opening = models.use(place, false, ({ kernel, sheets, position }) => {
      return { seq: position.seq, cells: kernel.valueCount, grid: sheets.grid };
    });
    const opened = await this.#within(opening, Math.max(openMilliseconds, waitMilliseconds));
    if (opened === undefined) return undefined;
    // From here on the position is fixed: what is computed is what will be answered.
    const settled = { ...place, seq: Math.max(place.seq, opened.seq) };
    if (this.#isBackground(settled, opened)) {
      const job = this.#compute(settled);
      const isDone = await this.#within(
        job.then(() => true),
        waitMilliseconds,
      );
      if (isDone === undefined) return undefined;
    }
    return models.use(settled, true, (view) => readPage(view, page, new Pace(environment)));
  }

  /** Computes the values of a place, unless that is work for the background. */
  async warm(place: Place): Promise<void> {
    const { models } = this.#options;
    const opened = await models.use(place, false, ({ kernel, sheets, position }) => {
      const { cells } = kernel.statistics();
      return { seq: position.seq, cells, grid: sheets.grid };
    });
    const settled = { ...place, seq: Math.max(place.seq, opened.seq) };
    if (!this.#isBackground(settled, opened)) await models.use(settled, true, () => undefined);
  }

  /** Moves the ceiling of one workbook; what was computed before counts no more. */
  moveCeiling(workbookId: string, ceiling: Ceiling): void {
    this.#options.ceilings.move(workbookId, ceiling);
    for (const key of this.#computed.keys()) {
      if (key.startsWith(`${workbookId}/`)) this.#computed.delete(key);
    }
  }

  #isBackground(place: Place, size: { cells: number; grid: number }): boolean {
    const ceiling = this.#options.ceilings.of(place.address.workbookId);
    return isAbove(ceiling, size) && !this.#computed.has(keyOf(place));
  }

  #compute(place: Place): Promise<void> {
    const key = keyOf(place);
    const running = this.#jobs.get(key);
    if (running !== undefined) return running;
    const job = this.#options.models
      .use(place, true, ({ position }) => {
        this.#computed.set(keyOf({ ...place, seq: position.seq }), true);
      })
      .finally(() => this.#jobs.delete(key));
    this.#jobs.set(key, job);
    return job;
  }

  /** Undefined when it takes longer; the work goes on, and its failure is reported. */
  async #within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | undefined> {
    let isLate = false;
    work.catch((error: unknown) => {
      if (isLate) this.#options.report('compute values in the background', error);
    });
    if (milliseconds === 0) {
      isLate = true;
      return undefined;
    }
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

async function readPage(
  { kernel, sheets, position }: ModelView,
  { offset, limit }: PageRequest,
  pace: Pace,
): Promise<ValuesPage> {
  const names = new Map(sheets.all.map(({ key, name }) => [key, name]));
  const values: ValueCell[] = [];
  const total = kernel.valueCount;
  const end = Math.min(total, offset + limit);
  for (let at = offset; at < end; at += readCells) {
    kernel.readValues(at, Math.min(readCells, end - at), ({ sheet, row, column, value }) => {
      values.push({ sheet: names.get(sheet) ?? '', cell: cellName(row, column), value });
    });
    if (pace.isDue) await pace.rest();
  }
  return { seq: position.seq, total, values };
}

function keyOf({ address, branch, seq }: Place): string {
  return `${address.workbookId}/${referenceName(branch, seq)}`;
}
