import { columnLimit, rowLimit } from '../../model/address.ts';
import { namesInFormula } from '../formulas/formula-names.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import { runKey, type LineId, type Order } from '../ids/order.ts';
import { spanOfRun } from '../ids/id-span.ts';
import { orderOf, type Axis, type SheetOutline, type Structure } from '../structure/structure.ts';
import type { Dictionary, StoredFormula } from './dictionary.ts';
import { sortedEnds } from './sorted-ends.ts';

/** Encloses a reference whose lines are not those of the grid as it was made. */
export const identityMark = '\u0001';
/** Stands before the last cell of a legacy array formula. */
export const arrayMark = '\u0003';

/** A cell by identity. */
export interface FormulaHome {
  readonly sheetId: string;
  readonly row: LineId;
  readonly column: LineId;
}

/** A formula in ids, and the rows from the cell's own for which it is the same text. */
export interface FormulaIdentity {
  readonly text: string;
  /** Offsets in the run of the cell's row, from `from` up to `to`. */
  readonly from: number;
  readonly to: number;
}

/** Consecutive lines of one run, where they stand. */
interface Placed {
  readonly run: number;
  readonly offset: number;
  readonly length: number;
  readonly position: number;
}

interface Own {
  /** Undefined for a formula that stands on no sheet. */
  readonly sheet: SheetOutline | undefined;
  readonly row: number;
  readonly column: number;
}

/**
 * Writes formulas in ids: the text in R1C1, in which a line is its offset in its run, and a
 * distance is one of offsets. Two formulas of a cell name the same lines exactly when their texts
 * are equal, whatever structures they were written in.
 */
class IdentityWriter {
  readonly #scan = new ReferenceScan();
  /** Where each end of the formula before stood: the next one mostly has its own beside them. */
  readonly #recent: Recent[] = [];
  #nextRecent = 0;
  #home!: FormulaHome;
  #stored!: StoredFormula;
  #own!: Own;
  #from = 0;
  #to = Infinity;
  /** True where ends of ranges are told in the order of their ids, whichever comes first. */
  #isSorted = false;
  #last: LastIdentity | undefined;

  /** The blocks of a filled column mostly have one formula, which is written once. */
  identity(stored: StoredFormula, home: FormulaHome): FormulaIdentity {
    if (this.#last && holdsFor(this.#last, stored, home)) return this.#last.identity;
    const identity = this.#identity(stored, home);
    this.#last = { stored: new WeakRef(stored), home, identity };
    return identity;
  }

  #identity(stored: StoredFormula, home: FormulaHome): FormulaIdentity {
    const { r1c1, array, structure } = stored;
    const sheet = structure.withId(home.sheetId);
    if (!sheet) throw new Error(`no sheet ${home.sheetId}`);
    const isPlain = isUnedited(sheet) && !r1c1.includes('!') && !array;
    if (isPlain) return { text: r1c1, from: 0, to: Infinity };
    this.#home = home;
    this.#stored = stored;
    this.#nextRecent = 0;
    const row = this.#placeOf(sheet.rows, home.row);
    const column = this.#placeOf(sheet.columns, home.column);
    this.#from = row.offset;
    this.#to = row.offset + row.length;
    const own = {
      sheet,
      row: row.position + home.row.offset - row.offset,
      column: column.position + home.column.offset - column.offset,
    };
    this.#own = own;
    const text = this.#text() + (array ? arrayMark + this.#arrayEnd(array) : '');
    return { text, from: this.#from, to: this.#to };
  }

  /** A formula that stands in no cell, as if it stood in the first one. */
  homeless(r1c1: string, structure: Structure, sheetId: string | undefined): string {
    this.#home = homeOf(sheetId);
    this.#stored = { r1c1, structure, array: undefined, legacy: false };
    this.#nextRecent = 0;
    const sheet = sheetId === undefined ? undefined : structure.withId(sheetId);
    this.#own = { sheet, row: 0, column: 0 };
    this.#isSorted = true;
    const text = this.#text();
    this.#isSorted = false;
    return text;
  }

  #text(): string {
    const { r1c1 } = this.#stored;
    const scan = this.#scan.read(r1c1);
    const names = r1c1.includes('!') ? this.#sheetsOfNames() : [];
    let text = '';
    let at = 0;
    for (let index = 0; index < scan.count; index++) {
      if (!this.#isOnGrid(index)) {
        // The same formula may be on the grid in the row below.
        [this.#from, this.#to] = [this.#home.row.offset, this.#home.row.offset + 1];
        continue;
      }
      const start = this.#startOf(index);
      text += withSheets(r1c1, [at, start], names) + this.#reference(index);
      at = scan.placeOf(index)[1];
    }
    return text + withSheets(r1c1, [at, r1c1.length], names);
  }

  /** Names that are asked for on a sheet, which is called by its id from now on. */
  #sheetsOfNames(): SheetOfName[] {
    const { r1c1, structure } = this.#stored;
    const starts = new Set<number>();
    for (let index = 0; index < this.#scan.count; index++) {
      starts.add(this.#scan.placeOf(index)[0]);
    }
    return namesInFormula(r1c1).flatMap(({ sheet, start }) => {
      const known = sheet && structure.named(sheet.name);
      return known && !starts.has(start) ? [{ start: sheet.start, end: start, id: known.id }] : [];
    });
  }

  #isOnGrid(index: number): boolean {
    const { row, column } = this.#own;
    return this.#isOnAxis(index, 'row', row) && this.#isOnAxis(index, 'column', column);
  }

  #isOnAxis(index: number, axis: Axis, home: number): boolean {
    const scan = this.#scan;
    if (scan.isWhole(index, axis)) return true;
    const limit = axis === 'row' ? rowLimit : columnLimit;
    return scan.low(index, axis, home) >= 0 && scan.high(index, axis, home) < limit;
  }

  /** The place where a reference begins that is written in ids, with its sheets. */
  #startOf(index: number): number {
    const scan = this.#scan;
    if (!scan.isElsewhere(index)) return scan.placeOf(index)[0];
    const [start] = scan.sheetPlaceOf(index);
    return this.#span(index) === undefined ? start : (scan.spanPlaceOf(index)?.[0] ?? start);
  }

  /** `First:Last` in ids, where at least one of them is there. */
  #span(index: number): string | undefined {
    const { structure } = this.#stored;
    const names = this.#scan.spanOf(index);
    if (!names?.some((name) => structure.named(name))) return undefined;
    const sheets = names.map((name) => {
      const sheet = structure.named(name);
      return sheet ? `=${sheet.id}` : `'${name.replaceAll("'", "''")}'`;
    });
    return `&${sheets.join(':')}`;
  }

  #reference(index: number): string {
    const scan = this.#scan;
    const { r1c1, structure } = this.#stored;
    const between = betweenIn(r1c1, scan.placeOf(index));
    if (!scan.isElsewhere(index)) {
      const text = this.#ends(index, this.#own.sheet, between);
      return text.includes('{') ? identityMark + text + identityMark : text;
    }
    const [start, end] = scan.sheetPlaceOf(index);
    const span = this.#span(index);
    // References to another file are not followed.
    const isAlone = scan.spanPlaceOf(index) === undefined && r1c1[start - 1] !== ']';
    const name = scan.sheetOf(index);
    const sheet = isAlone && name !== undefined ? structure.named(name) : undefined;
    const text = this.#ends(index, sheet, between);
    const prefix = span ?? (sheet ? `=${sheet.id}` : `?${r1c1.slice(start, end)}`);
    return `${identityMark}${prefix}!${text}${identityMark}`;
  }

  #ends(index: number, sheet: SheetOutline | undefined, between: string): string {
    const first = this.#end(index, sheet, 0);
    if (between === '') return first;
    const last = this.#end(index, sheet, 1);
    return this.#isSorted ? sortedEnds(first, last, between) : first + between + last;
  }

  #end(index: number, sheet: SheetOutline | undefined, end: 0 | 1): string {
    const scan = this.#scan;
    const down = scan.isWhole(index, 'row') ? '' : `R${this.#endLine(index, sheet, ['row', end])}`;
    if (scan.isWhole(index, 'column')) return down;
    return `${down}C${this.#endLine(index, sheet, ['column', end])}`;
  }

  #endLine(
    index: number,
    sheet: SheetOutline | undefined,
    [axis, end]: readonly [axis: Axis, end: 0 | 1],
  ): string {
    const home = axis === 'row' ? this.#own.row : this.#own.column;
    const walks = this.#scan.endWalks(index, axis, end);
    const line = this.#scan.endLine(index, axis, { end, home });
    return this.#line(line, { sheet, axis, walks });
  }

  /** A line of a sheet, or a mere number where the sheet is not there. */
  #line(
    position: number,
    at: { sheet: SheetOutline | undefined; axis: Axis; walks: boolean },
  ): string {
    const { sheet, axis, walks } = at;
    const own = this.#home[axis].offset;
    if (!sheet) return walks ? distance(position - own) : `${position + 1}`;
    const { run, offset, length, position: start } = this.#spanAt(orderOf(sheet, axis), position);
    const line = offset + position - start;
    if (walks && axis === 'row') {
      this.#from = Math.max(this.#from, own - (position - start));
      this.#to = Math.min(this.#to, own + (start + length - position));
    }
    const text = walks ? distance(line - own) : `${line + 1}`;
    if (run === 0) return text;
    const { branch, sequence } = spanOfRun(run, 0, 0);
    return `{${branch}.${sequence}}${text}`;
  }

  #arrayEnd({ rowCount, columnCount }: NonNullable<StoredFormula['array']>): string {
    const { sheet, row, column } = this.#own;
    const walks = true;
    const down = this.#line(row + rowCount - 1, { sheet, axis: 'row', walks });
    const across = this.#line(column + columnCount - 1, { sheet, axis: 'column', walks });
    // A legacy array formula has a text of its own in each of its rows.
    return `R${down}C${across}`;
  }

  #placeOf(order: Order, { branch, sequence, offset }: LineId): Placed {
    const known = this.#known(order);
    const run = runKey(branch, sequence);
    const isHere = known?.run === run && isWithin(offset, known.offset, known.length);
    if (isHere) return known;
    const position = order.positionOf(branch, sequence, offset);
    if (position === undefined) throw new Error('a formula is older than its cell');
    return this.#found(order, position);
  }

  #spanAt(order: Order, position: number): Placed {
    const known = this.#known(order);
    if (known && isWithin(position, known.position, known.length)) return known;
    return this.#found(order, position);
  }

  #known(order: Order): Placed | undefined {
    const recent = this.#recent[this.#nextRecent++];
    return recent?.order.deref() === order ? recent.placed : undefined;
  }

  #found(order: Order, position: number): Placed {
    const placed = order.spanAt(position);
    const at = this.#nextRecent - 1;
    if (at < recentMost) this.#recent[at] = { order: new WeakRef(order), placed };
    return placed;
  }
}

interface LastIdentity {
  readonly stored: WeakRef<StoredFormula>;
  readonly home: FormulaHome;
  readonly identity: FormulaIdentity;
}

function holdsFor(
  last: LastIdentity,
  stored: StoredFormula,
  { sheetId, row, column }: FormulaHome,
) {
  const { home, identity } = last;
  const isSameRun = home.row.branch === row.branch && home.row.sequence === row.sequence;
  return (
    isSameRun &&
    row.offset >= identity.from &&
    row.offset < identity.to &&
    home.sheetId === sheetId &&
    home.column.branch === column.branch &&
    home.column.sequence === column.sequence &&
    home.column.offset === column.offset &&
    last.stored.deref() === stored
  );
}

interface Recent {
  readonly order: WeakRef<Order>;
  readonly placed: Placed;
}

/** Ends of one formula that are remembered. */
const recentMost = 64;

function isWithin(line: number, from: number, count: number): boolean {
  return line >= from && line < from + count;
}

/** It holds nothing but what it found last in an order. */
const writer = new IdentityWriter();

/** The first cell of a sheet, for a formula that stands in none. */
export function homeOf(sheetId: string | undefined): FormulaHome {
  const first = { branch: 0, sequence: 0, offset: 0 };
  return { sheetId: sheetId ?? '', row: first, column: first };
}

/** A formula of a name, in R1C1 relative to the first cell. */
export function identityOfName(
  r1c1: string,
  structure: Structure,
  sheetId: string | undefined,
): string {
  return writer.homeless(r1c1, structure, sheetId);
}

export function identityOf(stored: StoredFormula, home: FormulaHome): FormulaIdentity {
  return writer.identity(stored, home);
}

/** Returns whether two formulas of the dictionary are the same in a cell. */
export function isSameFormula(
  dictionary: Dictionary,
  [a, b]: readonly [number, number],
  home: FormulaHome,
): boolean {
  if (a === b) return true;
  const [one, other] = [dictionary.formula(a), dictionary.formula(b)];
  if (one.legacy !== other.legacy) return false;
  return identityOf(one, home).text === identityOf(other, home).text;
}

/** Returns the colon between two ends of a reference, with its dots; empty for a cell. */
function betweenIn(text: string, [from, to]: readonly [number, number]): string {
  const colon = text.indexOf(':', from);
  if (colon < 0 || colon >= to) return '';
  const start = text[colon - 1] === '.' ? colon - 1 : colon;
  return text.slice(start, text[colon + 1] === '.' ? colon + 2 : colon + 1);
}

interface SheetOfName {
  /** Place of the sheet's name, and of the name behind it. */
  readonly start: number;
  readonly end: number;
  readonly id: string;
}

function withSheets(
  text: string,
  [from, to]: readonly [number, number],
  names: readonly SheetOfName[],
): string {
  let part = '';
  let at = from;
  for (const { start, end, id } of names) {
    if (start < from || end > to) continue;
    part += `${text.slice(at, start)}${identityMark}=${id}!${identityMark}`;
    at = end;
  }
  return part + text.slice(at, to);
}

function distance(count: number): string {
  return count === 0 ? '' : `[${count}]`;
}

function isUnedited({ rows, columns }: SheetOutline): boolean {
  return rows.spanCount === 1 && columns.spanCount === 1;
}
