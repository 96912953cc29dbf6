import type { SeededRandom } from '../support/seeded-random.ts';

/** Choosing by a seed. */
export class Choice {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** From 0 to `limit - 1`. */
  below(limit: number): number {
    return this.#random.between(0, limit - 1);
  }

  between(least: number, most: number): number {
    return this.#random.between(least, most);
  }

  /** True once in so many times. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }

  times<Item>(count: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
