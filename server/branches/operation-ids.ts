import { hash } from 'node:crypto';

import { operationLimits as limits } from '../model/operation-limits.ts';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ulidLength = 26;
const ulidTimeLength = 10;
const uuidLength = 36;
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/iu;
const keyBytes = 16;
const wordsPerKey = keyBytes / 4;
const minute = 60_000;
/** Least number of slots: most branches have few operations. */
const slotsLeast = 64;
const timeBytes = 64;

/**
 * Identity of an operation: principal, writer and id. 128 bits of a SHA-256, one byte a character:
 * among 10^12 operations the chance of two equal ones is about 10^-15.
 */
export function operationKey(principalId: string, writer: string, id: string): string {
  // The lengths separate the parts, which could otherwise be read in two ways.
  const text = `${principalId.length} ${writer.length} ${principalId}${writer}${id}`;
  return hash('sha256', text, 'binary').slice(0, keyBytes);
}

/** Returns the time in a ULID or UUIDv7; undefined for any other id. */
export function idTime(id: string): number | undefined {
  // The length is compared first, because this runs for each operation and regular expressions cost
  // most of it.
  if (id.length === ulidLength) return ulidTime(id);
  if (id.length !== uuidLength || !uuid7.test(id)) return undefined;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function ulidTime(id: string): number | undefined {
  let time = 0;
  for (let index = 0; index < ulidLength; index++) {
    const digit = crockford.indexOf((id[index] ?? '').toUpperCase());
    if (digit < 0 || (index === 0 && digit > 7)) return undefined;
    if (index < ulidTimeLength) time = time * 32 + digit;
  }
  return time;
}

/**
 * The sequences of operation ids applied in the last 30 days, in 24 bytes a slot. Older ids that
 * contain their time are refused by it, so that no operation is written twice once forgotten.
 */
export class OperationIds {
  #keys = new Uint32Array(wordsPerKey * slotsLeast);
  #sequences = new Float64Array(slotsLeast);
  #count = 0;
  /** Last sequence and time of each minute, the oldest first, to find sequences that fall out. */
  #times: { lastSeq: number; at: number }[] = [];
  #forgottenThrough = 0;

  get byteCount(): number {
    return this.#keys.byteLength + this.#sequences.byteLength + this.#times.length * timeBytes;
  }

  get(key: string): number | undefined {
    const sequence = this.#sequences[this.#slotOf(wordsOf(key))] ?? 0;
    return sequence > this.#forgottenThrough ? sequence : undefined;
  }

  set(key: string, sequence: number): void {
    if (this.#count * 2 >= this.#sequences.length) this.#grow();
    const words = wordsOf(key);
    const slot = this.#slotOf(words);
    if (this.#sequences[slot] === 0) this.#count++;
    this.#keys.set(words, slot * wordsPerKey);
    this.#sequences[slot] = sequence;
  }

  /** Notes a segment; those of one minute count as one, which is exact enough for 30 days. */
  segmentWritten(lastSeq: number, at: number): void {
    const latest = this.#times.at(-1);
    if (latest && Math.floor(latest.at / minute) === Math.floor(at / minute)) {
      latest.lastSeq = lastSeq;
      latest.at = at;
    } else {
      this.#times.push({ lastSeq, at });
    }
  }

  /** Forgets what is out of the window. */
  forget(now: number): void {
    const oldest = now - limits.idempotencyMilliseconds;
    let goneCount = 0;
    for (const { lastSeq, at } of this.#times) {
      if (at >= oldest) break;
      this.#forgottenThrough = lastSeq;
      goneCount++;
    }
    if (goneCount > 0) this.#times = this.#times.slice(goneCount);
  }

  #slotOf(key: Uint32Array): number {
    const mask = this.#sequences.length - 1;
    for (let slot = (key[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      if (this.#sequences[slot] === 0 || this.#holds(slot, key)) return slot;
    }
  }

  #holds(slot: number, key: Uint32Array): boolean {
    const at = slot * wordsPerKey;
    return (
      this.#keys[at] === key[0] &&
      this.#keys[at + 1] === key[1] &&
      this.#keys[at + 2] === key[2] &&
      this.#keys[at + 3] === key[3]
    );
  }

  #grow(): void {
    const keys = this.#keys;
    const sequences = this.#sequences;
    this.#keys = new Uint32Array(keys.length * 2);
    this.#sequences = new Float64Array(sequences.length * 2);
    this.#count = 0;
    for (const [slot, sequence] of sequences.entries()) {
      if (sequence <= this.#forgottenThrough) continue;
      const key = keys.subarray(slot * wordsPerKey, (slot + 1) * wordsPerKey);
      const target = this.#slotOf(key);
      this.#keys.set(key, target * wordsPerKey);
      this.#sequences[target] = sequence;
      this.#count++;
    }
  }
}

/** Shared array, which is read right after each use. */
const words = new Uint32Array(wordsPerKey);

function wordsOf(key: string): Uint32Array {
  for (let word = 0; word < wordsPerKey; word++) {
    const at = word * 4;
    words[word] =
      key.charCodeAt(at) |
      (key.charCodeAt(at + 1) << 8) |
      (key.charCodeAt(at + 2) << 16) |
      (key.charCodeAt(at + 3) << 24);
  }
  return words;
}
