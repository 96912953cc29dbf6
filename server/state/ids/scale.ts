/** A part that many states share. */
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

  /** Returns whether an object is not counted yet, and counts it. */
  isNew(thing: object): boolean {
    if (this.#seen.has(thing)) return false;
    this.#seen.add(thing);
    return true;
  }

  /** Adds a shared object; each of its holders calls this. */
  share(thing: Weighable): void {
    thing.weigh(this);
  }
}

/** Scale of one holder, which leaves shared objects to the common scale. */
export class OwnScale extends Scale {
  readonly shared = new Set<Weighable>();

  override share(thing: Weighable): void {
    this.shared.add(thing);
  }
}
