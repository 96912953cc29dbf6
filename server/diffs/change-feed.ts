import { Pace } from '../branches/pace.ts';
import type { Branches } from '../branches/branches.ts';
import type { Place } from '../branches/place.ts';
import type { Environment } from '../model/environment.ts';
import type { Diffs, DiffEnds } from './diffs.ts';
import type { ChangedRow } from '../state/diff/table-rows.ts';
import { shownRow, type ShownRow, type TableChanges } from './table-changes.ts';

export interface FeedParts {
  readonly diffs: Pick<Diffs, 'tableChanges'>;
  readonly branches: Pick<Branches, 'subscribe'>;
  readonly environment: Environment;
}

/** The changes of a table between two positions. */
export interface FoundChanges {
  readonly ends: DiffEnds;
  readonly changes: TableChanges;
}

export interface FeedWish {
  readonly workbookId: string;
  /** Id or name. */
  readonly table: string;
  readonly signal: AbortSignal;
  /** Where the ends are by now; `from` is where the last changes led to. */
  readonly locate: (from: Place | undefined) => Promise<DiffEnds>;
}

/** An event of a stream; the last of several for one position has its name. */
export interface FeedEvent {
  readonly ends: DiffEnds;
  readonly isLast: boolean;
  readonly data: object;
}

const heartbeatMilliseconds = 5_000;
const rowsPerEvent = 1_000;

/** Follows what becomes of a table. */
export class ChangeFeed {
  readonly #parts: FeedParts;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** The changes, at once if there are any, or when there are or the time is over. */
  async wait(wish: FeedWish, milliseconds: number): Promise<FoundChanges> {
    const { diffs, environment } = this.#parts;
    const deadline = environment.elapsed() + milliseconds;
    const watch = new HeadWatch(this.#parts, wish);
    try {
      for (;;) {
        const ends = await wish.locate(undefined);
        const changes = await diffs.tableChanges(ends, wish.table);
        const left = deadline - environment.elapsed();
        const isOver = ends.to.isPinned || left <= 0 || wish.signal.aborted;
        if (!isNothing(changes) || isOver) return { ends, changes };
        await watch.passed(ends.to, left);
      }
    } finally {
      watch.close();
    }
  }

  /** All changes from a position on; undefined now and then, so that the connection stays. */
  async *follow(wish: FeedWish): AsyncGenerator<FeedEvent | undefined> {
    const watch = new HeadWatch(this.#parts, wish);
    let from: Place | undefined;
    try {
      yield undefined;
      while (!wish.signal.aborted) {
        const ends = await wish.locate(from);
        const changes = await this.#parts.diffs.tableChanges(ends, wish.table);
        if (hasEnded(wish)) return;
        if (!isNothing(changes)) {
          yield* eventsOf({ ends, changes }, new Pace(this.#parts.environment));
          from = ends.to;
        }
        await watch.passed(ends.to, heartbeatMilliseconds);
        yield undefined;
      }
    } finally {
      watch.close();
    }
  }
}

/** Returns whether the feed has ended, which may happen during any await. */
function hasEnded({ signal }: FeedWish): boolean {
  return signal.aborted;
}

function isNothing({ rows, schema, change }: TableChanges): boolean {
  return rows.length === 0 && schema.length === 0 && change === null;
}

/** A client that takes all that there is waits for nothing, so turns are left to others. */
async function* eventsOf({ ends, changes }: FoundChanges, pace: Pace): AsyncGenerator<FeedEvent> {
  const { rows, ...head } = changes;
  const total = rows.length;
  for (let at = 0; at === 0 || at < total; at += rowsPerEvent) {
    const shown = await pace.run(shownInTurns(rows.slice(at, at + rowsPerEvent)));
    const isLast = at + rowsPerEvent >= total;
    yield { ends, isLast, data: { ...head, changes: shown } };
    if (pace.isDue) await pace.rest();
  }
}

const rowsAtOnce = 64;

function* shownInTurns(rows: readonly ChangedRow[]): Generator<void, ShownRow[]> {
  const shown: ShownRow[] = [];
  for (const row of rows) {
    if (shown.push(shownRow(row)) % rowsAtOnce === 0) yield;
  }
  return shown;
}

/** Knows how far the branches of a workbook are, from the moment it is made. */
class HeadWatch {
  readonly #seqs = new Map<number, number>();
  readonly #environment: FeedParts['environment'];
  readonly #signal: AbortSignal;
  readonly #unsubscribe: () => void;
  #wake: (() => void) | undefined;

  constructor({ branches, environment }: FeedParts, { workbookId, signal }: FeedWish) {
    this.#environment = environment;
    this.#signal = signal;
    this.#unsubscribe = branches.subscribe((commit) => {
      if (commit.workbookId !== workbookId) return;
      this.#seqs.set(commit.branchNo, commit.lastSeq);
      this.#wake?.();
    });
  }

  /** Resolves once the branch is past a position, the time is over, or nobody waits. */
  async passed({ address, seq }: Place, milliseconds: number): Promise<void> {
    const over = new AbortController();
    const end = (): void => {
      over.abort();
      this.#wake?.();
    };
    const isPast = (): boolean => (this.#seqs.get(address.branchNo) ?? 0) > seq;
    if (this.#signal.aborted) return;
    const cancel = this.#environment.after(milliseconds, end);
    this.#signal.addEventListener('abort', end);
    while (!over.signal.aborted && !isPast()) {
      await new Promise<void>((resume) => (this.#wake = resume));
    }
    cancel();
    this.#signal.removeEventListener('abort', end);
  }

  close(): void {
    this.#unsubscribe();
  }
}
