import {
  CHANGES_ALL,
  CHANGES_COMPUTED,
  CHANGES_ERRORS,
  LENS_FORMULA,
  LENS_INPUT,
  LENS_VALUE,
  STATISTIC_EVALUATED,
  STATISTIC_FORMULA_CELLS,
  STATISTIC_UNMARKED,
  STATUS_MORE,
  STATUS_OK,
} from '../assembly/abi.ts';
import type { Value } from '../server/model/cell-value.ts';
import type { Mutation } from '../server/model/mutation.ts';
import type { Range } from '../server/model/range.ts';
import { MemoryReader, valueForm, type CellForm } from './decode.ts';
import { encodeMutations } from './encode.ts';
import { readStatistics, type KernelStatistics } from './kernel-statistics.ts';
import { hashKeyWords } from './hash-key.ts';
import type { KernelExports } from './kernel-exports.ts';
import { formulaModes, type ApartResult, type FormulaMode, type Spill } from './kernel-results.ts';
import {
  KernelFault,
  initialPages,
  maximumPages,
  openInstance,
  openMemory,
  pageBytes,
} from './kernel-instance.ts';

/** Model as threads hand it to one another: one memory, which is all there is of it. */
export interface KernelLoan {
  /** Number of the model among all that its thread has made. */
  readonly serial: number;
  readonly memory: WebAssembly.Memory;
}

/** Steps of fuel, or of marking: as good as no limit. */
const stepsMost = 0xffff_ffff;

/** Cells one read call may answer. */
export const readCellsMost = 65_536;

const lenses = { value: LENS_VALUE, formula: LENS_FORMULA, input: LENS_INPUT } as const;
export type Lens = keyof typeof lenses;

/** Cells that came to another value by calculation, those that are an error now, or all that did. */
const changes = { computed: CHANGES_COMPUTED, errors: CHANGES_ERRORS, all: CHANGES_ALL } as const;

/** Clock and seed decide what volatile functions answer; equal ones give equal values. */
export interface Recalculation {
  /** NOW as a serial number of the 1900 system. */
  readonly clockSerial: number;
  readonly seedHigh: number;
  readonly seedLow: number;
}

/** `sheet` is a key. */
interface CellPlace {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

type VisitRecord = (reader: MemoryReader, address: number) => void;

const fixedAreaBit = 1 << 30;
const cellEntryBytes = 16;
const valueEntryBytes = 32;
const changeEntryBytes = 40;
const referenceEntryBytes = 40;

/**
 * One instance of the kernel over the memory of one model. Instances of several threads may be
 * attached to one memory, but only one may work at a time, and after another one has worked this
 * one has to `refresh` first.
 */
export class Kernel {
  static #createdCount = 0;
  readonly loan: KernelLoan;
  readonly #exports: KernelExports;
  #counted: WebAssembly.Memory | undefined;

  private constructor(loan: KernelLoan) {
    this.loan = loan;
    this.#exports = openInstance(loan.memory);
  }

  /** An empty workbook in a memory of its own, which can grow to `memoryBytesMost`. */
  static create(memoryBytesMost = maximumPages * pageBytes): Kernel {
    const memory = openMemory(memoryBytesMost);
    const kernel = new Kernel({ serial: ++Kernel.#createdCount, memory });
    kernel.#guard(() => kernel.#exports.open(...hashKeyWords()));
    return kernel;
  }

  /** An instance of this thread over a model that another one has made. */
  static attach(loan: KernelLoan): Kernel {
    const kernel = new Kernel(loan);
    kernel.refresh();
    return kernel;
  }

  /** Makes the model what another one is. Nobody may work on either meanwhile. */
  copyFrom({ memory }: KernelLoan): void {
    const own = this.loan.memory;
    const missing = (memory.buffer.byteLength - own.buffer.byteLength) / pageBytes;
    if (missing > 0) own.grow(missing);
    new Uint8Array(own.buffer).set(new Uint8Array(memory.buffer));
    this.refresh();
  }

  /** To be called before this instance works again after another one did. */
  refresh(): void {
    this.#guard(() => this.#exports.attach());
  }

  apply(mutations: Iterable<Mutation>, markSteps = stepsMost): void {
    for (const commands of encodeMutations(mutations)) this.applyCommands(commands, markSteps);
  }

  /**
   * Changes the grid; what depends on it waits for `recalculate`. It is marked in about `markSteps`
   * steps, else by the next call, which takes as long as there is to be marked (`isMarked`).
   */
  applyCommands(commands: Uint8Array, markSteps = stepsMost): void {
    this.#guard(() => {
      const address = this.#exports.input(commands.length) >>> 0;
      new Uint8Array(this.loan.memory.buffer, address, commands.length).set(commands);
      expectOk('apply', this.#exports.apply(commands.length, markSteps));
    });
  }

  /**
   * Evaluates what is pending until all is done, or the fuel is used up: then answers false. It is
   * also used up by a cell that takes more than `cellSteps`, which is left pending.
   */
  recalculate(
    { clockSerial, seedHigh, seedLow }: Recalculation,
    fuelSteps: number,
    cellSteps = stepsMost,
  ): boolean {
    return this.#guard(() => {
      const steps = [fuelSteps, cellSteps];
      const status = this.#exports.recalculate(clockSerial, seedHigh, seedLow, ...steps);
      if (status !== STATUS_OK && status !== STATUS_MORE) {
        throw new Error(`recalculate answered status ${status}`);
      }
      return status === STATUS_OK;
    });
  }

  get pendingCount(): number {
    return this.#guard(() => this.#exports.pendingCount());
  }

  /** True when all cells that depend on the last edit are marked. */
  get isMarked(): boolean {
    return this.#guard(() => this.#exports.statistic(STATISTIC_UNMARKED)) === 0;
  }

  get formulaCount(): number {
    return this.#guard(() => this.#exports.statistic(STATISTIC_FORMULA_CELLS));
  }

  /** Cells computed by the last recalculation. */
  get evaluatedCount(): number {
    return this.#guard(() => this.#exports.statistic(STATISTIC_EVALUATED));
  }

  get memoryBytes(): number {
    return this.loan.memory.buffer.byteLength;
  }

  /**
   * Answers the bytes of the memory and has V8 count what it has grown by. V8 counts no memory
   * that threads share, and would see no reason to collect models that nobody uses any more. It
   * does count a second memory, which takes no room as nobody touches it.
   */
  weigh(): number {
    const bytes = this.memoryBytes;
    const initial = bytes / pageBytes - initialPages;
    const counted = this.#counted?.buffer.byteLength ?? 0;
    if (initial * pageBytes > counted) this.#counted = new WebAssembly.Memory({ initial });
    return bytes;
  }

  statistics(): KernelStatistics {
    return this.#guard(() => readStatistics(this.#exports));
  }

  /** The cells of a range row by row, each in the given form; at most `readCellsMost`. */
  readRange<Result>(
    sheet: number,
    { row0, column0, row1, column1 }: Range,
    { lens, form }: { lens: Lens; form: CellForm<Result> },
  ): Result[][] {
    return this.#guard(() => {
      const status = this.#exports.readRange(sheet, row0, column0, row1, column1, lenses[lens]);
      expectOk(`readRange of sheet ${sheet}`, status);
      return this.#resultRows([row1 - row0 + 1, column1 - column0 + 1], form);
    });
  }

  /** Non-blank cells of the whole workbook. */
  get valueCount(): number {
    return this.#guard(() => this.#exports.valueCount());
  }

  /**
   * Visits non-blank cells in the order of sheets, rows and columns; `sheet` is a key. Answers how
   * many there were: fewer than the limit where their texts are long, and 0 at the end alone.
   */
  readValues(
    offset: number,
    limit: number,
    visit: (cell: CellPlace & { value: Value }) => void,
  ): number {
    return this.#guard(() => {
      expectOk('readValues', this.#exports.readValues(offset, limit));
      const count = this.#exports.resultLength() >>> 0;
      this.#visitResult(valueEntryBytes, (reader, address) => {
        const sheet = reader.word(address + 12);
        const row = reader.word(address + 16);
        const column = reader.word(address + 20);
        visit({ sheet, row, column, value: reader.value(address) });
      });
      return count;
    });
  }

  /** From now on notes which cells change, or does not; former notes go. Nothing may be pending. */
  watchChanges(isWatched: boolean): void {
    this.#guard(() => this.#exports.watchChanges(isWatched ? 1 : 0));
  }

  /**
   * Turns batches on or off, which compute rows of one formula together; values are the same either
   * way.
   */
  useBatches(isUsed: boolean): void {
    this.#guard(() => this.#exports.useBatches(isUsed ? 1 : 0));
  }

  /** Visits the first changes in the order of sheets, rows and columns; answers how many there are. */
  readChanges(
    which: keyof typeof changes,
    limit: number,
    visit: (cell: CellPlace & { from: Value; to: Value }) => void,
  ): number {
    return this.#guard(() => {
      const total = this.#exports.readChanges(changes[which], limit);
      this.#visitResult(changeEntryBytes, (reader, address) => {
        const sheet = reader.word(address + 12);
        const [row, column] = [reader.word(address + 28), reader.word(address + 32)];
        const [from, to] = [reader.value(address), reader.value(address + 16)];
        visit({ sheet, row, column, from, to });
      });
      return total;
    });
  }

  /** The area that the formula of a cell fills beside its own cell; undefined if there is none. */
  readSpill(sheet: number, row: number, column: number): Spill | undefined {
    return this.#guard(() => {
      const answer = this.#exports.readSpill(sheet, row, column);
      const columnCount = this.#exports.resultLength();
      this.#exports.endRead();
      const rowCount = answer & ~fixedAreaBit;
      if (rowCount === 0) return undefined;
      return { rowCount, columnCount, isFixed: (answer & fixedAreaBit) !== 0 };
    });
  }

  /** Returns one past the last row that holds anything in a column; 0 for none. */
  usedRows(sheet: number, column: number): number {
    return this.#guard(() => this.#exports.usedRows(sheet, column, column));
  }

  formulaMode(sheet: number, row: number, column: number): FormulaMode {
    const mode = this.#guard(() => this.#exports.formulaMode(sheet, row, column));
    return formulaModes[mode + 1] ?? 'none';
  }

  /** Undefined for a formula; else what is wrong with the text, and where. */
  checkFormula(text: string, isTyped = true): { message: string; at: number } | undefined {
    return this.#guard(() => {
      const status = this.#exports.check(this.#writeText(text), Number(isTyped));
      const problem = status === STATUS_OK ? undefined : this.#problem();
      this.#exports.endRead();
      return problem;
    });
  }

  /**
   * Evaluates a formula off the grid, with the cells of a sheet; undefined for no formula. Nothing
   * may be pending, and at most `cellsMost` values are answered.
   */
  evaluateApart(text: string, sheet: number, cellsMost: number): ApartResult | undefined {
    return this.#guard(() => {
      const units = this.#writeText(text);
      const rowCount = this.#exports.evaluateInput(units, sheet, cellsMost) >>> 0;
      const columnCount = this.#exports.resultLength() >>> 0;
      const isRead = rowCount > 0 && rowCount * columnCount <= cellsMost;
      if (isRead) return { rows: this.#resultRows([rowCount, columnCount], valueForm) };
      this.#exports.endRead();
      return rowCount === 0 ? undefined : { rows: undefined };
    });
  }

  /** The formula in the other notation, as it reads in the cell; undefined if it is none. */
  convertFormula(
    text: string,
    at: { row: number; column: number },
    to: 'A1' | 'R1C1',
  ): string | undefined {
    return this.#guard(() => {
      const count = this.#writeText(text);
      const [fromR1C1, toR1C1] = to === 'A1' ? [1, 0] : [0, 1];
      const status = this.#exports.convert(count, at.row, at.column, fromR1C1, toR1C1);
      const converted = status === STATUS_OK ? this.#resultText() : undefined;
      this.#exports.endRead();
      return converted;
    });
  }

  /** Visits the records of a formula's references; none of a text that is no formula. */
  readReferences(text: string, visit: VisitRecord): void {
    this.#guard(() => {
      const status = this.#exports.listReferences(this.#writeText(text));
      if (status === STATUS_OK) this.#visitResult(referenceEntryBytes, visit);
      else this.#exports.endRead();
    });
  }

  /** The cells that a read has left, row by row, and frees them. */
  #resultRows<Result>(
    [rowCount, columnCount]: readonly [number, number],
    form: CellForm<Result>,
  ): Result[][] {
    const rows: Result[][] = [];
    let address = this.#exports.resultAddress() >>> 0;
    const reader = new MemoryReader(this.loan.memory.buffer);
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

  /** Visits the records that a read has left, and frees them. */
  #visitResult(recordBytes: number, visit: (reader: MemoryReader, address: number) => void): void {
    const start = this.#exports.resultAddress() >>> 0;
    const end = start + (this.#exports.resultLength() >>> 0) * recordBytes;
    const reader = new MemoryReader(this.loan.memory.buffer);
    for (let address = start; address < end; address += recordBytes) visit(reader, address);
    this.#exports.endRead();
  }

  #writeText(text: string): number {
    const address = this.#exports.input(text.length << 1) >>> 0;
    const units = new Uint16Array(this.loan.memory.buffer, address, text.length);
    for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
    return text.length;
  }

  #resultText(): string {
    const reader = new MemoryReader(this.loan.memory.buffer);
    return reader.units(this.#exports.resultAddress() >>> 0, this.#exports.resultLength());
  }

  #problem(): { message: string; at: number } {
    const reader = new MemoryReader(this.loan.memory.buffer);
    const address = this.#exports.problemAddress() >>> 0;
    const message = reader.units(address, this.#exports.problemLength());
    return { message, at: this.#exports.problemAt() };
  }

  /** Whatever is thrown in here was thrown with the model half changed. */
  #guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new KernelFault(`the kernel stopped: ${reason}`, { cause: error });
    }
  }
}

/** After any other status the result is that of an earlier call. */
function expectOk(call: string, status: number): void {
  if (status !== STATUS_OK) throw new Error(`${call} answered status ${status}`);
}
