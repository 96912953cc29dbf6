import { rowLimit } from '../../model/address.ts';
import { namesInFormula } from '../formulas/formula-names.ts';
import { sayOther } from '../formulas/formula-skeleton.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import { spanOfRun } from '../ids/id-span.ts';
import type { IdentityForm } from '../structure/section.ts';
import {
  limitOf,
  orderOf,
  type Axis,
  type SheetOutline,
  type Structure,
} from '../structure/structure.ts';
import type { Dictionary, StoredFormula } from './dictionary.ts';
import { identityMark, withSheets, type SheetOfName } from './identity-sheets.ts';
import { KnownIdentities, type FormulaHome, type FormulaIdentity } from './known-identities.ts';
import { plainRows } from './plain-rows.ts';
import { RecentPlaces } from './recent-places.ts';
import { sortedEnds } from './sorted-ends.ts';

/** Stands before the last cell of a legacy array formula. */
export const arrayMark = '\u0003';

/** An end of a reference by identity. */
interface EndLine {
  readonly run: number;
  readonly line: number;
  readonly walks: boolean;
}

interface Own {
  /** Sheet of the formula; undefined if it stands on none. */
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
  readonly #places = new RecentPlaces();
  #home!: FormulaHome;
  #stored!: StoredFormula;
  #own!: Own;
  #from = 0;
  #to = Infinity;
  /** True where ends of ranges are told in the order of their ids, whichever comes first. */
  #isSorted = false;
  readonly #isEarly: boolean;
  readonly #known = new KnownIdentities();

  constructor(form: IdentityForm) {
    this.#isEarly = form === 'early';
  }

  /**
   * The blocks of a filled column mostly have one formula, which is written once, and those of a
   * state that is hashed again mostly have the formulas that they had.
   */
  identity(stored: StoredFormula, home: FormulaHome): FormulaIdentity {
    const known = this.#known.find(stored, home);
    if (known) return known;
    const identity = this.#identity(stored, home);
    this.#known.keep(stored, home, identity);
    return identity;
  }

  #identity(stored: StoredFormula, home: FormulaHome): FormulaIdentity {
    const { r1c1, array, structure } = stored;
    const sheet = structure.withId(home.sheetId);
    if (!sheet) throw new Error(`no sheet ${home.sheetId}`);
    this.#home = home;
    this.#stored = stored;
    if (this.#isUnedited(sheet) && !r1c1.includes('!') && !array) {
      const rows = this.#plainRows();
      if (rows) return { text: r1c1, ...rows };
    }
    this.#places.restart();
    const row = this.#places.of(sheet.rows, home.row);
    const column = this.#places.of(sheet.columns, home.column);
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

  #isUnedited({ rows, columns }: SheetOutline): boolean {
    if (this.#isEarly) return rows.spanCount === 1 && columns.spanCount === 1;
    return rows.isUntouched && columns.isUntouched;
  }

  /** The rows in which the text of the formula is that in ids; undefined if the cell's is none. */
  #plainRows(): Pick<FormulaIdentity, 'from' | 'to'> | undefined {
    if (this.#isEarly) return { from: 0, to: Infinity };
    return plainRows(this.#scan.read(this.#stored.r1c1), this.#home);
  }

  /** A formula that stands in no cell, as if it stood in the first one. */
  homeless(r1c1: string, structure: Structure, sheetId: string | undefined): string {
    this.#home = homeOf(sheetId);
    this.#stored = { r1c1, structure, array: undefined, legacy: false };
    this.#places.restart();
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
        if (this.#isEarly || !scan.endsWalk(index)) continue;
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
    return scan.low(index, axis, home) >= 0 && scan.high(index, axis, home) < limitOf(axis);
  }

  /** The place where a reference begins that is written in ids, with its sheets. */
  #startOf(index: number): number {
    const scan = this.#scan;
    if (!scan.isElsewhere(index)) return scan.placeOf(index)[0];
    const [start] = scan.sheetPlaceOf(index);
    const isWhole = this.#span(index) !== undefined || !this.#isOnGrid(index);
    return isWhole ? (scan.spanPlaceOf(index)?.[0] ?? start) : start;
  }

  /** `First:Last` in ids, where at least one of them is there. */
  #span(index: number): string | undefined {
    if (this.#isEarly) return undefined;
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
    if (!this.#isOnGrid(index)) return '#REF!';
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
    const isRange = between !== '';
    const rows = this.#axisEnds(index, sheet, { axis: 'row', isRange });
    const columns = this.#axisEnds(index, sheet, { axis: 'column', isRange });
    const first = `${rows[0]}${columns[0]}`;
    if (!isRange) return first;
    const last = `${rows[1]}${columns[1]}`;
    return this.#isSorted ? sortedEnds(first, last, between) : first + between + last;
  }

  /** The ends of a reference on one axis; the lower one first, so that equal ranges are alike. */
  #axisEnds(
    index: number,
    sheet: SheetOutline | undefined,
    { axis, isRange }: { axis: Axis; isRange: boolean },
  ): readonly [first: string, last: string] {
    const scan = this.#scan;
    if (scan.isWhole(index, axis)) return ['', ''];
    const on = isRange && this.#isAll(index, axis) ? undefined : sheet;
    const first = this.#endLine(index, on, [axis, 0]);
    if (!isRange) return [this.#written(first, axis), ''];
    const last = this.#endLine(index, on, [axis, 1]);
    if (this.#isEarly) return [this.#written(first, axis), this.#written(last, axis)];
    const [low, high] = this.#inOrder(first, last, axis);
    // Without a run these two would be all lines of the grid.
    const isNamed = on !== undefined && looksAll(low, high, axis);
    return [this.#written(low, axis, isNamed), this.#written(high, axis, isNamed)];
  }

  /** Returns whether a range has all lines of the grid, whichever of them stand at its ends. */
  #isAll(index: number, axis: Axis): boolean {
    if (this.#isEarly) return false;
    const scan = this.#scan;
    const home = axis === 'row' ? this.#own.row : this.#own.column;
    if (scan.low(index, axis, home) !== 0) return false;
    if (scan.high(index, axis, home) !== limitOf(axis) - 1) return false;
    if (axis === 'row' && scan.walks(index)) this.#holdFor(this.#home.row.offset, 1);
    return true;
  }

  /** Narrows the rows for which the text is the same. */
  #holdFor(from: number, count: number): void {
    this.#from = Math.max(this.#from, from);
    this.#to = Math.min(this.#to, from + count);
  }

  #inOrder(first: EndLine, last: EndLine, axis: Axis): readonly [low: EndLine, high: EndLine] {
    if (axis === 'row' && first.run === last.run && first.walks !== last.walks) {
      const { offset } = this.#home.row;
      const away = first.walks ? last.line - first.line : first.line - last.line;
      if (away === 0) this.#holdFor(offset, 1);
      else if (away > 0) this.#to = Math.min(this.#to, offset + away);
      else this.#from = Math.max(this.#from, offset + away + 1);
    }
    const isTurned = first.run === last.run ? first.line > last.line : first.run > last.run;
    return isTurned ? [last, first] : [first, last];
  }

  #endLine(
    index: number,
    sheet: SheetOutline | undefined,
    [axis, end]: readonly [axis: Axis, end: 0 | 1],
  ): EndLine {
    const scan = this.#scan;
    const home = axis === 'row' ? this.#own.row : this.#own.column;
    const walks = scan.endWalks(index, axis, end);
    const position = scan.endLine(index, axis, { end, home });
    return this.#line(position, { sheet, axis, walks });
  }

  /** A line of a sheet, or a mere number where the sheet is not there. */
  #line(
    position: number,
    at: { sheet: SheetOutline | undefined; axis: Axis; walks: boolean },
  ): EndLine {
    const { sheet, axis, walks } = at;
    if (!sheet) return { run: 0, line: position, walks };
    const placed = this.#places.at(orderOf(sheet, axis), position);
    const { run, offset, length, position: start } = placed;
    if (walks && axis === 'row') {
      // Below the last row of the grid the same text is a reference that leads out of it.
      const count = this.#isEarly ? length : Math.min(length, rowLimit - start);
      this.#holdFor(this.#home.row.offset - (position - start), count);
    }
    return { run, line: offset + position - start, walks };
  }

  #written({ run, line, walks }: EndLine, axis: Axis, isNamed = false): string {
    const text = walks ? distance(line - this.#home[axis].offset) : `${line + 1}`;
    // A number beyond the grid, and without a run, is a word that is no line.
    const isLine = walks || line < limitOf(axis) || this.#isEarly;
    const letter = axis === 'row' ? 'R' : 'C';
    if (run === 0 && isLine && !isNamed) return letter + text;
    const { branch, sequence } = spanOfRun(run, 0, 0);
    return `${letter}{${branch}.${sequence}}${text}`;
  }

  #arrayEnd({ rowCount, columnCount }: NonNullable<StoredFormula['array']>): string {
    const { sheet, row, column } = this.#own;
    const walks = true;
    const down = this.#line(row + rowCount - 1, { sheet, axis: 'row', walks });
    const across = this.#line(column + columnCount - 1, { sheet, axis: 'column', walks });
    // A legacy array formula has a text of its own in each of its rows.
    return this.#written(down, 'row') + this.#written(across, 'column');
  }
}

/** Writers; they hold nothing but what they found last in an order. */
const writers = { ids: new IdentityWriter('ids'), early: new IdentityWriter('early') };

/** The first cell of a sheet, for a formula that stands in none. */
export function homeOf(sheetId: string | undefined): FormulaHome {
  const first = { branch: 0, sequence: 0, offset: 0 };
  return { sheetId: sheetId ?? '', row: first, column: first };
}

/** A formula of a name, in R1C1 relative to the first cell. */
export function identityOfName(
  { r1c1, structure }: Pick<StoredFormula, 'r1c1' | 'structure'>,
  sheetId: string | undefined,
  form: IdentityForm,
): string {
  return writers[form].homeless(r1c1, structure, sheetId);
}

export function identityOf(
  stored: StoredFormula,
  home: FormulaHome,
  form: IdentityForm = 'ids',
): FormulaIdentity {
  return writers[form].identity(stored, home);
}

/** Returns whether two formulas of the dictionary are the same in a cell. */
export function isSameFormula(
  dictionary: Dictionary,
  [a, b]: readonly [number, number],
  home: FormulaHome,
): boolean {
  if (a === b) return true;
  const [one, other] = [dictionary.formula(a), dictionary.formula(b)];
  if (one.legacy !== other.legacy || sayOther(one.r1c1, other.r1c1)) return false;
  return identityOf(one, home).text === identityOf(other, home).text;
}

/** Returns the colon between two ends of a reference, with its dots; empty for a cell. */
function betweenIn(text: string, [from, to]: readonly [number, number]): string {
  const colon = text.indexOf(':', from);
  if (colon < 0 || colon >= to) return '';
  const start = text[colon - 1] === '.' ? colon - 1 : colon;
  return text.slice(start, text[colon + 1] === '.' ? colon + 2 : colon + 1);
}

function distance(count: number): string {
  return count === 0 ? '' : `[${count}]`;
}

/** Returns whether the ends of a range are those that the grid had when it was made. */
function looksAll(low: EndLine, high: EndLine, axis: Axis): boolean {
  return low.run === 0 && high.run === 0 && low.line === 0 && high.line === limitOf(axis) - 1;
}
