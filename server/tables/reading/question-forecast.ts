/** Milliseconds before a forecast, after which a slow start is over. */
const seenLeast = 1_000;
/** Factor over the time limit, at the best speed so far, from which a question is given up. */
const timesMost = 1.5;

/** Forecasts whether a question will be answered in time, from the speed so far. */
export class QuestionForecast {
  readonly #rowCount: number;
  readonly #milliseconds: number;
  #answeredCount = 0;
  #spent = 0;
  /** Rows per millisecond in the fastest stretch so far. */
  #fastest = 0;

  /** Makes a forecast for a number of rows and a time limit. */
  constructor(rowCount: number, milliseconds: number) {
    this.#rowCount = rowCount;
    this.#milliseconds = milliseconds;
  }

  /** Notes the number of answered rows, and the time of the last stretch. */
  note(answeredCount: number, milliseconds: number): void {
    const speed = (answeredCount - this.#answeredCount) / milliseconds;
    if (speed > this.#fastest) this.#fastest = speed;
    this.#answeredCount = answeredCount;
    this.#spent += milliseconds;
  }

  /**
   * True if the time will not do; false before the first row, as an index may be under
   * construction.
   */
  get isHopeless(): boolean {
    if (this.#spent < seenLeast || this.#fastest === 0) return false;
    const rest = (this.#rowCount - this.#answeredCount) / this.#fastest;
    return this.#spent + rest > this.#milliseconds * timesMost;
  }
}
