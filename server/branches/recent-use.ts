/** Time in which half of what was used is forgotten. */
const halfLifeMilliseconds = 5_000;
/** Uses that count at most, so that a burst is soon over. */
const usesMost = 256;

/** Number of uses of something, of which older ones count less. */
export class RecentUse {
  #count = 0;
  #countedAt = 0;

  note(now: number): void {
    this.#count = Math.min(usesMost, this.at(now) + 1);
    this.#countedAt = now;
  }

  at(now: number): number {
    const passed = Math.max(0, now - this.#countedAt);
    return this.#count * 2 ** (-passed / halfLifeMilliseconds);
  }
}
