import type { Environment } from './environment.ts';
import { Failure } from './failure.ts';
import { outageOf } from './outage.ts';
import { within } from './deadline.ts';

/** Knowledge about the other processes that write to the same database. */
export interface OtherProcesses {
  /** True when it is certain that nobody else acknowledges anything. */
  readonly isAlone: boolean;
  /** True when somebody else was there at the last look, or may have come unseen. */
  readonly mayHaveOthers: boolean;
}

/** Milliseconds that a reader waits for the database where nobody else is known to write. */
const lookMilliseconds = 1_000;

interface Questions<Answer> {
  readonly running: Promise<Answer>;
  /** Question of the readers who came after this one began. */
  next: Promise<Answer> | undefined;
}

/**
 * Answers as they are at some moment after they were asked for. Everybody who asks while a question
 * is under way shares the one after it, so what many ask for costs one question at a time.
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
  /** A position is asked for that others cannot change. */
  readonly isPinned?: boolean;
  /** The next step of who gets no answer. */
  readonly hint: string;
}

/**
 * The newest answer, or `unknown` while the database does not give it and either no other process
 * is known, since one that is away takes no writes of others, or what others write changes nothing.
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
