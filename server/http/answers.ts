import { answerLimits } from '../model/limits.ts';
import type { ByteBudget, HeldBytes, Overrun } from './byte-budget.ts';

export type Patience = Pick<
  Record<keyof typeof answerLimits, number>,
  'progressBytes' | 'progressMilliseconds' | 'stalledMilliseconds'
>;

/**
 * The answers being sent. Each holds memory until its client has read it, so there is a limit for
 * all: above it, the answer whose client has not read for the longest time is cut off.
 */
export class Answers {
  readonly #budget: ByteBudget;
  readonly #patience: Patience;
  /** Answers that wait for their clients, the longest waiting first. */
  readonly #waiting = new Set<OpenAnswer>();

  constructor(budget: ByteBudget, patience: Patience = answerLimits) {
    this.#budget = budget;
    this.#patience = patience;
  }

  /** Bytes that all answers hold. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /**
   * Begins an answer; `cut` ends its connection. Returns the exceeded limit when there is no room.
   */
  open(key: string, bytes: number, cut: () => void): OpenAnswer | Overrun {
    const held = this.#budget.open(key);
    for (;;) {
      const overrun = held.add(bytes);
      if (overrun === undefined) break;
      const stalled = this.#findStalled(overrun.of === 'key' ? key : undefined);
      if (stalled === undefined) return overrun;
      stalled.cut();
    }
    return new OpenAnswer({ key, held, cut, patience: this.#patience, waiting: this.#waiting });
  }

  #findStalled(key: string | undefined): OpenAnswer | undefined {
    for (const answer of this.#waiting) {
      if (!answer.isStalled) return undefined;
      if (key === undefined || answer.key === key) return answer;
    }
    return undefined;
  }
}

interface OpenParts {
  readonly key: string;
  readonly held: HeldBytes;
  readonly cut: () => void;
  readonly patience: Patience;
  readonly waiting: Set<OpenAnswer>;
}

/** An answer being sent. */
export class OpenAnswer {
  readonly #parts: OpenParts;
  /** Time at which it began to wait, or its client read last. */
  #waitsSince = 0;
  #windowBytes = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(parts: OpenParts) {
    this.#parts = parts;
  }

  get key(): string {
    return this.#parts.key;
  }

  get isStalled(): boolean {
    return performance.now() - this.#waitsSince >= this.#parts.patience.stalledMilliseconds;
  }

  /** Begins to wait until the client has read. */
  wait(): void {
    this.#queue();
    this.#windowBytes = 0;
    this.#window ??= setInterval(() => this.#look(), this.#parts.patience.progressMilliseconds);
  }

  /** Notes bytes that the client has read; there are more to read. */
  moved(bytes: number): void {
    this.#windowBytes += bytes;
    if (bytes > 0) this.#queue();
  }

  /** Notes that the client has read everything sent so far. */
  resume(): void {
    clearInterval(this.#window);
    this.#window = undefined;
    this.#parts.waiting.delete(this);
  }

  cut(): void {
    this.close();
    this.#parts.cut();
  }

  /** Ends the answer, which was sent or whose client is gone. */
  close(): void {
    this.resume();
    this.#parts.held.close();
  }

  #queue(): void {
    this.#waitsSince = performance.now();
    this.#parts.waiting.delete(this);
    this.#parts.waiting.add(this);
  }

  #look(): void {
    if (this.#windowBytes < this.#parts.patience.progressBytes) this.cut();
    this.#windowBytes = 0;
  }
}
