import { randomFillSync } from 'node:crypto';

import type { LineId } from '../ids/order.ts';
import { cellTag } from './block.ts';
import type { CodedCell } from './cell-coding.ts';

/** The rows with a key; nearly always a single one. */
export interface KeyedRows extends LineId {
  readonly others: KeyedRows | undefined;
}

/** Returns a text that is equal for equal keys. */
export function keyText({ tag, number }: CodedCell): string {
  return `${tag} ${number}`;
}

/** The members of all keys, each with a place of its own in every array. */
interface Slots {
  /** Tag of the key with flags; 0 for a free slot. */
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  readonly branches: Uint32Array;
  readonly sequences: Float64Array;
  readonly offsets: Uint32Array;
}

const slotsBetweenPauses = 1_024;

/** Flags of a slot, beside the tag of its key. */
const [isRepeated, isRemoved] = [0x40, 0x80];
const tagBits = 0x3f;
const slotBytes = 25;
const firstCapacity = 16;
/** Part of the slots that are used before there are twice as many. */
const fullness = 0.6;
/** Estimated bytes of a key with several rows. */
const repeatedBytes = 250;

/**
 * Rows by key in typed arrays: a million objects would keep the garbage collector busy, and a copy
 * of these is a copy of bytes. Slots are probed one after the other.
 */
export class KeyTable {
  #slots = makeSlots(firstCapacity);
  /** Keys with several rows. */
  #repeated = new Map<string, KeyedRows>();
  #size = 0;

  /** The number of keys, those noted as removed included. */
  get size(): number {
    return this.#size;
  }

  get byteCount(): number {
    return this.#slots.tags.length * slotBytes + this.#repeated.size * repeatedBytes;
  }

  copy(): KeyTable {
    const { tags, numbers, branches, sequences, offsets } = this.#slots;
    const copy = new KeyTable();
    copy.#slots = {
      tags: tags.slice(),
      numbers: numbers.slice(),
      branches: branches.slice(),
      sequences: sequences.slice(),
      offsets: offsets.slice(),
    };
    copy.#repeated = new Map(this.#repeated);
    copy.#size = this.#size;
    return copy;
  }

  /** Returns the rows of a key: null for one noted as removed, undefined for an unknown one. */
  get(key: CodedCell): KeyedRows | null | undefined {
    const slot = slotOf(this.#slots, key);
    const { tags, branches, sequences, offsets } = this.#slots;
    const tag = tags[slot] ?? 0;
    if (tag === cellTag.blank) return undefined;
    if (tag & isRemoved) return null;
    if (tag & isRepeated) return this.#repeated.get(keyText(key));
    const [branch = 0, sequence = 0, offset = 0] = [branches[slot], sequences[slot], offsets[slot]];
    return { branch, sequence, offset, others: undefined };
  }

  set(key: CodedCell, rows: KeyedRows): void {
    const slot = this.#slotToWrite(key);
    const { tags, branches, sequences, offsets } = this.#slots;
    tags[slot] = rows.others ? key.tag | isRepeated : key.tag;
    if (rows.others) this.#repeated.set(keyText(key), rows);
    branches[slot] = rows.branch;
    sequences[slot] = rows.sequence;
    offsets[slot] = rows.offset;
  }

  /** Notes that a key has no rows, whatever a table below this one says. */
  remove(key: CodedCell): void {
    const slot = this.#slotToWrite(key);
    this.#slots.tags[slot] = key.tag | isRemoved;
  }

  /** Takes a key out. */
  delete(key: CodedCell): void {
    const slots = this.#slots;
    const last = slots.tags.length - 1;
    let free = slotOf(slots, key);
    if (slots.tags[free] === cellTag.blank) return;
    this.#forgetRepeated(key, free);
    slots.tags[free] = cellTag.blank;
    this.#size--;
    // Keys that it kept from their own slots move up.
    for (let slot = (free + 1) & last; slots.tags[slot]; slot = (slot + 1) & last) {
      const home = hashOf(keyIn(slots, slot)) & last;
      if (((slot - home) & last) < ((slot - free) & last)) continue;
      move(slots, slot, { slots, slot: free });
      slots.tags[slot] = cellTag.blank;
      free = slot;
    }
  }

  /** Takes over everything that another table has; what it notes as removed is deleted. */
  *take(other: KeyTable): Generator<void, void> {
    for (const [slot, tag] of other.#slots.tags.entries()) {
      if (slot % slotsBetweenPauses === slotsBetweenPauses - 1) yield;
      if (tag === cellTag.blank) continue;
      const key = keyIn(other.#slots, slot);
      const rows = other.get(key);
      if (rows) this.set(key, rows);
      else this.delete(key);
    }
  }

  #slotToWrite(key: CodedCell): number {
    const slot = slotOf(this.#slots, key);
    if (this.#slots.tags[slot] !== cellTag.blank) {
      this.#forgetRepeated(key, slot);
      return slot;
    }
    if (this.#size >= this.#slots.tags.length * fullness) {
      this.#grow();
      return this.#slotToWrite(key);
    }
    this.#size++;
    this.#slots.numbers[slot] = key.number;
    return slot;
  }

  #forgetRepeated(key: CodedCell, slot: number): void {
    if ((this.#slots.tags[slot] ?? 0) & isRepeated) this.#repeated.delete(keyText(key));
  }

  #grow(): void {
    const small = this.#slots;
    const slots = makeSlots(small.tags.length * 2);
    for (let from = 0; from < small.tags.length; from++) {
      if (small.tags[from] === cellTag.blank) continue;
      move(small, from, { slots, slot: slotOf(slots, keyIn(small, from)) });
    }
    this.#slots = slots;
  }
}

function makeSlots(capacity: number): Slots {
  return {
    tags: new Uint8Array(capacity),
    numbers: new Float64Array(capacity),
    branches: new Uint32Array(capacity),
    sequences: new Float64Array(capacity),
    offsets: new Uint32Array(capacity),
  };
}

function keyIn({ tags, numbers }: Slots, slot: number): CodedCell {
  return { tag: (tags[slot] ?? 0) & tagBits, number: numbers[slot] ?? 0 };
}

function move(from: Slots, slot: number, to: { readonly slots: Slots; readonly slot: number }) {
  to.slots.tags[to.slot] = from.tags[slot] ?? 0;
  to.slots.numbers[to.slot] = from.numbers[slot] ?? 0;
  to.slots.branches[to.slot] = from.branches[slot] ?? 0;
  to.slots.sequences[to.slot] = from.sequences[slot] ?? 0;
  to.slots.offsets[to.slot] = from.offsets[slot] ?? 0;
}

/** Returns the slot of a key, or the free one where it belongs. */
function slotOf({ tags, numbers }: Slots, key: CodedCell): number {
  const last = tags.length - 1;
  let slot = hashOf(key) & last;
  for (let tag = tags[slot]; tag !== undefined && tag !== cellTag.blank; tag = tags[slot]) {
    if ((tag & tagBits) === key.tag && numbers[slot] === key.number) break;
    slot = (slot + 1) & last;
  }
  return slot;
}

const numberBytes = Float64Array.BYTES_PER_ELEMENT;
/**
 * Random words for each byte of a key (tabulation hashing): keys that somebody chooses collide no
 * more often than others.
 */
const words = randomFillSync(new Uint32Array((numberBytes + 1) << 8));
const scratch = new Float64Array(1);
const scratchBytes = new Uint8Array(scratch.buffer);

function hashOf({ tag, number }: CodedCell): number {
  // Adding 0 makes 0 of -0, which is the same key.
  scratch[0] = number + 0;
  let hash = words[(numberBytes << 8) | tag] ?? 0;
  for (let byte = 0; byte < numberBytes; byte++) {
    hash ^= words[(byte << 8) | (scratchBytes[byte] ?? 0)] ?? 0;
  }
  return hash;
}
