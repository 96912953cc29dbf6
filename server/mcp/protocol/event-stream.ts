import type { Environment } from '../../model/environment.ts';

/** Messages that may wait for a client that does not read; one more ends the stream. */
const waitingMost = 1_000;
/** Proxies close a connection that says nothing for a minute or so. */
const silenceMilliseconds = 15_000;

const encoder = new TextEncoder();

/** Messages to one client, in the form of server-sent events. It has one reader. */
export class EventStream implements AsyncIterable<Uint8Array> {
  readonly #environment: Environment;
  readonly #waiting: Uint8Array[] = [];
  readonly #endings: (() => void)[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#keepAlive();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  send(message: object): void {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** Something that no client takes for a message: it sends the head on its way. */
  comment(text: string): void {
    this.#write(`: ${text}\n\n`);
  }

  /** Calls an action once at the end of the stream; at once if it has ended. */
  whenEnded(action: () => void): void {
    if (this.#hasEnded) action();
    else this.#endings.push(action);
  }

  /** Ends the stream after the events that still wait. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopTimer?.();
    this.#wake?.();
    for (const action of this.#endings) action();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next) yield next;
        else if (this.#hasEnded) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
    }
  }

  #write(text: string): void {
    if (this.#hasEnded) return;
    if (this.#waiting.length >= waitingMost) return this.end();
    this.#waiting.push(encoder.encode(text));
    this.#wake?.();
  }

  #keepAlive(): void {
    this.#stopTimer = this.#environment.after(silenceMilliseconds, () => {
      if (this.#hasEnded) return;
      this.comment('still here');
      this.#keepAlive();
    });
  }
}
