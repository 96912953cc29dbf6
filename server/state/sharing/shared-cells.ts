import type { HeldBlock } from '../cells/held-block.ts';
import type { HeldColumn } from '../cells/cell-column.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import { bytesAt, chunkAt, ChunkWriter } from './shared-chunks.ts';

/** Members of the record of a block, each a number; see `blockRecord`. */
export const blockMembers = 12;

/** Cells in shared memory: each block and each column once, whatever shares it. */
export interface SharedCells {
  readonly chunks: readonly SharedArrayBuffer[];
  /** Records of blocks, `blockMembers` numbers each. */
  readonly blocks: Float64Array;
  /** For each column its branch, sequence, offset and digest, the count of its blocks, and their numbers. */
  readonly columns: Float64Array;
  /** SHA-256 digests, one after the other. */
  readonly digests: Uint8Array;
}

/** Digests of blocks that were not known when the blocks were shared. */
export interface FoundDigests {
  /** Numbers of the blocks. */
  readonly blocks: Float64Array;
  readonly digests: Uint8Array;
}

/** The cells of one sheet: numbers of columns in `SharedCells`. */
export interface SharedSheet {
  readonly columns: readonly number[];
  readonly knowsArrays: boolean;
}

/** Stand for a digest that is not known, and for that of a block without content. */
export const noDigest = { unknown: -1, blank: -2 } as const;

const blocksBetweenPauses = 16;
const digestBytes = 32;

/** Writes cells to shared memory. */
export class SharedCellsWriter {
  readonly #chunks = new ChunkWriter();
  readonly #blocks: number[] = [];
  readonly #columns: number[] = [];
  readonly #digests: Buffer[] = [];
  readonly #blockNumbers = new Map<HeldBlock, number>();
  readonly #columnNumbers = new Map<HeldColumn, number>();

  *add(cells: SheetCells): Generator<void, SharedSheet> {
    const columns: number[] = [];
    for (const column of cells.columns.values()) {
      let number = this.#columnNumbers.get(column);
      if (number === undefined) {
        number = this.#columnNumbers.size;
        this.#columnNumbers.set(column, number);
        yield* this.#addColumn(column);
      }
      columns.push(number);
    }
    return { columns, knowsArrays: cells.knowsArrays };
  }

  /** Notes digests of blocks that another thread has found. */
  noteDigests({ blocks, digests }: FoundDigests): void {
    const all = [...this.#blockNumbers.keys()];
    for (const [at, number] of blocks.entries()) {
      const digest = Buffer.from(digests.subarray(at * digestBytes, (at + 1) * digestBytes));
      all[number]?.block.noteDigest(digest);
    }
  }

  /** Everything that was added. */
  get shared(): SharedCells {
    return {
      chunks: this.#chunks.chunks,
      blocks: Float64Array.from(this.#blocks),
      columns: Float64Array.from(this.#columns),
      digests: new Uint8Array(Buffer.concat(this.#digests)),
    };
  }

  *#addColumn({ id, blocks, digest }: HeldColumn): Generator<void, void> {
    const numbers: number[] = [];
    for (const held of blocks.values()) {
      let number = this.#blockNumbers.get(held);
      if (number === undefined) {
        number = this.#blockNumbers.size;
        this.#blockNumbers.set(held, number);
        this.#addBlock(held);
        if (number % blocksBetweenPauses === 0) yield;
      }
      numbers.push(number);
    }
    const { branch, sequence, offset } = id;
    this.#columns.push(branch, sequence, offset, this.#digestNumber(digest));
    this.#columns.push(numbers.length, ...numbers);
  }

  #addBlock(held: HeldBlock): void {
    const { stored } = held;
    if (stored?.digest) {
      const bytes = stored.source.get(stored.digest);
      const { chunk, offset } = this.#chunks.put(bytes);
      this.#note(held, [bytes.length, 0, chunk, offset]);
      return;
    }
    const { low, tags, numbers, formatLow, formats } = held.block.passingLanes;
    const byteCount = numbers.byteLength + formats.byteLength + tags.byteLength;
    const place = this.#chunks.take(byteCount);
    const lanes = lanesAt(this.#chunks.chunks, {
      ...place,
      count: tags.length,
      formatCount: formats.length,
    });
    lanes.numbers.set(numbers);
    lanes.formats.set(formats);
    lanes.tags.set(tags);
    const { chunk, offset } = place;
    this.#note(held, [0, low, chunk, offset, tags.length, formatLow, formats.length]);
  }

  #note(held: HeldBlock, members: readonly number[]): void {
    const { branch, sequence, index } = held.place;
    const record = [branch, sequence, index, this.#digestNumber(held.digest), ...members];
    while (record.length < blockMembers) record.push(0);
    this.#blocks.push(...record);
  }

  #digestNumber(digest: Buffer | null | undefined): number {
    if (digest === undefined) return noDigest.unknown;
    if (digest === null) return noDigest.blank;
    if (digest.length !== digestBytes) throw new RangeError('a digest has 32 bytes');
    return this.#digests.push(digest) - 1;
  }
}

/** Reads the record of a block. */
export function blockRecord(blocks: Float64Array, number: number) {
  const at = number * blockMembers;
  const member = (index: number): number => blocks[at + index] ?? 0;
  return {
    place: { branch: member(0), sequence: member(1), index: member(2) },
    digest: member(3),
    /** Bytes of its stored form; 0 where its lanes are there. */
    storedLength: member(4),
    low: member(5),
    chunk: member(6),
    offset: member(7),
    count: member(8),
    formatLow: member(9),
    formatCount: member(10),
  };
}

interface LanesPlace {
  readonly chunk: number;
  readonly offset: number;
  readonly count: number;
  readonly formatCount: number;
}

/** Lanes in shared memory: numbers first, which ask for the widest alignment. */
export function lanesAt(
  chunks: readonly SharedArrayBuffer[],
  { chunk, offset, count, formatCount }: LanesPlace,
) {
  const buffer = chunkAt(chunks, chunk);
  const formatsAt = offset + count * Float64Array.BYTES_PER_ELEMENT;
  const tagsAt = formatsAt + formatCount * Uint16Array.BYTES_PER_ELEMENT;
  return {
    numbers: new Float64Array(buffer, offset, count),
    formats: new Uint16Array(buffer, formatsAt, formatCount),
    tags: bytesAt(chunks, { chunk, offset: tagsAt }, count),
  };
}
