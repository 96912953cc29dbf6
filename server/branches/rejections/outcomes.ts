import { Rejection, type RejectionError } from '../../model/rejection.ts';
import type { AddedRejections, KeptRejection, StoredRejection } from './store.ts';

export const rememberedMilliseconds = 24 * 3_600_000;
const rememberedCount = 10_000;
const outcomeBytes = 400;
/** A retry need not read a whole formula again. */
const messageCharacters = 500;

interface Outcome {
  readonly error: RejectionError;
  readonly at: number;
  readonly number: number;
}

/** Rejections of the last day, so that a retry with the same id hears the same. */
export class RejectedOutcomes {
  readonly #outcomes = new Map<string, Outcome>();
  /** Number of the last rejection that is here. */
  #through = 0;
  /** Number of the last one that the branch is known to have. */
  #seen = 0;
  #forgottenThrough = 0;

  get byteCount(): number {
    return this.#outcomes.size * outcomeBytes;
  }

  /** Number of the last rejection that is here. */
  get through(): number {
    return this.#through;
  }

  /** True when another process has rejected something that is not here. */
  get isBehind(): boolean {
    return this.#seen > this.#through;
  }

  get(key: string, now: number): RejectionError | undefined {
    const outcome = this.#outcomes.get(key);
    return outcome && now - outcome.at < rememberedMilliseconds ? outcome.error : undefined;
  }

  /** The branch has rejections up to a number. */
  saw(number = 0): void {
    this.#seen = Math.max(this.#seen, number);
  }

  /** Takes over what was read; those before that nobody remembers need not be among them. */
  take(stored: readonly StoredRejection[]): void {
    for (const { key, error, at, number } of stored) this.#set(key, { error, at, number });
    this.#through = Math.max(this.#through, this.#seen);
  }

  /** Rejections of a batch, as the store takes them. */
  adding(rejected: ReadonlyMap<string, RejectionError>, at: number): AddedRejections {
    this.#forget(at);
    const kept = Array.from(rejected, ([key, error]): KeptRejection => ({
      key,
      error: cut(error),
    }));
    return { after: this.#through, kept, forgetThrough: this.#forgottenThrough, at };
  }

  /** Called with rejections that are durable. */
  added({ kept, at, after }: AddedRejections): void {
    for (const [index, { key, error }] of kept.entries()) {
      this.#set(key, { error, at, number: after + 1 + index });
    }
  }

  #set(key: string, outcome: Outcome): void {
    this.#outcomes.set(key, outcome);
    this.#through = Math.max(this.#through, outcome.number);
  }

  /** Drops what is too old or too much; the oldest come first. */
  #forget(now: number): void {
    for (const [key, { at, number }] of this.#outcomes) {
      const isOld = now - at >= rememberedMilliseconds;
      if (!isOld && this.#outcomes.size <= rememberedCount) return;
      this.#outcomes.delete(key);
      this.#forgottenThrough = Math.max(this.#forgottenThrough, number);
    }
  }
}

/** Returns whether a rejection is new, and cannot be told again from the id itself. */
export function isToKeep(
  outcome: Rejection | RejectionError,
  earlier: number | undefined,
): boolean {
  return outcome instanceof Rejection && outcome.code !== 'id_too_old' && earlier === undefined;
}

function cut(error: RejectionError): RejectionError {
  const { message } = error;
  if (message.length <= messageCharacters) return error;
  return { ...error, message: `${message.slice(0, messageCharacters)}…` };
}
