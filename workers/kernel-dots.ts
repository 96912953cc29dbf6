import type { KernelExports } from './kernel-exports.ts';
import { initialPages, openInstance, openMemory, pageBytes } from './kernel-instance.ts';

type Memory = ReturnType<typeof openMemory>;

/** Two columns of vectors of 16-bit numbers in one memory, and room for a thread's products. */
export interface DotMemory {
  readonly memory: Memory;
  /** Numbers of a vector, a multiple of 16. */
  readonly width: number;
  /** Addresses. */
  readonly left: number;
  readonly right: number;
  readonly rooms: number;
}

/** Queries and rows of one call: some milliseconds. */
export const queriesMost = 128;
export const rowsMost = 512;
/** An order as the kernel reads it, five numbers; the products come behind it. */
const orderBytes = 32;
const orderNumbers = 5;
const roomBytes = orderBytes + queriesMost * rowsMost * 4;
const numberBytes = 2;

/** A memory for so many vectors a side and products of so many threads. */
export function openDots(
  [left, right]: readonly [left: number, right: number],
  width: number,
  roomCount: number,
): DotMemory {
  const start = initialPages * pageBytes;
  const leftAt = start + roomCount * roomBytes;
  const rightAt = leftAt + left * width * numberBytes;
  const bytes = rightAt + right * width * numberBytes;
  const memory = openMemory(bytes);
  memory.grow(Math.ceil((bytes - start) / pageBytes));
  return { memory, width, left: leftAt, right: rightAt, rooms: start };
}

/** Vectors of a side, from one row up to another. */
export function vectorsIn(
  { memory, width }: Pick<DotMemory, 'memory' | 'width'>,
  address: number,
  [from, to]: readonly [from: number, to: number],
): Int16Array {
  const start = address + from * width * numberBytes;
  return new Int16Array(memory.buffer, start, (to - from) * width);
}

/** Products by the kernel, in the room of one thread. */
export class Dots {
  readonly #dots: DotMemory;
  readonly #exports: KernelExports;
  readonly #room: number;

  constructor(dots: DotMemory, room: number) {
    this.#dots = dots;
    this.#exports = openInstance(dots.memory);
    this.#room = dots.rooms + room * roomBytes;
  }

  /** A line of products for each left row, with each right row; valid until the next call. */
  products(
    [leftFrom, leftTo]: readonly [number, number],
    [rightFrom, rightTo]: readonly [number, number],
  ): Int32Array {
    const { left, right, width, memory } = this.#dots;
    const [queryCount, rowCount] = [leftTo - leftFrom, rightTo - rightFrom];
    new Uint32Array(memory.buffer, this.#room, orderNumbers).set([
      left + leftFrom * width * numberBytes,
      queryCount,
      right + rightFrom * width * numberBytes,
      rowCount,
      width,
    ]);
    this.#exports.dotProducts(this.#room);
    return new Int32Array(memory.buffer, this.#room + orderBytes, queryCount * rowCount);
  }
}
