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
import { valueForm, type CellForm } from './decode.ts';
import { encodeMutations } from './encode.ts';
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
import { readStatistics, type KernelStatistics } from './kernel-statistics.ts';
import { KernelTransfer, type VisitRecord } from './kernel-transfer.ts';

/** A model as threads pass it on: its memory is all there is of it. */
export interface KernelLoan {
  /** Number of the model among those that its thread has made. */
  readonly serial: number;
  readonly memory: WebAssembly.Memory;
}

/** Steps that amount to no limit. */
const stepsMost = 0xffff_ffff;

/** Cells that one read may return. */
export const readCellsMost = 65_536;

const lenses = { value: LENS_VALUE, formula: LENS_FORMULA, input: LENS_INPUT } as const;
export type Lens = keyof typeof lenses;

/**
 * Kinds of changes to read: computed cells with another value, cells that became an error, or all.
 */
const changes = { computed: CHANGES_COMPUTED, errors: CHANGES_ERRORS, all: CHANGES_ALL } as const;

/** Clock and seed of volatile functions; the same ones give the same values. */
export interface Recalculation {
  /** Value of NOW as a serial number of the 1900 system. */
  readonly clockSerial: number;
  readonly seedHigh: number;
  readonly seedLow: number;
}

/** Address of a cell; `sheet` is a key. */
interface CellPlace {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

const fixedAreaBit = 1 << 30;
const valueEntryBytes = 32;
const changeEntryBytes = 40;
const referenceEntryBytes = 40;

/**
 * An instance of the kernel over the memory of one model. Instances of several threads may share
 * one memory, but only one may work at a time; after another one has worked, call `refresh` first.
 */
export class Kernel {
  static #createdCount = 0;
  readonly loan: KernelLoan;
  readonly #exports: KernelExports;
  readonly #transfer: KernelTransfer;
  #counted: WebAssembly.Memory | undefined;

  private constructor(loan: KernelLoan) {
    this.loan = loan;
    this.#exports = openInstance(loan.memory);
    this.#transfer = new KernelTransfer(this.#exports, loan.memory);
  }

  /** Makes an empty workbook in a new memory, which can grow to `memoryBytesMost`. */
  static create(memoryBytesMost = maximumPages * pageBytes): Kernel {
    const memory = openMemory(memoryBytesMost);
    const kernel = new Kernel({ serial: ++Kernel.#createdCount, memory });
    kernel.#guard(() => kernel.#exports.open(...hashKeyWords()));
    return kernel;
  }

  /** Makes this thread's instance over a model that another thread has made. */
  static attach(loan: KernelLoan): Kernel {
    const kernel = new Kernel(loan);
    kernel.refresh();
    return kernel;
  }

  /** Copies another model into this one. Nobody may work on either meanwhile. */
  copyFrom({ memory }: KernelLoan): void {
    const own = this.loan.memory;
    const missing = (memory.buffer.byteLength - own.buffer.byteLength) / pageBytes;
    if (missing > 0) own.grow(missing);
    new Uint8Array(own.buffer).set(new Uint8Array(memory.buffer));
    this.refresh();
  }

  /** Reads the model's state again, after another instance has worked on it. */
  refresh(): void {
    this.#guard(() => this.#exports.attach());
  }

  apply(mutations: Iterable<Mutation>, markSteps = stepsMost): void {
    for (const commands of encodeMutations(mutations)) this.applyCommands(commands, markSteps);
  }

  /**
   * Changes cells. Dependents are marked in about `markSteps` steps, and the rest by the next call,
   * however long that takes (see `isMarked`); `recalculate` evaluates them.
   */
  applyCommands(commands: Uint8Array, markSteps = stepsMost): void {
    this.#guard(() => {
      const address = this.#exports.input(commands.length) >>> 0;
      new Uint8Array(this.loan.memory.buffer, address, commands.length).set(commands);
      expectOk('apply', this.#exports.apply(commands.length, markSteps));
    });
  }

  /**
   * Evaluates pending cells. Returns false when the fuel was used up before the end, also by a cell
   * that took more than `cellSteps`, which stays pending.
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

  /** Number of cells that the last recalculation evaluated. */
  get evaluatedCount(): number {
    return this.#guard(() => this.#exports.statistic(STATISTIC_EVALUATED));
  }

  get memoryBytes(): number {
    return this.loan.memory.buffer.byteLength;
  }

  /**
   * Returns the bytes of the memory, and makes V8 aware of its growth. V8 does not count memory
   * that threads share, and would not collect unused models. It counts a second memory of the same
   * size, which nobody touches, so that it takes no room.
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

  /** Reads the cells of a range row by row, each in the given form; at most `readCellsMost`. */
  readRange<Result>(
    sheet: number,
    { row0, column0, row1, column1 }: Range,
    { lens, form }: { lens: Lens; form: CellForm<Result> },
  ): Result[][] {
    return this.#guard(() => {
      const status = this.#exports.readRange(sheet, row0, column0, row1, column1, lenses[lens]);
      expectOk(`readRange of sheet ${sheet}`, status);
      return this.#transfer.rows([row1 - row0 + 1, column1 - column0 + 1], form);
    });
  }

  /** Number of non-blank cells of the workbook. */
  get valueCount(): number {
    return this.#guard(() => this.#exports.valueCount());
  }

  /**
   * Visits non-blank cells in the order of sheets, rows and columns; `sheet` is a key. Returns the
   * number of cells, which is below the limit if their texts are long, and 0 only at the end.
   */
  readValues(
    offset: number,
    limit: number,
    visit: (cell: CellPlace & { value: Value }) => void,
  ): number {
    return this.#guard(() => {
      expectOk('readValues', this.#exports.readValues(offset, limit));
      const count = this.#exports.resultLength() >>> 0;
      this.#transfer.visit(valueEntryBytes, (reader, address) => {
        const sheet = reader.word(address + 12);
        const row = reader.word(address + 16);
        const column = reader.word(address + 20);
        visit({ sheet, row, column, value: reader.value(address) });
      });
      return count;
    });
  }

  /**
   * Starts to note which cells change, or stops; earlier notes are dropped. No cell may be pending.
   */
  watchChanges(isWatched: boolean): void {
    this.#guard(() => this.#exports.watchChanges(isWatched ? 1 : 0));
  }

  /**
   * Turns batches on or off, which compute rows of one formula together. Values do not depend on
   * it.
   */
  useBatches(isUsed: boolean): void {
    this.#guard(() => this.#exports.useBatches(isUsed ? 1 : 0));
  }

  /**
   * Visits changes in the order of sheets, rows and columns, up to a limit; returns their number.
   */
  readChanges(
    which: keyof typeof changes,
    limit: number,
    visit: (cell: CellPlace & { from: Value; to: Value }) => void,
  ): number {
    return this.#guard(() => {
      const total = this.#exports.readChanges(changes[which], limit);
      this.#transfer.visit(changeEntryBytes, (reader, address) => {
        const sheet = reader.word(address + 12);
        const [row, column] = [reader.word(address + 28), reader.word(address + 32)];
        const [from, to] = [reader.value(address), reader.value(address + 16)];
        visit({ sheet, row, column, from, to });
      });
      return total;
    });
  }

  /**
   * Returns the area that a cell's formula fills beyond its own cell; undefined if there is none.
   */
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

  /** Returns the row after the last one with content in a column; 0 if the column is empty. */
  usedRows(sheet: number, column: number): number {
    return this.#guard(() => this.#exports.usedRows(sheet, column, column));
  }

  /** Returns how many rows and columns of a sheet there are up to the last that has a value. */
  readExtent(sheet: number): { readonly rowCount: number; readonly columnCount: number } {
    return this.#guard(() => {
      const rowCount = this.#exports.readExtent(sheet);
      return { rowCount, columnCount: this.#exports.resultLength() };
    });
  }

  formulaMode(sheet: number, row: number, column: number): FormulaMode {
    const mode = this.#guard(() => this.#exports.formulaMode(sheet, row, column));
    return formulaModes[mode + 1] ?? 'none';
  }

  /** Returns the fault in the text of a formula and its index; undefined if it is correct. */
  checkFormula(text: string, isTyped = true): { message: string; at: number } | undefined {
    return this.#guard(() => {
      const status = this.#exports.check(this.#transfer.write(text), Number(isTyped));
      const problem = status === STATUS_OK ? undefined : this.#transfer.problem();
      this.#exports.endRead();
      return problem;
    });
  }

  /**
   * Evaluates a formula off the grid, with references to a sheet; undefined if the text is no
   * formula. No cell may be pending, and at most `cellsMost` values are returned.
   */
  evaluateApart(text: string, sheet: number, cellsMost: number): ApartResult | undefined {
    return this.#guard(() => {
      const units = this.#transfer.write(text);
      const rowCount = this.#exports.evaluateInput(units, sheet, cellsMost) >>> 0;
      const columnCount = this.#exports.resultLength() >>> 0;
      const isRead = rowCount > 0 && rowCount * columnCount <= cellsMost;
      if (isRead) return { rows: this.#transfer.rows([rowCount, columnCount], valueForm) };
      this.#exports.endRead();
      return rowCount === 0 ? undefined : { rows: undefined };
    });
  }

  /**
   * Returns a formula in the other notation, as it reads in a cell; undefined if the text is no
   * formula.
   */
  convertFormula(
    text: string,
    at: { row: number; column: number },
    to: 'A1' | 'R1C1',
  ): string | undefined {
    return this.#guard(() => {
      const count = this.#transfer.write(text);
      const [fromR1C1, toR1C1] = to === 'A1' ? [1, 0] : [0, 1];
      const status = this.#exports.convert(count, at.row, at.column, fromR1C1, toR1C1);
      const converted = status === STATUS_OK ? this.#transfer.text() : undefined;
      this.#exports.endRead();
      return converted;
    });
  }

  /** Visits the references of a formula; none if the text is no formula. */
  readReferences(text: string, visit: VisitRecord): void {
    this.#guard(() => {
      const status = this.#exports.listReferences(this.#transfer.write(text));
      if (status === STATUS_OK) this.#transfer.visit(referenceEntryBytes, visit);
      else this.#exports.endRead();
    });
  }

  /** Turns any exception into a KernelFault, because it left the model half changed. */
  #guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new KernelFault(`the kernel stopped: ${reason}`, { cause: error });
    }
  }
}

/** Throws unless the call succeeded: its result would otherwise be that of an earlier call. */
function expectOk(call: string, status: number): void {
  if (status !== STATUS_OK) throw new Error(`${call} answered status ${status}`);
}
