import type { Environment } from './environment.ts';
import { Failure } from './failure.ts';
import { outageOf } from './outage.ts';
import { within } from './deadline.ts';

/** Knowledge about the other processes that write to the same database. */
export interface OtherProcesses {
  /** True if certainly no other process acknowledges writes. */
  readonly isAlone: boolean;
  /** True if another process existed at the last look, or may have started since. */
  readonly mayHaveOthers: boolean;
}

/** Milliseconds that a reader waits for the database if no other writer is known. */
const lookMilliseconds = 1_000;

interface Questions<Answer> {
  readonly running: Promise<Answer>;
  /** Question of the readers who came after this one began. */
  next: Promise<Answer> | undefined;
}

/**
 * Answers questions as of some time after each request. Requests during a question share the next
 * one, so any number of them costs one question at a time.
 */
export class SharedQuestions<Answer> {
  readonly #questions = new Map<string, Questions<Answer>>();

  ask(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#questions.get(key);
    if (known === undefined) return this.#begin(key, ask);
    known.next ??= known.running.then(
      () => this.#begin(key, ask),
      () => this.#begin(key, ask),
    );
    return known.next;
  }

  #begin(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const running = ask();
    const questions: Questions<Answer> = { running, next: undefined };
    this.#questions.set(key, questions);
    const over = (): void => {
      if (questions.next === undefined) this.#questions.delete(key);
    };
    running.then(over, over);
    return running;
  }
}

export interface LookOptions {
  readonly others: OtherProcesses;
  readonly environment: Environment;
  /** True for a position that others cannot change. */
  readonly isPinned?: boolean;
  /** The next step of who gets no answer. */
  readonly hint: string;
}

/**
 * Returns the newest answer. Returns `unknown` while the database does not answer, if no other
 * process is known, because one that is away takes no writes, or if others' writes do not matter.
 */
export async function newestOr<Answer>(
  asking: Promise<Answer>,
  { others, environment, isPinned = false, hint }: LookOptions,
): Promise<Answer | 'unknown'> {
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
      hint,
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
}

/** The database did not answer in the time that a reader gives it. */
export class Slow extends Error {
  override readonly name = 'Slow';
}
