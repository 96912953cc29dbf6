/** Time after which a turn is given up, so that no key waits for ever. */
const turnMs = 5_000;

interface Waiting {
  readonly act: () => void;
  /** Character that the act would type. */
  readonly text: string;
}

/**
 * Runs acts in the order of their keys: while one waits for an answer, later ones are held back. A
 * turn always ends: by its answer, its time limit or by being given up.
 */
export class KeyTurns {
  #turn: AbortController | undefined;
  #waiting: Waiting[] = [];

  /**
   * Delays an act until its turn; returns false if nothing is pending, so that it can be done now.
   */
  later(act: () => void, text = ''): boolean {
    if (!this.#turn) return false;
    this.#waiting.push({ act, text });
    return true;
  }

  /** Begins a turn that ends with the answer, or with undefined if there is none. */
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

  /** Gives up the turn and all later acts; returns the text that these would have typed. */
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
        // An error in one act does not stop later ones.
        reportError(error);
      }
    }
  }
}
