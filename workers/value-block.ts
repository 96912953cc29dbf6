import { Packr } from 'msgpackr';

import type { ErrorCode, Value } from '../server/model/cell-value.ts';

/** Cells of a block; only the last block of a result has fewer. */
export const blockCells = 32_768;
/**
 * Version of the layout below; a change of the layout increases it, so that stored blocks of the
 * old one are not found.
 */
export const blockVersion = 1;

/** Codes in `kinds`. */
const valueKinds = { blank: 0, number: 1, text: 2, boolean: 3, error: 4 } as const;

/**
 * Consecutive non-blank cells by columns, as they are stored and sent: one msgpack map. Each array
 * has one entry for each cell, little endian. `numbers` has a number itself, 1 or 0 for a boolean,
 * and for a text or an error its index in `texts`, where each is once; a text with half a surrogate
 * pair, which UTF-8 cannot encode, is there as bytes of UTF-16.
 */
interface ValueBlock {
  readonly count: number;
  /** Sheets with the number of their consecutive cells. */
  readonly sheets: readonly { readonly name: string; readonly count: number }[];
  /** Rows, 32 bits each, from 0. */
  readonly rows: Uint8Array;
  /** Columns, 16 bits each, from 0. */
  readonly columns: Uint8Array;
  /** Kinds by `valueKinds`, 8 bits each. */
  readonly kinds: Uint8Array;
  /** Numbers, 64-bit floats. */
  readonly numbers: Uint8Array;
  readonly texts: readonly (string | Uint8Array)[];
}

export interface BlockCell {
  readonly sheet: string;
  readonly row: number;
  readonly column: number;
  readonly value: Value;
}

const packr = new Packr({ useRecords: false, variableMapSize: true });

/** Collects the cells of a block, in the order of sheets, rows and columns. */
export class BlockWriter {
  readonly #sheets: { name: string; count: number }[] = [];
  readonly #rows: Buffer;
  readonly #columns: Buffer;
  readonly #kinds: Buffer;
  readonly #numbers: Buffer;
  readonly #texts: (string | Uint8Array)[] = [];
  readonly #indexes = new Map<string, number>();
  #count = 0;

  constructor(cellsMost: number) {
    this.#rows = Buffer.alloc(cellsMost * 4);
    this.#columns = Buffer.alloc(cellsMost * 2);
    this.#kinds = Buffer.alloc(cellsMost);
    this.#numbers = Buffer.alloc(cellsMost * 8);
  }

  add({ sheet, row, column, value }: BlockCell): void {
    const last = this.#sheets.at(-1);
    if (last?.name === sheet) last.count++;
    else this.#sheets.push({ name: sheet, count: 1 });
    const at = this.#count++;
    this.#rows.writeUInt32LE(row, at * 4);
    this.#columns.writeUInt16LE(column, at * 2);
    const [kind, number] = this.#encode(value);
    this.#kinds[at] = kind;
    this.#numbers.writeDoubleLE(number, at * 8);
  }

  /** Returns the block in new memory. */
  finish(): Uint8Array<ArrayBuffer> {
    const count = this.#count;
    const block: ValueBlock = {
      count,
      sheets: this.#sheets,
      rows: this.#rows.subarray(0, count * 4),
      columns: this.#columns.subarray(0, count * 2),
      kinds: this.#kinds.subarray(0, count),
      numbers: this.#numbers.subarray(0, count * 8),
      texts: this.#texts,
    };
    return new Uint8Array(packr.pack(block));
  }

  #encode(value: Value): [kind: number, number: number] {
    if (typeof value === 'number') return [valueKinds.number, value];
    if (typeof value === 'string') return [valueKinds.text, this.#indexOf(value)];
    if (typeof value === 'boolean') return [valueKinds.boolean, value ? 1 : 0];
    if (value === null) return [valueKinds.blank, 0];
    return [valueKinds.error, this.#indexOf(value.error)];
  }

  #indexOf(text: string): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    const index = this.#texts.length;
    this.#indexes.set(text, index);
    this.#texts.push(isWellFormed(text) ? text : Buffer.from(text, 'utf16le'));
    return index;
  }
}

/** Reads a stored block. */
export class BlockReader {
  readonly #block: ValueBlock;
  readonly #numbers: DataView;
  readonly #texts: readonly string[];

  constructor(bytes: Uint8Array) {
    const block = packr.unpack(bytes) as ValueBlock;
    this.#block = block;
    const { buffer, byteOffset, byteLength } = block.numbers;
    this.#numbers = new DataView(buffer, byteOffset, byteLength);
    this.#texts = block.texts.map((text) =>
      typeof text === 'string' ? text : Buffer.from(text).toString('utf16le'),
    );
  }

  get count(): number {
    return this.#block.count;
  }

  /** Yields the cells from index `start` up to, but not including, `end`. */
  *cells(start: number, end: number): Generator<BlockCell> {
    const { sheets, count } = this.#block;
    let first = 0;
    for (const { name, count: length } of sheets) {
      const last = Math.min(first + length, end, count);
      for (let at = Math.max(first, start); at < last; at++) yield this.#cell(name, at);
      first += length;
    }
  }

  #cell(sheet: string, at: number): BlockCell {
    const { rows, columns } = this.#block;
    const row = uint16(rows, at * 4) + uint16(rows, at * 4 + 2) * 0x1_0000;
    return { sheet, row, column: uint16(columns, at * 2), value: this.#value(at) };
  }

  #value(at: number): Value {
    const number = this.#numbers.getFloat64(at * 8, true);
    switch (this.#block.kinds[at]) {
      case valueKinds.number:
        return number;
      case valueKinds.text:
        return this.#texts[number] ?? '';
      case valueKinds.boolean:
        return number === 1;
      case valueKinds.error:
        return { error: this.#texts[number] as ErrorCode };
      default:
        return null;
    }
  }
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

const loneSurrogate = /\p{Surrogate}/u;

function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}
