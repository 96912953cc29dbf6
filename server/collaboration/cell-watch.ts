import type { JournalRecord } from '../branches/record.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { ViewportValues } from '../values/viewport.ts';
import { Frame } from './frame.ts';
import type { Watcher } from './presence-board.ts';
import { foldName } from '../model/names.ts';
import { holdsRange, overlaps, parseRange, type Range } from '../model/range.ts';
import type { WrittenCells } from '../state/written-cells.ts';
import {
  changesIn,
  nameOf,
  valuesFrame,
  wholeOf,
  type Cause,
  type Changes,
  type Viewport,
} from './viewport-changes.ts';
import { touchedBy, type WrittenPlaces } from './written-places.ts';

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
  /** Finds cells at the head that operations wrote. */
  readonly places: (written: readonly WrittenCells[]) => Promise<WrittenPlaces>;
}

/** Pause between two looks, so that a socket gets at most ten frames a second. */
const restMilliseconds = 100;
/** When values take longer than this, the changed ranges are sent first and the values later. */
const lateMilliseconds = 250;

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
  readonly written: WrittenCells[];
  /** The written cells at the head, by sheet; empty until the look has found them. */
  sheets: WrittenPlaces['sheets'];
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
  note(record: JournalRecord): void {
    const { seq, kind } = record;
    const news = this.#news;
    news.seq = seq;
    if (kind === 'merge') news.isMerge = true;
    if (kind.startsWith('table.') || kind === 'rows.import' || kind === 'rows.upsert') {
      news.isTable = true;
    }
    news.written.push(...touchedBy(record));
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
    await this.#place(news);
    const told = writtenFrames(news);
    for (const watcher of this.#parts.watchers()) {
      if (watcher.wants.cell_activity === 'all') for (const frame of told) watcher.sendLossy(frame);
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

  async #place(news: News): Promise<void> {
    const isWatched = [...this.#parts.watchers()].some(
      ({ wants, presence }) =>
        wants.cell_activity === 'all' ||
        (wants.cell_activity === 'viewport' && presence.value.viewport !== undefined),
    );
    if (!isWatched || news.written.length === 0) return;
    const { seq, sheets } = await this.#parts.places(news.written);
    news.seq = Math.max(news.seq, seq);
    news.sheets = sheets;
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
    const area = parseRange(range);
    const written = writtenOn(news, sheet).filter((one) => area && overlaps(one, area));
    const ranges = written.length > 0 ? written.map(nameOf) : [range];
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
}

function noNews(seq = 0): News {
  return { seq, isMerge: false, isTable: false, written: [], sheets: [] };
}

/** Returns what a socket is told that asked for all activity: the written ranges of each sheet. */
function writtenFrames({ seq, sheets, isMerge, isTable }: News): Frame[] {
  const cause = isMerge ? 'merge' : isTable ? 'table' : 'op';
  return sheets.map(({ name: sheet, ranges }) => {
    return new Frame({ kind: 'cell_activity', seq, sheet, ranges: ranges.map(nameOf), cause });
  });
}

function writtenOn({ sheets }: News, sheet: string): readonly Range[] {
  return sheets.find(({ name }) => foldName(name) === foldName(sheet))?.ranges ?? [];
}

/** Returns the cause of changed cells, judged by the operations since the last look. */
function causeOf(news: News, { sheet }: Viewport, ranges: readonly string[]): Cause {
  if (news.isMerge) return 'merge';
  if (news.isTable) return 'table';
  const written = writtenOn(news, sheet);
  const isWritten = ranges.map(parseRange).every((range) => {
    return range && written.some((one) => holdsRange(one, range));
  });
  return isWritten ? 'op' : 'recalc';
}
