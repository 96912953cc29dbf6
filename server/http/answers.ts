import { answerLimits } from '../model/limits.ts';
import type { ByteBudget, HeldBytes, Overrun } from './byte-budget.ts';

export type Patience = Pick<
  Record<keyof typeof answerLimits, number>,
  'progressBytes' | 'progressMilliseconds' | 'stalledMilliseconds'
>;

/**
 * The answers that are on their way. Each holds memory until its client has read it, so they have
 * a limit in sum: above it the one makes room whose client has not read for the longest time.
 */
export class Answers {
  readonly #budget: ByteBudget;
  readonly #patience: Patience;
  /** Answers whose clients have to read first, the one that waits the longest at the start. */
  readonly #waiting = new Set<OpenAnswer>();

  constructor(budget: ByteBudget, patience: Patience = answerLimits) {
    this.#budget = budget;
    this.#patience = patience;
  }

  /** Bytes that all of them hold. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /** Begins an answer; `cut` ends its connection. Tells what runs over when there is no room. */
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

/** One answer on its way. */
export class OpenAnswer {
  readonly #parts: OpenParts;
  /** Time at which it began to wait for its client, or its client read last. */
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

  /** Begins to wait: the client has to read before more can be sent. */
  wait(): void {
    this.#queue();
    this.#windowBytes = 0;
    this.#window ??= setInterval(() => this.#look(), this.#parts.patience.progressMilliseconds);
  }

  /** The client has read so many bytes, and has to read more. */
  moved(bytes: number): void {
    this.#windowBytes += bytes;
    if (bytes > 0) this.#queue();
  }

  /** The client has read all that was sent. */
  resume(): void {
    clearInterval(this.#window);
    this.#window = undefined;
    this.#parts.waiting.delete(this);
  }

  cut(): void {
    this.close();
    this.#parts.cut();
  }

  /** Ends the answer: it is out, or its client has gone. */
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
