const firstSlots = 1 << 16;
const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a over UTF-16 units; seeds tell words from pieces of words. */
export function hashUnits(units: Uint16Array, start: number, end: number, seed: number): number {
  let hash = offsetBasis ^ seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), prime);
  return hash >>> 0;
}

/** The last step of MurmurHash3, so that the low bits depend on all of a hash. */
export function mixed(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Numbers texts in the order in which they are first met. Exact: equal hashes are compared. */
export class TermDictionary {
  #slots = new Int32Array(firstSlots).fill(-1);
  #units = new Uint16Array(firstSlots);
  #unitCount = 0;
  /** Ends of terms in the units; the seed and the hash of each beside. */
  #ends = new Uint32Array(firstSlots);
  #hashes = new Uint32Array(firstSlots);
  #seeds = new Uint8Array(firstSlots);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The number of a text, a new one if it was not met before. */
  number(units: Uint16Array, [start, end]: readonly [number, number], seed: number): number {
    const hash = mixed(hashUnits(units, start, end, seed));
    let mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let term = this.#slots[slot] ?? -1; term >= 0; term = this.#slots[slot] ?? -1) {
      if (this.#hashes[term] === hash && this.#seeds[term] === seed) {
        if (this.#isSame(term, units, start, end)) return term;
      }
      slot = (slot + 1) & mask;
    }
    if (this.#count * 2 > mask) {
      this.#grow();
      mask = this.#slots.length - 1;
      slot = this.#freeSlot(hash);
    }
    return this.#add(slot, { hash, seed }, units.subarray(start, end));
  }

  hashOf(term: number): number {
    return this.#hashes[term] ?? 0;
  }

  unitsOf(term: number): Uint16Array {
    return this.#units.subarray(term === 0 ? 0 : this.#ends[term - 1], this.#ends[term]);
  }

  #isSame(term: number, units: Uint16Array, start: number, end: number): boolean {
    let at = term === 0 ? 0 : (this.#ends[term - 1] ?? 0);
    if ((this.#ends[term] ?? 0) - at !== end - start) return false;
    for (let other = start; other < end; other++, at++) {
      if (this.#units[at] !== units[other]) return false;
    }
    return true;
  }

  #add(slot: number, { hash, seed }: { hash: number; seed: number }, units: Uint16Array): number {
    const end = this.#unitCount + units.length;
    if (end > this.#units.length) this.#units = grown(this.#units, end);
    this.#units.set(units, this.#unitCount);
    this.#unitCount = end;
    if (this.#count === this.#ends.length) {
      this.#ends = grown(this.#ends, this.#count + 1);
      this.#hashes = grown(this.#hashes, this.#count + 1);
      this.#seeds = grown(this.#seeds, this.#count + 1);
    }
    this.#ends[this.#count] = end;
    this.#hashes[this.#count] = hash;
    this.#seeds[this.#count] = seed;
    this.#slots[slot] = this.#count;
    return this.#count++;
  }

  #freeSlot(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while ((this.#slots[slot] ?? -1) >= 0) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (let term = 0; term < this.#count; term++) {
      this.#slots[this.#freeSlot(this.#hashes[term] ?? 0)] = term;
    }
  }
}

function grown<Lanes extends Uint8Array | Uint16Array | Uint32Array>(
  lanes: Lanes,
  length: number,
): Lanes {
  const longer = new (lanes.constructor as new (length: number) => Lanes)(
    Math.max(length, lanes.length * 2),
  );
  longer.set(lanes);
  return longer;
}
