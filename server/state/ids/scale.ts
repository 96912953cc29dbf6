/** Something that many states hold at once. */
export interface Weighable {
  weigh(scale: Scale): void;
}

/** Memory accounting: adds up estimated bytes; an object that several holders share counts once. */
export class Scale {
  readonly #seen = new Set<object>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Returns whether the object was not counted yet; from now on it is. */
  isNew(thing: object): boolean {
    if (this.#seen.has(thing)) return false;
    this.#seen.add(thing);
    return true;
  }

  /** Adds an object that belongs to none of its holders; to be called by each of them. */
  share(thing: Weighable): void {
    thing.weigh(this);
  }
}

/** Leaves what is shared to the scale that everybody is on. */
export class OwnScale extends Scale {
  readonly shared = new Set<Weighable>();

  override share(thing: Weighable): void {
    this.shared.add(thing);
  }
}
