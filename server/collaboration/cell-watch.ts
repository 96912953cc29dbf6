import type { JournalRecord } from '../branches/record.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { ViewportValues } from '../values/viewport.ts';
import { Frame } from './frame.ts';
import type { Watcher } from './presence-board.ts';
import { cellsMeet } from './viewport.ts';
import {
  changesIn,
  valuesFrame,
  wholeOf,
  type Cause,
  type Changes,
  type Viewport,
} from './viewport-changes.ts';

/** A socket that gets news of changed cells. */
export interface CellWatcher extends Watcher {
  readonly wants: { readonly cell_activity: 'viewport' | 'all' | 'none' };
}

export interface CellWatchParts {
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
  readonly watchers: () => Iterable<CellWatcher>;
  /** Reads the values of a viewport at the head; undefined for an invalid or too large range. */
  readonly values: (viewport: Viewport) => Promise<ViewportValues | undefined>;
}

/** Pause between two looks, so that a socket gets at most ten frames a second. */
const restMilliseconds = 100;
/** When values take longer than this, the changed ranges are sent first and the values later. */
const lateMilliseconds = 250;
const rangesMost = 64;

/** The sockets that look at the same viewport. */
interface Group {
  readonly viewport: Viewport;
  readonly watchers: CellWatcher[];
}

/** Changes since the last look. */
interface News {
  /** Number of the last operation included. */
  seq: number;
  isMerge: boolean;
  isTable: boolean;
  readonly ranges: Map<string, Set<string>>;
  /** True when an operation with unknown ranges is included: any cell may have changed. */
  isWide: boolean;
}

/**
 * Sends changed cells to sockets, with values for the cells in a viewport. After operations it
 * reads each viewport, compares it with what was sent last, and sends the difference, so values
 * never go back in time.
 */
export class CellWatch {
  readonly #parts: CellWatchParts;
  /** Values that were sent last, by viewport. */
  readonly #sent = new Map<string, ViewportValues>();
  /** For each watcher, the viewport that it has got all values of. */
  readonly #told = new WeakMap<CellWatcher, string>();
  /** Viewports whose values are being calculated; `isOld` when something changed meanwhile. */
  readonly #calculating = new Map<string, { isOld: boolean }>();
  #news = noNews();
  #isDue = false;
  #isLooking = false;
  #cancel: (() => void) | undefined;

  constructor(parts: CellWatchParts) {
    this.#parts = parts;
  }

  /** Sets the head from which on changes count. */
  begin(seq: number): void {
    this.#news.seq = seq;
  }

  /** Collects the changes of an applied operation until the next look. */
  note({ seq, kind, payload }: JournalRecord): void {
    const news = this.#news;
    news.seq = seq;
    if (kind === 'merge') news.isMerge = true;
    if (kind.startsWith('table.') || kind === 'rows.import' || kind === 'rows.upsert') {
      news.isTable = true;
    }
    const { sheet = '', ranges } = writtenBy(payload);
    if (ranges.length === 0) news.isWide = true;
    const known = news.ranges.get(sheet) ?? new Set();
    for (const range of ranges) if (known.size <= rangesMost) known.add(range);
    news.ranges.set(sheet, known);
  }

  /** Schedules a look, after a viewport moved or operations were sent. */
  lookSoon(): void {
    this.#isDue = true;
    if (this.#cancel || this.#isLooking) return;
    this.#cancel = this.#parts.environment.after(0, () => this.#begin());
  }

  stop(): void {
    this.#cancel?.();
  }

  #begin(): void {
    this.#cancel = undefined;
    this.#isDue = false;
    this.#isLooking = true;
    const news = this.#news;
    this.#news = noNews(news.seq);
    this.#look(news)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#cancel = this.#parts.environment.after(restMilliseconds, () => this.#rested());
      });
  }

  #rested(): void {
    this.#cancel = undefined;
    this.#isLooking = false;
    if (this.#isDue) this.lookSoon();
  }

  async #look(news: News): Promise<void> {
    const groups = new Map<string, Group>();
    for (const watcher of this.#parts.watchers()) {
      if (watcher.wants.cell_activity === 'all') this.#tellRanges(watcher, news);
      const { viewport } = watcher.presence.value;
      if (!viewport || watcher.wants.cell_activity === 'none') continue;
      const key = `${viewport.sheet}!${viewport.range}`;
      const group = groups.get(key) ?? { viewport, watchers: [] };
      group.watchers.push(watcher);
      groups.set(key, group);
    }
    for (const key of this.#sent.keys()) if (!groups.has(key)) this.#sent.delete(key);
    for (const [key, group] of groups) {
      try {
        await this.#lookAt(key, group, news);
      } catch (error) {
        // A sheet that is gone takes nothing from those who look at others.
        this.#failed(error);
      }
    }
  }

  /**
   * Sends the values of one viewport; slow ones are awaited in the background, so that others need
   * not wait.
   */
  async #lookAt(key: string, group: Group, news: News): Promise<void> {
    const running = this.#calculating.get(key);
    if (running) {
      running.isOld = true;
      this.#tellLate(group, news);
      return;
    }
    const own = { isOld: false };
    this.#calculating.set(key, own);
    const reading = this.#sendValues(key, group, news).finally(() => {
      this.#calculating.delete(key);
      if (own.isOld) this.lookSoon();
    });
    const isLate = await this.#isLate(reading);
    if (!isLate) return;
    this.#tellLate(group, news);
    reading.catch((error: unknown) => this.#failed(error));
  }

  async #isLate(reading: Promise<void>): Promise<boolean> {
    let cancel = (): void => undefined;
    const late = new Promise<true>((resolve) => {
      cancel = this.#parts.environment.after(lateMilliseconds, () => resolve(true));
    });
    try {
      return await Promise.race([reading.then(() => false), late]);
    } finally {
      cancel();
    }
  }

  /** Sends the changed ranges without values, which follow. */
  #tellLate({ viewport, watchers }: Group, news: News): void {
    const { sheet, range } = viewport;
    const written = [...(news.ranges.get(sheet) ?? [])].filter((one) => cellsMeet(range, one));
    const ranges = written.length > 0 && written.length <= rangesMost ? written : [range];
    const cause = news.isMerge ? 'merge' : news.isTable ? 'table' : 'recalc';
    const frame = new Frame({ kind: 'cell_activity', seq: news.seq, sheet, ranges, cause });
    for (const watcher of watchers) watcher.sendLossy(frame);
  }

  /**
   * Ignores a failure to compute values, which is tried again after the next operation; reports
   * others.
   */
  #failed(error: unknown): void {
    if (!(error instanceof Failure)) this.#parts.report('read what sockets look at', error);
  }

  async #sendValues(key: string, { viewport, watchers }: Group, news: News): Promise<void> {
    const values = await this.#parts.values(viewport);
    const before = this.#sent.get(key);
    if (values && before && values.seq < before.seq) return;
    if (values) this.#sent.set(key, values);
    const isNew = (watcher: CellWatcher): boolean => this.#told.get(watcher) !== key;
    const all = wholeOf(viewport);
    const changed = values ? changesIn(viewport, before, values) : all;
    const frameFor = ({ ranges, box }: Changes): Frame => {
      const cause = causeOf(news, viewport, ranges);
      return valuesFrame(viewport, values, { seq: values?.seq ?? news.seq, ranges, box, cause });
    };
    const [ofAll, ofChanged] = [frameFor(all), frameFor(changed)];
    for (const watcher of watchers) {
      const frame = isNew(watcher) ? ofAll : ofChanged;
      if (frame === ofChanged && changed.ranges.length === 0) continue;
      // A watcher that was too slow for this frame gets all values next time.
      if (watcher.sendLossy(frame)) this.#told.set(watcher, key);
      else this.#told.delete(watcher);
    }
  }

  /** Sends the written ranges of all sheets to a watcher that asked for all activity. */
  #tellRanges(watcher: CellWatcher, { seq, ranges, isMerge, isTable }: News): void {
    const cause = isMerge ? 'merge' : isTable ? 'table' : 'op';
    for (const [sheet, written] of ranges) {
      if (written.size === 0 || sheet === '') continue;
      const listed = [...written].slice(0, rangesMost);
      const told = { kind: 'cell_activity', seq, sheet, ranges: listed, cause };
      const truncated = written.size > rangesMost ? { truncated: true } : {};
      watcher.sendLossy(new Frame({ ...told, ...truncated }));
    }
  }
}

function noNews(seq = 0): News {
  return { seq, isMerge: false, isTable: false, isWide: false, ranges: new Map() };
}

/** Returns the ranges named in a payload; none when it has neither `range` nor `cells`. */
function writtenBy(payload: unknown): { sheet?: string; ranges: readonly string[] } {
  if (typeof payload !== 'object' || payload === null) return { ranges: [] };
  const { sheet, range, cells } = payload as { sheet?: unknown; range?: unknown; cells?: unknown };
  const named = typeof sheet === 'string' ? { sheet } : {};
  if (typeof range === 'string') return { ...named, ranges: [range] };
  if (!Array.isArray(cells)) return { ...named, ranges: [] };
  const ranges = cells.flatMap((cell: unknown) =>
    typeof cell === 'object' && cell !== null && 'a1' in cell ? [String(cell.a1)] : [],
  );
  return { ...named, ranges };
}

/** Returns the cause of changed cells, judged by the operations since the last look. */
function causeOf(news: News, { sheet }: Viewport, ranges: readonly string[]): Cause {
  if (news.isMerge) return 'merge';
  if (news.isTable) return 'table';
  const written = news.ranges.get(sheet);
  if (news.isWide || !written) return 'recalc';
  return ranges.every((range) => written.has(range)) ? 'op' : 'recalc';
}
