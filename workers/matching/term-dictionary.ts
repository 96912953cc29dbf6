import { sharedUint16, sharedUint32, startOf } from './shared-arrays.ts';

const firstSlots = 1 << 16;
const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/** Returns FNV-1a over UTF-16 units; the seed keeps words and pieces of words apart. */
export function hashUnits(units: Uint16Array, start: number, end: number, seed: number): number {
  let hash = offsetBasis ^ seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), prime);
  return hash >>> 0;
}

/** Returns a hash after the last step of MurmurHash3, so that its low bits depend on all of it. */
export function mixed(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Numbers texts. */
export interface TermNumbers {
  number(units: Uint16Array, range: readonly [number, number], seed: number): number;
}

/** A finished dictionary, in which threads look terms up. */
export interface SharedTerms {
  readonly slots: Uint32Array;
  readonly units: Uint16Array;
  readonly ends: Uint32Array;
  readonly hashes: Uint32Array;
  readonly seeds: Uint32Array;
}

/** Marks an empty slot. */
const noTerm = 0xffffffff;

/** Numbers terms by a shared dictionary, and unknown ones after all of its own. */
export class KnownTerms implements TermNumbers {
  readonly #known: SharedTerms;
  readonly #others = new TermDictionary();

  constructor(known: SharedTerms) {
    this.#known = known;
  }

  number(units: Uint16Array, range: readonly [number, number], seed: number): number {
    const { slots, hashes, seeds, ends } = this.#known;
    const hash = mixed(hashUnits(units, range[0], range[1], seed));
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const term = slots[slot] ?? noTerm;
      if (term === noTerm) return ends.length + this.#others.number(units, range, seed);
      if (hashes[term] !== hash || seeds[term] !== seed) continue;
      if (this.#isSame(term, units, range)) return term;
    }
  }

  #isSame(term: number, units: Uint16Array, [start, end]: readonly [number, number]): boolean {
    const { units: known, ends } = this.#known;
    const from = startOf(ends, term);
    if ((ends[term] ?? 0) - from !== end - start) return false;
    for (let at = start; at < end; at++) if (known[from + at - start] !== units[at]) return false;
    return true;
  }
}

/**
 * Numbers texts in the order of their first occurrence. It is exact: terms with equal hashes are
 * compared.
 */
export class TermDictionary implements TermNumbers {
  #slots = new Int32Array(firstSlots).fill(-1);
  #units = new Uint16Array(firstSlots);
  #unitCount = 0;
  /** End of each term in the units, and its seed and hash. */
  #ends = new Uint32Array(firstSlots);
  #hashes = new Uint32Array(firstSlots);
  #seeds = new Uint8Array(firstSlots);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns the number of a text, a new one at its first occurrence. */
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

  shared(): SharedTerms {
    return {
      slots: shareWords(this.#slots),
      units: shareUnits(this.#units.subarray(0, this.#unitCount)),
      ends: shareWords(this.#ends.subarray(0, this.#count)),
      hashes: shareWords(this.#hashes.subarray(0, this.#count)),
      seeds: shareWords(this.#seeds.subarray(0, this.#count)),
    };
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

function shareWords(words: Int32Array | Uint32Array | Uint8Array): Uint32Array {
  const shared = sharedUint32(words.length);
  shared.set(words);
  return shared;
}

function shareUnits(units: Uint16Array): Uint16Array {
  const shared = sharedUint16(units.length);
  shared.set(units);
  return shared;
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
