import {
  CELL_FORMULA,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
} from '../assembly/abi.ts';
import { errorCodes, type Value } from '../server/model/cell-value.ts';
import { writeInput, type WireInput } from '../server/model/input.ts';
import type { MemoryTexts } from './memory-texts.ts';

const textHeaderBytes = 16;

/** Turns a cell into a result; `flags` are those of the cell tag (CELL_* of abi.ts). */
export type CellForm<Result> = (value: Value, flags: number) => Result;

/** Returns the computed value. */
export const valueForm: CellForm<Value> = (value) => value;

/** Returns the text of a formula; null for all other cells. */
export const formulaForm: CellForm<string | null> = (value, flags) =>
  (flags & CELL_FORMULA) !== 0 && typeof value === 'string' ? value : null;

/** Returns the input as an operation takes it: text that looks like a formula is quoted. */
export const inputForm: CellForm<WireInput> = (value, flags) =>
  (flags & CELL_FORMULA) !== 0 ? value : writeInput(value);

/**
 * Reads results in the memory of the kernel. Valid until the kernel runs again, when the memory may
 * have grown and addresses may hold something else.
 */
export class MemoryReader {
  readonly #bareTexts: MemoryTexts;
  readonly #view: DataView;
  /** Texts by address, because a column repeats few texts many times. */
  readonly #texts = new Map<number, string>();

  constructor(buffer: SharedArrayBuffer, bareTexts: MemoryTexts) {
    this.#view = new DataView(buffer);
    this.#bareTexts = bareTexts;
  }

  word(address: number): number {
    return this.#view.getUint32(address, true);
  }

  value(address: number): Value {
    const kind = this.word(address + 8);
    if (kind === KIND_NUMBER) return this.#view.getFloat64(address, true);
    if (kind === KIND_BLANK) return null;
    const payload = this.word(address);
    if (kind === KIND_STRING) return this.text(payload);
    if (kind === KIND_BOOLEAN) return payload === 1;
    if (kind === KIND_ERROR) return { error: errorCodes[payload] ?? '#VALUE!' };
    throw new Error(`the kernel read a value of kind ${kind}`);
  }

  /** Reads a text behind its length. */
  text(address: number): string {
    const known = this.#texts.get(address);
    if (known !== undefined) return known;
    const text = this.#bareTexts.read(address + textHeaderBytes, this.word(address));
    this.#texts.set(address, text);
    return text;
  }
}
