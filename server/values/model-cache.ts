import { LRUCache } from 'lru-cache';

import type { Model } from './model.ts';

/** Share of the budget for models of older positions, which serve paging and comparing. */
const olderShare = 0.25;
const olderMost = 8;

interface Building {
  readonly model: Model;
  readonly done: Promise<Model>;
}

/** The models of a process by key: of heads, of older positions, and under construction. */
export class ModelCache {
  readonly #heads: LRUCache<string, Model>;
  readonly #older: LRUCache<string, Model>;
  /** Models under construction; those of heads already receive commits. */
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

  /** Returns the model of a head, and marks it as used. */
  useHead(key: string): Model | undefined {
    return this.#heads.get(key);
  }

  /** Returns the model of an older position, and marks it as used. */
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

  /** Keeps a model that is being built; one that is forgotten meanwhile is not kept. */
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

  /** Updates the cache after a use: drops a broken model, weighs a grown one again. */
  weighAgain(model: Model): void {
    for (const cache of [this.#heads, this.#older]) {
      if (cache.peek(model.affinity) !== model) continue;
      cache.delete(model.affinity);
      if (!model.isBroken) cache.set(model.affinity, model);
    }
  }

  /** Drops the models whose keys have a prefix, and those under construction once they are done. */
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

/** Returns the size of a model, at most the budget: a larger model is kept alone. */
function sizeWithin(budgetBytes: number): (model: Model) => number {
  return (model) => Math.min(model.weigh(), budgetBytes);
}
