import { columnLimit, rowLimit } from '../../model/address.ts';
import type { Range } from '../../model/range.ts';
import { firstSheetStart, severalSheets } from '../../model/several-sheets.ts';
import type { Axis } from '../structure/structure.ts';
import { all, CellReader, isWord, relative } from './cell-reader.ts';

/** Numbers a reference takes: kind and value of its first row, last row, first and last column. */
const lineNumbers = 8;

const quote = 34;
const apostrophe = 39;
const exclamation = 33;
const open = 91;

/**
 * The references of a stored formula, in R1C1, found without parsing it: a few of them are none (a
 * word with a number that is no line of the grid), but none is missed. It tells the formulas that
 * an edit does not concern from the few that the kernel has to be asked about. It makes no garbage.
 */
export class ReferenceScan {
  #count = 0;
  #leavesSheet = false;
  #lines = new Int32Array(lineNumbers * 8);
  #elsewhere = new Uint8Array(8);
  /** Start and end of each sheet name. */
  #prefixes = new Int32Array(2 * 8);
  /** Start and end of each reference, without its sheet. */
  #places = new Int32Array(2 * 8);
  readonly #reader = new CellReader();
  /** The word or quoted name that was read last. */
  #tokenFrom = 0;
  #tokenEnd = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * True when a reference names a sheet, or a name is asked for on one; some error values count
   * too.
   */
  get leavesSheet(): boolean {
    return this.#leavesSheet;
  }

  isElsewhere(index: number): boolean {
    return this.#elsewhere[index] === 1;
  }

  /** The name of its sheet, or the last of several; undefined for the formula's own. */
  sheetOf(index: number): string | undefined {
    if (!this.isElsewhere(index)) return undefined;
    const name = this.#reader.text.slice(this.#prefixes[index * 2], this.#prefixes[index * 2 + 1]);
    return name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name;
  }

  /** The place of a reference in the text, without its sheet. */
  placeOf(index: number): readonly [start: number, end: number] {
    return [this.#places[index * 2] ?? 0, this.#places[index * 2 + 1] ?? 0];
  }

  /** The place of the name of its sheet, with quotes; for a reference that names one. */
  sheetPlaceOf(index: number): readonly [start: number, end: number] {
    return [this.#prefixes[index * 2] ?? 0, this.#prefixes[index * 2 + 1] ?? 0];
  }

  /** The place of `First:Last` before a reference, with quotes; undefined for one sheet alone. */
  spanPlaceOf(index: number): readonly [start: number, end: number] | undefined {
    if (!this.isElsewhere(index)) return undefined;
    const [start, end] = this.sheetPlaceOf(index);
    const referenceEnd = index === 0 ? -1 : this.placeOf(index - 1)[1];
    const first = firstSheetStart(this.#reader.text, start, referenceEnd);
    return first < start || this.#reader.text.slice(start, end).includes(':')
      ? [first, end]
      : undefined;
  }

  /** The names in `First:Last` before a reference; undefined for one sheet, or another file. */
  spanOf(index: number): readonly [first: string, last: string] | undefined {
    const place = this.spanPlaceOf(index);
    if (!place || this.#reader.text[place[0] - 1] === ']') return undefined;
    return severalSheets(
      this.#reader.text.slice(...place).replaceAll(/''|'/gu, (mark) => mark.slice(1)),
    );
  }

  /** Returns whether a reference takes all lines of an axis. */
  isWhole(index: number, axis: Axis): boolean {
    return this.#lines[index * lineNumbers + (axis === 'row' ? 0 : 4)] === all;
  }

  /** Returns whether a reference may take more than one line of an axis, but not all of them. */
  isRange(index: number, axis: Axis): boolean {
    const at = index * lineNumbers + (axis === 'row' ? 0 : 4);
    const lines = this.#lines;
    return lines[at] !== all && (lines[at] !== lines[at + 2] || lines[at + 1] !== lines[at + 3]);
  }

  /**
   * Returns whether one end of a reference, the first (0) or the last (1), goes along with its
   * cell.
   */
  endWalks(index: number, axis: Axis, end: 0 | 1): boolean {
    return this.#lines[index * lineNumbers + (axis === 'row' ? 0 : 4) + 2 * end] === relative;
  }

  /** Returns whether an end of a reference goes along with its cell. */
  endsWalk(index: number): boolean {
    const at = index * lineNumbers;
    return [0, 2, 4, 6].some((end) => this.#lines[at + end] === relative);
  }

  /** Returns whether the first end of a range is behind the last, for a cell at `home`. */
  isTurned(index: number, axis: Axis, home: number): boolean {
    if (this.isWhole(index, axis)) return false;
    return (
      this.endLine(index, axis, { end: 0, home }) > this.endLine(index, axis, { end: 1, home })
    );
  }

  /** The line of an end for a cell at `home`. */
  endLine(index: number, axis: Axis, { end, home }: { end: 0 | 1; home: number }): number {
    return this.#line(index * lineNumbers + (axis === 'row' ? 0 : 4) + 2 * end, home, 0);
  }

  /** Returns whether a reference stays in the row of its cell. */
  isOwnRow(index: number): boolean {
    const at = index * lineNumbers;
    const lines = this.#lines;
    const isHere = lines[at] === relative && lines[at + 1] === 0;
    return isHere && lines[at + 2] === relative && lines[at + 3] === 0 && !this.isElsewhere(index);
  }

  /** Returns whether a reference goes up or down with its cell. */
  walks(index: number): boolean {
    const at = index * lineNumbers;
    return this.#lines[at] === relative || this.#lines[at + 2] === relative;
  }

  isWholeColumns(index: number): boolean {
    return this.#lines[index * lineNumbers] === all;
  }

  /** The first line that it takes while its cell goes from `home` on. */
  low(index: number, axis: Axis, home: number): number {
    const at = index * lineNumbers + (axis === 'row' ? 0 : 4);
    return Math.min(this.#line(at, home, -Infinity), this.#line(at + 2, home, -Infinity));
  }

  /** The last line that it takes while its cell goes up to `home`. */
  high(index: number, axis: Axis, home: number): number {
    const at = index * lineNumbers + (axis === 'row' ? 0 : 4);
    return Math.max(this.#line(at, home, Infinity), this.#line(at + 2, home, Infinity));
  }

  /**
   * Returns whether a reference may mean a cell of an area while its cell goes through the homes.
   */
  mayRead(index: number, homes: Range, area: Range): boolean {
    return (
      this.low(index, 'row', homes.row0) <= area.row1 &&
      this.high(index, 'row', homes.row1) >= area.row0 &&
      this.low(index, 'column', homes.column0) <= area.column1 &&
      this.high(index, 'column', homes.column1) >= area.column0
    );
  }

  /** Returns whether no reference leaves the grid, wherever in the area its cell stands. */
  staysOnGrid({ row0, row1, column0, column1 }: Range): boolean {
    for (let index = 0; index < this.#count; index++) {
      const isOn =
        isFrom(this.low(index, 'row', row0)) &&
        isBelow(this.high(index, 'row', row1), rowLimit) &&
        isFrom(this.low(index, 'column', column0)) &&
        isBelow(this.high(index, 'column', column1), columnLimit);
      if (!isOn) return false;
    }
    return true;
  }

  read(text: string): this {
    const reader = this.#reader;
    reader.begin(text);
    this.#count = 0;
    this.#leavesSheet = false;
    this.#tokenEnd = -1;
    while (reader.at < text.length) {
      const code = text.charCodeAt(reader.at);
      if (code === quote || code === apostrophe) this.#quoted(code);
      else if (code === open) reader.skipBrackets();
      else if (isWord(code)) this.#word();
      else {
        if (code === exclamation) this.#leavesSheet = true;
        reader.at++;
      }
    }
    return this;
  }

  #line(at: number, home: number, whole: number): number {
    const kind = this.#lines[at];
    if (kind === all) return whole;
    return (this.#lines[at + 1] ?? 0) + (kind === relative ? home : 0);
  }

  #word(): void {
    const reader = this.#reader;
    const start = reader.at;
    const at = this.#count * lineNumbers;
    if (at === this.#lines.length) this.#grow();
    if (!this.#reference(at)) {
      reader.at = start;
      reader.skipWord();
      this.#tokenFrom = start;
      this.#tokenEnd = reader.at;
      return;
    }
    this.#elsewhere[this.#count] = Number(reader.text.charCodeAt(start - 1) === exclamation);
    this.#prefixes[this.#count * 2] = this.#tokenFrom;
    this.#prefixes[this.#count * 2 + 1] = start - 1;
    this.#places[this.#count * 2] = start;
    this.#places[this.#count * 2 + 1] = reader.at;
    this.#count++;
  }

  #quoted(mark: number): void {
    const reader = this.#reader;
    if (reader.at !== this.#tokenEnd) this.#tokenFrom = reader.at;
    reader.skipQuoted(mark);
    this.#tokenEnd = reader.at;
  }

  /** A cell, an area, or lines, which are there as a range only: `R` and `C5` alone are names. */
  #reference(at: number): boolean {
    const reader = this.#reader;
    if (!reader.readCell()) return false;
    const isLine = reader.rowKind === all || reader.columnKind === all;
    this.#put(at);
    const start = reader.at;
    const isRange = reader.readRangeEnd() && this.#isLike(at);
    if (isRange) {
      this.#put(at + 2);
      return true;
    }
    reader.at = start;
    this.#endAsBegun(at);
    return !isLine;
  }

  #put(at: number): void {
    const { rowKind, row, columnKind, column } = this.#reader;
    this.#lines[at] = rowKind;
    this.#lines[at + 1] = row;
    this.#lines[at + 4] = columnKind;
    this.#lines[at + 5] = column;
  }

  /** Lets a reference that is no range end where it begins. */
  #endAsBegun(at: number): void {
    const lines = this.#lines;
    lines[at + 2] = lines[at] ?? all;
    lines[at + 3] = lines[at + 1] ?? 0;
    lines[at + 6] = lines[at + 4] ?? all;
    lines[at + 7] = lines[at + 5] ?? 0;
  }

  /** Returns whether the cell that was read last is spelled like the start of a range. */
  #isLike(at: number): boolean {
    const { rowKind, columnKind } = this.#reader;
    const isRowLike = (rowKind === all) === (this.#lines[at] === all);
    return isRowLike && (columnKind === all) === (this.#lines[at + 4] === all);
  }

  #grow(): void {
    const lines = new Int32Array(this.#lines.length * 2);
    lines.set(this.#lines);
    this.#lines = lines;
    const elsewhere = new Uint8Array(this.#elsewhere.length * 2);
    elsewhere.set(this.#elsewhere);
    this.#elsewhere = elsewhere;
    const prefixes = new Int32Array(this.#prefixes.length * 2);
    prefixes.set(this.#prefixes);
    this.#prefixes = prefixes;
    const places = new Int32Array(this.#places.length * 2);
    places.set(this.#places);
    this.#places = places;
  }
}

function isFrom(line: number): boolean {
  return line >= 0 || line === -Infinity;
}

function isBelow(line: number, limit: number): boolean {
  return line < limit || line === Infinity;
}
