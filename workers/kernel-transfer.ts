import { MemoryReader, type CellForm } from './decode.ts';
import type { KernelExports } from './kernel-exports.ts';
import { MemoryTexts, type GrowingMemory } from './memory-texts.ts';

export type VisitRecord = (reader: MemoryReader, address: number) => void;

const cellEntryBytes = 16;

/** Texts for the next call of a kernel, and the results of the last one, in the kernel's memory. */
export class KernelTransfer {
  readonly #exports: KernelExports;
  readonly #memory: GrowingMemory;
  readonly #texts: MemoryTexts;

  constructor(exports: KernelExports, memory: GrowingMemory) {
    this.#exports = exports;
    this.#memory = memory;
    this.#texts = new MemoryTexts(memory);
  }

  /** Writes a text as the input of the next call; returns its length in UTF-16 units. */
  write(text: string): number {
    this.#texts.write(this.#exports.input(text.length << 1) >>> 0, text);
    return text.length;
  }

  /** Returns the cells of the last read, row by row, and frees them in the kernel. */
  rows<Result>(
    [rowCount, columnCount]: readonly [number, number],
    form: CellForm<Result>,
  ): Result[][] {
    const rows: Result[][] = [];
    let address = this.#exports.resultAddress() >>> 0;
    const reader = new MemoryReader(this.#memory.buffer, this.#texts);
    for (let row = 0; row < rowCount; row++) {
      const cells: Result[] = [];
      for (let column = 0; column < columnCount; column++) {
        cells.push(form(reader.value(address), reader.word(address + 12)));
        address += cellEntryBytes;
      }
      rows.push(cells);
    }
    this.#exports.endRead();
    return rows;
  }

  /** Visits the records of the last read, and frees them in the kernel. */
  visit(recordBytes: number, visit: VisitRecord): void {
    const start = this.#exports.resultAddress() >>> 0;
    const end = start + (this.#exports.resultLength() >>> 0) * recordBytes;
    const reader = new MemoryReader(this.#memory.buffer, this.#texts);
    for (let address = start; address < end; address += recordBytes) visit(reader, address);
    this.#exports.endRead();
  }

  /** Returns the text of the last read. */
  text(): string {
    return this.#texts.read(this.#exports.resultAddress() >>> 0, this.#exports.resultLength());
  }

  /** Returns the fault that the last check of a formula has found. */
  problem(): { message: string; at: number } {
    const address = this.#exports.problemAddress() >>> 0;
    const message = this.#texts.read(address, this.#exports.problemLength());
    return { message, at: this.#exports.problemAt() };
  }
}
