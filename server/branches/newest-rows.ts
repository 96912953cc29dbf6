import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { outageOf } from '../model/outage.ts';
import { within } from '../model/within.ts';
import type { BranchAddress, BranchRow, JournalStore } from './journal-store.ts';

/** Knowledge about the other processes that write to the same journals. */
export interface OtherWriters {
  /** True when it is certain that nobody else acknowledges anything. */
  readonly isAlone: boolean;
  /** True when somebody else was there at the last look, or may have come unseen. */
  readonly mayHaveOthers: boolean;
  /** Resolves when the others know of this process, so that they do not rely on what they have. */
  stayKnown(): Promise<void>;
}

export const noOthers: OtherWriters = {
  isAlone: true,
  mayHaveOthers: false,
  stayKnown: () => Promise.resolve(),
};

/** Milliseconds that a reader waits for the database where nobody else is known to write. */
const lookMilliseconds = 1_000;

export interface LookOptions {
  readonly others: OtherWriters;
  readonly environment: Environment;
  /** A position is asked for that others cannot change. */
  readonly isPinned?: boolean;
}

type Ask = () => Promise<BranchRow | undefined>;

interface Questions {
  readonly running: Promise<BranchRow | undefined>;
  /** Question of the readers who came after this one began. */
  next: Promise<BranchRow | undefined> | undefined;
}

/**
 * Rows of branches as they are at some moment after they were asked for. Everybody who asks while a
 * question is under way shares the one after it, so a busy branch costs one question at a time.
 */
export class NewestRows {
  readonly #store: JournalStore;
  readonly #questions = new Map<string, Questions>();

  constructor(store: JournalStore) {
    this.#store = store;
  }

  named(workbookId: string, name: string): Promise<BranchRow | undefined> {
    return this.#ask(`${workbookId}/${name}`, () => this.#store.branchNamed(workbookId, name));
  }

  numbered(address: BranchAddress): Promise<BranchRow | undefined> {
    // A name holds no @.
    const key = `${address.workbookId}@${address.branchNo}`;
    return this.#ask(key, () => this.#store.branch(address));
  }

  #ask(key: string, ask: Ask): Promise<BranchRow | undefined> {
    const known = this.#questions.get(key);
    if (known === undefined) return this.#begin(key, ask);
    known.next ??= known.running.then(
      () => this.#begin(key, ask),
      () => this.#begin(key, ask),
    );
    return known.next;
  }

  #begin(key: string, ask: Ask): Promise<BranchRow | undefined> {
    const running = ask();
    const questions: Questions = { running, next: undefined };
    this.#questions.set(key, questions);
    const over = (): void => {
      if (questions.next === undefined) this.#questions.delete(key);
    };
    running.then(over, over);
    return running;
  }
}

/**
 * The newest row, or `unknown` while the database does not answer and either no other process is
 * known, since one that is away takes no writes of others, or what others write changes nothing.
 */
export async function newestOr(
  asking: Promise<BranchRow | undefined>,
  { others, environment, isPinned = false }: LookOptions,
): Promise<BranchRow | 'unknown' | undefined> {
  const isNeeded = (): boolean => others.mayHaveOthers && !isPinned;
  try {
    if (isNeeded()) return await asking;
    const otherwise = (): Error => new Slow();
    return await within(asking, { environment, milliseconds: lookMilliseconds, otherwise });
  } catch (error) {
    if (!(error instanceof Slow) && outageOf(error) === undefined) throw error;
    if (!isNeeded()) return 'unknown';
    throw new Failure('unavailable', {
      detail: 'The database does not answer, so nobody knows if another process wrote meanwhile.',
      hint: 'Try again in a moment, or read a position that you know, such as ref=main@42.',
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
}

/** The database did not answer in the time that a reader gives it. */
export class Slow extends Error {
  override readonly name = 'Slow';
}
