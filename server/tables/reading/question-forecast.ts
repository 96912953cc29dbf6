/** Milliseconds of calculating before anything is foreseen: what is slow at first is done by then. */
const seenLeast = 1_000;
/** A question is given up that would take so many times the time there is, as fast as it ever was. */
const timesMost = 1.5;

/** Foresees whether a question will be answered in time, from how fast rows are answered. */
export class QuestionForecast {
  readonly #rowCount: number;
  readonly #milliseconds: number;
  #answeredCount = 0;
  #spent = 0;
  /** Rows in a millisecond, in the fastest stretch so far. */
  #fastest = 0;

  /** `milliseconds` are those that there are. */
  constructor(rowCount: number, milliseconds: number) {
    this.#rowCount = rowCount;
    this.#milliseconds = milliseconds;
  }

  /** Notes how many rows are answered by now, and how long the last stretch of them took. */
  note(answeredCount: number, milliseconds: number): void {
    const speed = (answeredCount - this.#answeredCount) / milliseconds;
    if (speed > this.#fastest) this.#fastest = speed;
    this.#answeredCount = answeredCount;
    this.#spent += milliseconds;
  }

  /** False as long as no row is answered: an index may be on its way. */
  get isHopeless(): boolean {
    if (this.#spent < seenLeast || this.#fastest === 0) return false;
    const rest = (this.#rowCount - this.#answeredCount) / this.#fastest;
    return this.#spent + rest > this.#milliseconds * timesMost;
  }
}
