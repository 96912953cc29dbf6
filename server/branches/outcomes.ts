import type { RejectionError } from '../model/rejection.ts';

const rememberedMilliseconds = 24 * 3_600_000;
const rememberedCount = 10_000;
const outcomeBytes = 400;

/** Rejections of the last day, so that a retry with the same id hears the same. Lost at a restart. */
export class RejectedOutcomes {
  readonly #outcomes = new Map<string, { error: RejectionError; at: number }>();

  get byteCount(): number {
    return this.#outcomes.size * outcomeBytes;
  }

  get(key: string, now: number): RejectionError | undefined {
    const outcome = this.#outcomes.get(key);
    return outcome && now - outcome.at < rememberedMilliseconds ? outcome.error : undefined;
  }

  set(key: string, error: RejectionError, now: number): void {
    this.#outcomes.set(key, { error, at: now });
    if (this.#outcomes.size <= rememberedCount) return;
    const [oldest] = this.#outcomes.keys();
    if (oldest !== undefined) this.#outcomes.delete(oldest);
  }
}
