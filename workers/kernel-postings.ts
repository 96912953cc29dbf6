import type { KernelExports } from './kernel-exports.ts';
import { initialPages, openInstance, openMemory, pageBytes } from './kernel-instance.ts';

type Memory = ReturnType<typeof openMemory>;

/** Rows of terms with their weights in one memory, and rooms in which threads add them up. */
export interface PostingMemory {
  readonly memory: Memory;
  readonly rowCount: number;
  readonly postingCount: number;
  /** Addresses. */
  readonly rows: number;
  readonly weights: number;
  readonly rooms: number;
}

/** The most rows that are kept of a query. */
export const bestMost = 1024;
/** A room that is taken is marked so; there are never so many threads. */
const roomsMost = 256;
const marksBytes = roomsMost * 4;
/** A workplace as the kernel reads it; kept rows and their scores come behind it. */
const placeBytes = 64;
const keptBytes = bestMost * (4 + 8);

/** A memory for so many postings of so many rows; rooms are added as threads come to it. */
export function openPostings(postingCount: number, rowCount: number): PostingMemory {
  const rows = initialPages * pageBytes;
  const weights = rows + postingCount * 4;
  const rooms = aligned(weights + postingCount * 4);
  const first = rooms + marksBytes;
  const memory = openMemory(first + roomsMost * roomBytesOf(rowCount));
  memory.grow(Math.ceil((first - rows) / pageBytes));
  return { memory, rowCount, postingCount, rows, weights, rooms };
}

/** All postings, to be written once and read by every thread. */
export function postingsIn({ memory: { buffer }, postingCount, rows, weights }: PostingMemory) {
  return {
    rows: new Uint32Array(buffer, rows, postingCount),
    weights: new Float32Array(buffer, weights, postingCount),
  };
}

/** Rows that are not wanted are not kept. */
export interface Wanted {
  /** Rows before this one. */
  readonly below: number;
  /** With `blocks`, the block of the rows. */
  readonly block: number;
}

/** Sums of postings by the kernel, in a room of this thread's own until it is closed. */
export class Postings {
  readonly #postings: PostingMemory;
  readonly #exports: KernelExports;
  readonly #number: number;
  readonly #place: number;
  readonly #most: number;

  /** `most` rows of a query are kept; `blocks` are those of all rows, where there are some. */
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

  /** Adds postings from one up to another; answers how many rows have a sum. */
  add(from: number, to: number, weight: number): number {
    return this.#exports.addPostings(this.#place, from, to, weight) >>> 0;
  }

  /** The rows with the highest sums, in no order; valid until the next call. */
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

  /** Whoever had the room before may have been stopped in the middle of a query. */
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

/** Marks a room as taken, and makes it where nobody had it before. */
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

/** Bytes of a room: of each row a sum, a place among those that are touched, and its block. */
function roomBytesOf(rowCount: number): number {
  return aligned(placeBytes + keptBytes + rowCount * 12);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
