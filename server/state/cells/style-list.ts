import {
  canonicalPattern,
  patchStyle,
  plainStyle,
  styleOfText,
  styleText,
  type CellStyle,
  type StylePatch,
} from '../../model/cell-style.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { Rejection } from '../../model/rejection.ts';

const patchesMost = 4_096;
const general = 'General';

/**
 * Whole styles of cells, each stored once and named by an index that fits a lane of a block. Index
 * 0 is a cell nobody formatted. Grows only: what two states share means the same to both.
 */
export class StyleList {
  readonly #styles: CellStyle[] = [plainStyle];
  readonly #texts: string[] = [''];
  /** The number format of each, which is read far more often than the rest. */
  readonly #patterns: string[] = [general];
  readonly #index = new Map<string, number>([['', 0]]);
  #patches = new Map<string, FormatPatch>();
  #plainOverLine: number | undefined;

  get size(): number {
    return this.#styles.length;
  }

  style(index: number): CellStyle {
    return entry(this.#styles, index);
  }

  text(index: number): string {
    return entry(this.#texts, index);
  }

  pattern(index: number): string {
    return entry(this.#patterns, index);
  }

  /**
   * Returns the index of a canonical style. Rejects when the list is full (`limits.formatCount`).
   */
  indexOf(style: CellStyle): number {
    const text = styleText(style);
    return this.#index.get(text) ?? this.#add(style, text);
  }

  indexOfText(text: string): number {
    return this.#index.get(text) ?? this.#add(styleOfText(text), text);
  }

  /** The style that hides what the row or the column says without saying anything itself. */
  get plainOverLine(): number {
    this.#plainOverLine ??= this.indexOf({ named: 'Normal' });
    return this.#plainOverLine;
  }

  numberFormatPatch(pattern: string): FormatPatch {
    const known = this.#patches.get(pattern);
    return known ?? this.#keep(pattern, { numberFormat: canonicalPattern(pattern) });
  }

  patch(patch: StylePatch, replaces: boolean): FormatPatch {
    const key = `${replaces ? '=' : '+'}\n${JSON.stringify(patch)}`;
    return this.#patches.get(key) ?? this.#keep(key, patch, replaces);
  }

  /** Returns whether this many styles more fit, even if all of them are new. */
  hasRoomFor(count: number): boolean {
    return this.size + count <= limits.formatCount;
  }

  #keep(key: string, patch: StylePatch, replaces = false): FormatPatch {
    if (this.#patches.size >= patchesMost) this.#patches = new Map();
    const made = new FormatPatch(this, patch, replaces);
    this.#patches.set(key, made);
    return made;
  }

  #add(style: CellStyle, text: string): number {
    if (!this.hasRoomFor(1)) {
      const most = limits.formatCount;
      throw new Rejection('too_many_styles', `the cells of a workbook have at most ${most} looks`);
    }
    const index = this.#styles.push(style) - 1;
    this.#texts.push(text);
    this.#patterns.push(style.numberFormat ?? general);
    this.#index.set(text, index);
    return index;
  }
}

/** A change of some properties, as a function from index to index. */
export class FormatPatch {
  readonly patch: StylePatch;
  /** True when properties that the patch does not name are cleared. */
  readonly replaces: boolean;
  readonly #styles: StyleList;
  readonly #results = new Map<number, number>();

  constructor(styles: StyleList, patch: StylePatch, replaces: boolean) {
    this.#styles = styles;
    this.patch = patch;
    this.replaces = replaces;
  }

  apply(index: number): number {
    let result = this.#results.get(index);
    if (result === undefined) {
      result = this.#styles.indexOf(this.patched(this.#styles.style(index)));
      this.#results.set(index, result);
    }
    return result;
  }

  patched(style: CellStyle): CellStyle {
    return patchStyle(style, this.patch, this.replaces);
  }
}

function entry<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`the dictionary has no style ${index}`);
  return item;
}
