import type { KernelExports } from './kernel-exports.ts';
import { initialPages, openInstance, openMemory, pageBytes } from './kernel-instance.ts';

type Memory = ReturnType<typeof openMemory>;

/**
 * Two columns of vectors of 16-bit numbers in one memory, and room for the products of each thread.
 */
export interface DotMemory {
  readonly memory: Memory;
  /** Numbers of a vector, a multiple of 16. */
  readonly width: number;
  /** Addresses in the memory. */
  readonly left: number;
  readonly right: number;
  readonly rooms: number;
}

/** Vectors of a side in one call, which takes some milliseconds. */
export const queriesMost = 128;
export const rowsMost = 512;
/** Products of a query of which the highest is told. */
export const stretchRows = 64;
/** Bytes of the arguments of a call; the products come after them. */
const orderBytes = 32;
const orderNumbers = 5;
const productsMost = queriesMost * rowsMost;
const roomBytes = orderBytes + (productsMost + productsMost / stretchRows) * 4;
const numberBytes = 2;

/** Makes a memory for vectors of both sides and the products of some threads. */
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

/** Returns the vectors of a side from one row up to another. */
export function vectorsIn(
  { memory, width }: Pick<DotMemory, 'memory' | 'width'>,
  address: number,
  [from, to]: readonly [from: number, to: number],
): Int16Array {
  const start = address + from * width * numberBytes;
  return new Int16Array(memory.buffer, start, (to - from) * width);
}

export interface Products {
  readonly all: Int32Array;
  /** Highest products of stretches of right rows, a row for each left one. */
  readonly highest: Int32Array;
}

/** Computes products in the room of one thread. */
export class Dots {
  readonly #dots: DotMemory;
  readonly #exports: KernelExports;
  readonly #room: number;

  constructor(dots: DotMemory, room: number) {
    this.#dots = dots;
    this.#exports = openInstance(dots.memory);
    this.#room = dots.rooms + room * roomBytes;
  }

  /**
   * Returns the products of some left rows with all of some right rows, a row of products for each
   * left one, and the highest of each stretch of them; valid until the next call.
   */
  products(
    [leftFrom, leftTo]: readonly [number, number],
    [rightFrom, rightTo]: readonly [number, number],
  ): Products {
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
    const count = queryCount * rowCount;
    const start = this.#room + orderBytes;
    const stretchCount = queryCount * Math.ceil(rowCount / stretchRows);
    return {
      all: new Int32Array(memory.buffer, start, count),
      highest: new Int32Array(memory.buffer, start + count * 4, stretchCount),
    };
  }
}
