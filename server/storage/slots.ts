/** Admits so many at once; the others wait in line. */
export class Slots {
  #freeCount: number;
  /** Callers in line; those that gave up stay until their turn comes. */
  readonly #line: Waiting[] = [];

  constructor(count: number) {
    this.#freeCount = count;
  }

  /** Returns a turn to wait for; undefined if there is a slot at once. */
  take(): Turn | undefined {
    if (this.#freeCount > 0) {
      this.#freeCount--;
      return undefined;
    }
    let settle: (came: boolean) => void = () => undefined;
    const came = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const waiting: Waiting = { settle, isWaiting: true };
    this.#line.push(waiting);
    const giveUp = (): void => {
      waiting.isWaiting = false;
      settle(false);
    };
    return { came, giveUp };
  }

  give(): void {
    for (let next = this.#line.shift(); next !== undefined; next = this.#line.shift()) {
      if (!next.isWaiting) continue;
      next.isWaiting = false;
      next.settle(true);
      return;
    }
    this.#freeCount++;
  }
}

export interface Turn {
  /** Resolves to false if the turn was given up. */
  readonly came: Promise<boolean>;
  giveUp(): void;
}

interface Waiting {
  readonly settle: (came: boolean) => void;
  isWaiting: boolean;
}
