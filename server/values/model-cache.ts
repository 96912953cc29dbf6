import { LRUCache } from 'lru-cache';

import type { Model } from './model.ts';

/** Models of older positions are for paging and comparing; they may take this part of the budget. */
const olderShare = 0.25;
const olderMost = 8;

interface Building {
  readonly model: Model;
  readonly done: Promise<Model>;
}

/** The models of a process by their keys: of heads, of older positions, and those being built. */
export class ModelCache {
  readonly #heads: LRUCache<string, Model>;
  readonly #older: LRUCache<string, Model>;
  /** Models under construction; those of heads hear of commits already. */
  readonly #building = new Map<string, Building>();

  constructor(budgetBytes: number) {
    const olderBytes = Math.floor(budgetBytes * olderShare);
    const headBytes = budgetBytes - olderBytes;
    this.#heads = new LRUCache({ maxSize: headBytes, sizeCalculation: sizeWithin(headBytes) });
    this.#older = new LRUCache({
      max: olderMost,
      maxSize: olderBytes,
      sizeCalculation: sizeWithin(olderBytes),
    });
  }

  get residentBytes(): number {
    return this.#heads.calculatedSize + this.#older.calculatedSize;
  }

  /** Returns the model of a head as a reader uses it, which keeps it longer. */
  useHead(key: string): Model | undefined {
    return this.#heads.get(key);
  }

  /** Returns the model of an older position as a reader uses it, which keeps it longer. */
  useOlder(key: string): Model | undefined {
    return this.#older.get(key);
  }

  /** Returns the model of a head, which may be under construction. */
  head(key: string): Model | undefined {
    return this.#heads.peek(key) ?? this.#building.get(key)?.model;
  }

  /** Returns the model of a head that is built. */
  builtHead(key: string): Model | undefined {
    return this.#heads.peek(key);
  }

  dropHead(key: string): void {
    this.#heads.delete(key);
  }

  /** Returns whether there is a model of an older position. */
  hasOlder(key: string): boolean {
    return this.#older.peek(key) !== undefined;
  }

  /** Returns a model that is being built. */
  building(key: string): Promise<Model> | undefined {
    return this.#building.get(key)?.done;
  }

  /** Keeps a model from when its building begins; one that is forgotten meanwhile is not kept. */
  build(model: Model, isHead: boolean, filling: Promise<void>): Promise<Model> {
    const key = model.affinity;
    const isWanted = (): boolean => this.#building.get(key)?.model === model;
    const done = filling.then(
      () => {
        if (!isWanted()) return model;
        this.#building.delete(key);
        (isHead ? this.#heads : this.#older).set(key, model);
        return model;
      },
      (error: unknown) => {
        if (isWanted()) this.#building.delete(key);
        throw error;
      },
    );
    this.#building.set(key, { model, done });
    return done;
  }

  /** Keeps the books after a model was used: a broken one goes, a grown one is weighed again. */
  weighAgain(model: Model): void {
    for (const cache of [this.#heads, this.#older]) {
      if (cache.peek(model.affinity) !== model) continue;
      cache.delete(model.affinity);
      if (!model.isBroken) cache.set(model.affinity, model);
    }
  }

  /** Drops the models whose keys begin so, also those under construction once they are done. */
  forget(start: string): void {
    for (const known of [this.#heads, this.#older, this.#building]) {
      for (const key of known.keys()) if (key.startsWith(start)) known.delete(key);
    }
  }

  clear(): void {
    this.#heads.clear();
    this.#older.clear();
  }
}

/** Size of a model within the budget. A model that alone is larger is the only one that stays. */
function sizeWithin(budgetBytes: number): (model: Model) => number {
  return (model) => Math.min(model.weigh(), budgetBytes);
}
