/** Something that many states hold at once. */
export interface Weighable {
  weigh(scale: Scale): void;
}

/** Adds up about how many bytes of memory things take; what several of them share counts once. */
export class Scale {
  readonly #seen = new Set<object>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Whether the thing was not on the scale yet; from now on it is. */
  isNew(thing: object): boolean {
    if (this.#seen.has(thing)) return false;
    this.#seen.add(thing);
    return true;
  }

  /** To be called by each that holds a thing which belongs to none of them. */
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
