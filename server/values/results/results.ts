import { LRUCache } from 'lru-cache';

import { Failure } from '../../model/failure.ts';
import { blockCells, BlockReader, type BlockCell } from '../../../workers/value-block.ts';
import type { ResultFacts, ResultKey, ResultTable } from './sql.ts';

const cachedBytesMost = 64 << 20;
const storedBytesMost = 4 * 2 ** 30;
/** Blocks read by one query: some two megabytes. */
const blocksAtOnce = 4;

/** Stored values of whole states, for all processes. */
export class Results {
  readonly #table: ResultTable;
  /** Blocks by result and number. */
  readonly #blocks = new LRUCache<string, Uint8Array>({
    maxSize: cachedBytesMost,
    sizeCalculation: (bytes) => bytes.length,
  });

  constructor(table: ResultTable) {
    this.#table = table;
  }

  async find(key: ResultKey): Promise<StoredResult | undefined> {
    const facts = await this.#table.find(key);
    return facts && new StoredResult(facts, (number) => this.#read(key, facts, number));
  }

  /** Stores a result; drops the least recently read ones beyond the budget. */
  async store(
    key: ResultKey,
    facts: ResultFacts,
    blocks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await this.#table.store(key, facts, blocks);
    await this.#table.prune(storedBytesMost);
  }

  async forget(workbookId: string): Promise<void> {
    await this.#table.forget(workbookId);
  }

  /** Reads a block; undefined if the result is gone. */
  async #read(key: ResultKey, { total }: ResultFacts, number: number) {
    const id = `${key.workbookId}/${key.key.toString('hex')}`;
    const known = this.#blocks.get(`${id}/${number}`);
    if (known !== undefined) return known;
    const last = Math.min(number + blocksAtOnce, Math.ceil(total / blockCells)) - 1;
    const read = await this.#table.blocks(key, number, last);
    for (const [index, bytes] of read.entries()) this.#blocks.set(`${id}/${number + index}`, bytes);
    return read[0];
  }
}

/** A stored result, which may be deleted while it is read. */
export class StoredResult {
  readonly seq: number;
  readonly total: number;
  readonly #read: (number: number) => Promise<Uint8Array | undefined>;

  constructor(
    { seq, total }: ResultFacts,
    read: (number: number) => Promise<Uint8Array | undefined>,
  ) {
    this.seq = seq;
    this.total = total;
    this.#read = read;
  }

  /** Yields the cells between two indexes; fails if the result is gone. */
  async *cells(start: number, end: number): AsyncGenerator<Generator<BlockCell>> {
    const last = Math.min(end, this.total);
    for (let at = start; at < last; at = (Math.floor(at / blockCells) + 1) * blockCells) {
      const number = Math.floor(at / blockCells);
      const block = new BlockReader(await this.#block(number));
      yield block.cells(at - number * blockCells, last - number * blockCells);
    }
  }

  get blockCount(): number {
    return Math.ceil(this.total / blockCells);
  }

  /** Yields all blocks; fails if the result is gone. */
  async *blocks(): AsyncGenerator<Uint8Array> {
    for (let number = 0; number < this.blockCount; number++) yield this.#block(number);
  }

  async #block(number: number): Promise<Uint8Array> {
    const bytes = await this.#read(number);
    if (bytes !== undefined) return bytes;
    throw new Failure('unavailable', {
      detail: 'The stored values were deleted while they were read.',
      hint: 'Ask again: they are computed once more.',
      headers: { 'Retry-After': '1' },
    });
  }
}
