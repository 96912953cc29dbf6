/** Conversions that are kept; a power of two. */
const conversionsMost = 4_096;
/** Longest text that is kept; longer ones take more room than they save time. */
const charactersMost = 256;

interface Conversion {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  /** Converted formula; undefined if the text is none. */
  readonly converted: string | undefined;
}

/**
 * Latest conversion of each cell's formula: merging and comparing cells ask for the same ones again
 * and again.
 */
export class RecentConversions {
  readonly #convert: (text: string, row: number, column: number) => string | undefined;
  readonly #conversions: (Conversion | undefined)[] = Array.from({ length: conversionsMost });

  constructor(convert: (text: string, row: number, column: number) => string | undefined) {
    this.#convert = convert;
  }

  of(text: string, row: number, column: number): string | undefined {
    // Neighbouring cells have different indexes.
    const index = (row * 16 + column) % conversionsMost;
    const known = this.#conversions[index];
    if (known?.row === row && known.column === column && known.text === text) {
      return known.converted;
    }
    const converted = this.#convert(text, row, column);
    if (text.length <= charactersMost) {
      this.#conversions[index] = { text, row, column, converted };
    }
    return converted;
  }
}
