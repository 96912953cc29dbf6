import type { HttpResponse } from 'uWebSockets.js';

import type { Connection } from './send.ts';

/** The connection of one request, on which its client may leave. */
export class ClientConnection implements Connection {
  readonly res: HttpResponse;
  /** True from the moment the client is gone; set by uWebSockets.js only. */
  #aborted = false;
  #actions: (() => void)[] | undefined;
  #controller: AbortController | undefined;

  constructor(res: HttpResponse) {
    this.res = res;
    res.onAborted(() => {
      this.#aborted = true;
      this.#controller?.abort();
      this.#act();
    });
  }

  isAborted(): boolean {
    return this.#aborted;
  }

  whenAborted(action: () => void): void {
    this.#actions ??= [];
    this.#actions.push(action);
  }

  /** Signal of work that is given up when the client is gone. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Returns whether an error is the reason of work that was given up. */
  hasGivenUp(error: unknown): boolean {
    return this.#aborted && error === this.#controller?.signal.reason;
  }

  cut(): void {
    if (!this.#aborted) this.res.close();
  }

  /** Wakes whoever still waits for the client, when the exchange is over. */
  over(): void {
    this.#act();
  }

  #act(): void {
    if (this.#actions) for (const action of this.#actions) action();
  }
}
