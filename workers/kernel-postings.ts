import type { KernelExports } from './kernel-exports.ts';
import { initialPages, openInstance, openMemory, pageBytes } from './kernel-instance.ts';

type Memory = ReturnType<typeof openMemory>;

/** Rows by term, with weights, in one memory, and rooms in which threads add the weights up. */
export interface PostingMemory {
  readonly memory: Memory;
  readonly rowCount: number;
  readonly postingCount: number;
  /** Addresses in the memory. */
  readonly rows: number;
  readonly weights: number;
  readonly rooms: number;
}

/** Most rows that are kept for a query. */
export const bestMost = 1024;
/** Number of rooms; there are never so many threads. A taken room is marked. */
const roomsMost = 256;
const marksBytes = roomsMost * 4;
/** Bytes of a room's head as the kernel reads it; kept rows and their scores come after it. */
const placeBytes = 64;
const keptBytes = bestMost * (4 + 8);

/** Makes a memory for postings; threads add their rooms to it. */
export function openPostings(postingCount: number, rowCount: number): PostingMemory {
  const rows = initialPages * pageBytes;
  const weights = rows + postingCount * 4;
  const rooms = aligned(weights + postingCount * 4);
  const first = rooms + marksBytes;
  const memory = openMemory(first + roomsMost * roomBytesOf(rowCount));
  memory.grow(Math.ceil((first - rows) / pageBytes));
  return { memory, rowCount, postingCount, rows, weights, rooms };
}

/** Returns all postings, to be written once and read by every thread. */
export function postingsIn({ memory: { buffer }, postingCount, rows, weights }: PostingMemory) {
  return {
    rows: new Uint32Array(buffer, rows, postingCount),
    weights: new Float32Array(buffer, weights, postingCount),
  };
}

/** Rows that may be kept; all others are skipped. */
export interface Wanted {
  /** Only rows before this one. */
  readonly below: number;
  /** Only rows of this block, if rows have blocks. */
  readonly block: number;
}

/** Adds up postings by the kernel, in a room that belongs to this thread until `close`. */
export class Postings {
  readonly #postings: PostingMemory;
  readonly #exports: KernelExports;
  readonly #number: number;
  readonly #place: number;
  readonly #most: number;

  /** Keeps `most` rows of a query; `blocks` has the block of each row, if there are blocks. */
  constructor(postings: PostingMemory, most: number, blocks?: Uint32Array) {
    if (most > bestMost) throw new RangeError(`${most} rows are more than ${bestMost}`);
    this.#postings = postings;
    this.#most = most;
    this.#exports = openInstance(postings.memory);
    this.#number = takeRoom(postings);
    const { rowCount, rooms } = postings;
    this.#place = rooms + marksBytes + this.#number * roomBytesOf(rowCount);
    this.#open(blocks);
  }

  /** Adds the postings from one index up to another; returns the number of rows with a sum. */
  add(from: number, to: number, weight: number): number {
    return this.#exports.addPostings(this.#place, from, to, weight) >>> 0;
  }

  /** Returns the rows with the highest sums, unordered; valid until the next call. */
  best({ below, block }: Wanted): Uint32Array {
    const { buffer } = this.#postings.memory;
    const place = new Uint32Array(buffer, this.#place, placeBytes / 4);
    place[5] = below;
    place[7] = block;
    const count = this.#exports.keepBest(this.#place) >>> 0;
    return new Uint32Array(buffer, this.#place + placeBytes, count);
  }

  close(): void {
    Atomics.store(marksIn(this.#postings), this.#number, 0);
  }

  /** Clears the room: its former thread may have been stopped in the middle of a query. */
  #open(blocks: Uint32Array | undefined): void {
    const { memory, rowCount, rows, weights } = this.#postings;
    const sums = this.#place + placeBytes + keptBytes;
    const [touched, blocksAt] = [sums + rowCount * 4, sums + rowCount * 8];
    new Uint32Array(memory.buffer, sums, rowCount).fill(0);
    if (blocks) new Uint32Array(memory.buffer, blocksAt, rowCount).set(blocks);
    const where = [rows, weights, sums, touched, rowCount, 0, blocks ? blocksAt : 0, 0];
    const noted = 0;
    new Uint32Array(memory.buffer, this.#place, placeBytes / 4).set([...where, this.#most, noted]);
  }
}

function marksIn({ memory, rooms }: PostingMemory): Int32Array {
  return new Int32Array(memory.buffer, rooms, roomsMost);
}

/** Takes a free room, or makes one. */
function takeRoom(postings: PostingMemory): number {
  const marks = marksIn(postings);
  const number = marks.findIndex((_, at) => Atomics.compareExchange(marks, at, 0, 1) === 0);
  if (number < 0) throw new Error('all rooms of an index are taken');
  const { memory, rooms, rowCount } = postings;
  const end = rooms + marksBytes + (number + 1) * roomBytesOf(rowCount);
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  return number;
}

/**
 * Returns the bytes of a room: for each row a sum, an index among the rows with a sum, and a block.
 */
function roomBytesOf(rowCount: number): number {
  return aligned(placeBytes + keptBytes + rowCount * 12);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
