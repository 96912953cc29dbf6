/** A turn that takes longer is given up, so that no key waits for ever. */
const turnMs = 5_000;

interface Waiting {
  readonly act: () => void;
  /** A character that the act would type. */
  readonly text: string;
}

/**
 * Acts in the order of their keys: while the answer of one is on its way, those behind it wait. A
 * turn ends by its answer, by its time or by being given up, and always ends.
 */
export class KeyTurns {
  #turn: AbortController | undefined;
  #waiting: Waiting[] = [];

  /**
   * Lets an act wait for its turn; returns false where nothing is on its way, so that it can be
   * done now.
   */
  later(act: () => void, text = ''): boolean {
    if (!this.#turn) return false;
    this.#waiting.push({ act, text });
    return true;
  }

  /** Asks, and ends with the answer; with undefined where none came. */
  begin<Answer>(
    ask: (signal: AbortSignal) => Promise<Answer>,
    end: (answer: Answer | undefined) => void,
  ): void {
    const turn = new AbortController();
    this.#turn = turn;
    const timer = setTimeout(() => turn.abort(), turnMs);
    const finish = (answer?: Answer) => {
      clearTimeout(timer);
      if (this.#turn !== turn) return;
      this.#turn = undefined;
      end(answer);
      this.#goOn();
    };
    const isOver = new Promise<undefined>((resolve) =>
      turn.signal.addEventListener('abort', () => resolve(undefined)),
    );
    Promise.race([ask(turn.signal), isOver]).then(finish, () => finish());
  }

  /** Gives up the turn and all that waits behind it; returns the text that would have been typed. */
  giveUp(): string {
    const text = this.#waiting.map((one) => one.text).join('');
    this.#waiting = [];
    const turn = this.#turn;
    this.#turn = undefined;
    turn?.abort();
    return text;
  }

  #goOn(): void {
    while (!this.#turn) {
      const next = this.#waiting.shift();
      if (!next) return;
      try {
        next.act();
      } catch (error) {
        // A fault of one act keeps none behind it waiting.
        reportError(error);
      }
    }
  }
}
