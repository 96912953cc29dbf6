import { columnLimit, rowLimit } from '../../model/address.ts';
import { quoteSheet } from '../../model/range.ts';
import { quoteSheets } from '../../model/several-sheets.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import { united } from '../ids/id-span.ts';
import { genesisOrder, orderFromSpans, type IdSpan, type Order } from '../ids/order.ts';
import { Structure, type Axis } from '../structure/structure.ts';
import type { ArraySize, Dictionary, StoredFormula } from './dictionary.ts';
import { arrayMark } from './formula-identity.ts';
import { identityMark } from './identity-sheets.ts';
import type { FormulaHome } from './known-identities.ts';
import { plainRows } from './plain-rows.ts';

/** Prefix of made-up sheet names, which no sheet can have. */
const ownName = '*';

/** Returns the name of a sheet for formula texts; undefined to use a made-up one. */
export type SheetNaming = (id: string) => string | undefined;

/** Contiguous cells of one column. */
export interface FormulaHomes extends FormulaHome {
  /** Number of rows of the same run, from that of the home on. */
  readonly count: number;
}

/** A line of a reference; a relative one stands for a line per cell. */
interface Line {
  readonly axis: Axis;
  readonly walks: boolean;
  /** True when the text names the run of the line. */
  readonly hasRun: boolean;
  readonly branch: number;
  readonly sequence: number;
  /** Offset in the run, or distance from that of the cell. */
  readonly number: number;
}

interface Reference {
  /** Id of the sheet; undefined for the sheet of the formula. */
  readonly sheetId: string | undefined;
  /** The written name of a missing sheet. */
  readonly missing: string | undefined;
  /** First and last of several sheets: ids, or quoted names of missing ones. */
  readonly span: readonly string[] | undefined;
  /** Lines at the ends; undefined for the mere name of a sheet. */
  readonly ends: readonly (readonly Line[])[];
  readonly between: string;
}

type Piece = string | Reference;

type Lines = Map<string, { readonly row: IdSpan[]; readonly column: IdSpan[] }>;

/**
 * Reads formulas in ids. Each gets a small structure with little more than the lines that it names;
 * equal structures are shared.
 */
export class IdentityReader {
  readonly #dictionary: Dictionary;
  readonly #scan = new ReferenceScan();
  readonly #nameOf: SheetNaming;

  constructor(dictionary: Dictionary, nameOf: SheetNaming) {
    this.#dictionary = dictionary;
    this.#nameOf = nameOf;
  }

  read(identity: string, homes: FormulaHomes): Omit<StoredFormula, 'unread' | 'legacy'> {
    const [text = '', arrayEnd] = identity.split(arrayMark);
    const pieces = this.#piecesOf(text, homes);
    const last = arrayEnd === undefined ? undefined : readReference(arrayEnd);
    const lines: Lines = new Map();
    addLines(lines, ownReference, homes);
    for (const piece of last ? [...pieces, last] : pieces) {
      if (typeof piece !== 'string') addLines(lines, piece, homes);
    }
    if (last) addBetween(lines, last, homes);
    const names = this.#namesFor(lines, pieces);
    const structure = this.#dictionary.space(keyOf(lines, names), () => spaceOf(lines, names));
    const spelling = { structure, homes };
    const r1c1 = pieces.map((piece) => spelled(piece, spelling)).join('');
    return { r1c1, structure, array: last && sizeOf(last, spelling) };
  }

  /** Returns whether a text in ids equals the R1C1 text on a sheet whose lines were never moved. */
  isPlain(identity: string, homes: FormulaHomes): boolean {
    const { row, column, count } = homes;
    const isFirst = [row, column].every(({ branch, sequence }) => branch === 0 && sequence === 0);
    if (!isFirst || /[!{\u0003]/u.test(identity)) return false;
    const rows = plainRows(this.#scan.read(identity), homes);
    return rows !== undefined && row.offset + count <= rows.to;
  }

  /** Returns names for the sheets; none of them equals the name of a missing sheet. */
  #namesFor(lines: Lines, pieces: readonly Piece[]): ReadonlyMap<string, string> {
    const missing = pieces.flatMap((piece) => {
      if (typeof piece === 'string') return [];
      if (piece.span) return piece.span.filter((sheet) => !isSheetId(sheet));
      return piece.missing === undefined ? [] : [piece.missing];
    });
    return new Map(
      [...lines.keys()].map((id) => {
        const name = missing.length === 0 ? this.#nameOf(id) : undefined;
        return [id, name ?? ownName + id];
      }),
    );
  }

  #piecesOf(text: string, homes: FormulaHomes): Piece[] {
    return text.split(identityMark).flatMap((part, index): Piece[] => {
      return index % 2 === 1 ? [readReference(part)] : this.#plainPieces(part, homes);
    });
  }

  #plainPieces(text: string, homes: FormulaHomes): Piece[] {
    const scan = this.#scan.read(text);
    const pieces: Piece[] = [];
    let at = 0;
    for (let index = 0; index < scan.count; index++) {
      const [start, end] = scan.placeOf(index);
      // References to other sheets have marks; without one, it is no reference.
      if (scan.isElsewhere(index)) continue;
      const reference = readReference(text.slice(start, end));
      if (!isOnGrid(reference, homes)) continue;
      pieces.push(text.slice(at, start), reference);
      at = end;
    }
    pieces.push(text.slice(at));
    return pieces;
  }
}

const ownReference: Reference = {
  sheetId: undefined,
  missing: undefined,
  span: undefined,
  between: '',
  ends: [
    [
      { axis: 'row', walks: true, hasRun: true, branch: NaN, sequence: NaN, number: 0 },
      { axis: 'column', walks: true, hasRun: true, branch: NaN, sequence: NaN, number: 0 },
    ],
  ],
};

/** Returns whether a reference is on the grid for its cell; otherwise it stays as written. */
function isOnGrid({ ends }: Reference, homes: FormulaHomes): boolean {
  return ends.every((lines) =>
    lines.every(({ axis, walks, number }) => {
      return walks ? homes[axis].offset + number >= 0 : number < limits[axis];
    }),
  );
}

const limits = { row: rowLimit, column: columnLimit } as const;
const linePattern = /([RC])(?:\{(\d+)\.(\d+)\})?(?:\[(-?\d+)\]|(\d+))?/gu;
const prefixPattern = /^(?:=([^!]*)|\?((?:[^!']|'[^']*')*)|&((?:[^!']|'[^']*')*))!/u;

/** The id of a sheet, and not the name of one. */
function isSheetId(text: string): boolean {
  return text.startsWith('=');
}

function readReference(text: string): Reference {
  const prefix = prefixPattern.exec(text);
  const rest = text.slice(prefix?.[0].length ?? 0);
  const between = /\.?:\.?/u.exec(rest)?.[0] ?? '';
  const parts = between === '' ? [rest] : rest.split(between);
  return {
    sheetId: prefix?.[1],
    missing: prefix?.[2],
    span: prefix?.[3]?.split(':'),
    ends: rest === '' ? [] : parts.map((part) => [...part.matchAll(linePattern)].map(lineOf)),
    between,
  };
}

function lineOf([, letter, branch, sequence, distance, line]: RegExpExecArray): Line {
  const walks = line === undefined;
  return {
    axis: letter === 'R' ? 'row' : 'column',
    walks,
    hasRun: branch !== undefined,
    branch: Number(branch ?? 0),
    sequence: Number(sequence ?? 0),
    number: walks ? Number(distance ?? 0) : Number(line) - 1,
  };
}

function addLines(lines: Lines, reference: Reference, homes: FormulaHomes): void {
  const { sheetId = homes.sheetId, missing, span, ends } = reference;
  for (const sheet of span ?? []) {
    if (isSheetId(sheet)) linesOf(lines, sheet.slice(1));
  }
  if (missing !== undefined || span) return;
  const known = linesOf(lines, sheetId);
  for (const line of ends.flat()) {
    if (!isOfAll(line, reference, homes)) known[line.axis].push(spanOf(line, homes));
  }
}

/**
 * Returns whether a line is an end of a range of all lines of the grid, which names no particular
 * lines.
 */
function isOfAll({ axis }: Line, { ends }: Reference, homes: FormulaHomes): boolean {
  const lines = ends.flatMap((end) => end.filter((line) => line.axis === axis));
  if (lines.length !== 2 || lines.some(({ hasRun }) => hasRun)) return false;
  const numbers = lines.map(({ walks, number }) => (walks ? homes[axis].offset + number : number));
  return numbers.includes(0) && numbers.includes(limits[axis] - 1);
}

function linesOf(lines: Lines, sheetId: string) {
  let known = lines.get(sheetId);
  if (!known) lines.set(sheetId, (known = { row: [], column: [] }));
  return known;
}

/** Adds the lines of a legacy array formula between its ends, if they are of the same runs. */
function addBetween(lines: Lines, last: Reference, homes: FormulaHomes): void {
  const own = lines.get(homes.sheetId);
  for (const line of last.ends.flat()) {
    const { branch, sequence, offset } = homes[line.axis];
    if (line.branch !== branch || line.sequence !== sequence) continue;
    const walked = line.axis === 'row' ? homes.count : 1;
    own?.[line.axis].push({ branch, sequence, offset, length: line.number + walked });
  }
}

function spanOf({ axis, walks, branch, sequence, number }: Line, homes: FormulaHomes): IdSpan {
  const own = homes[axis];
  const run = Number.isNaN(branch) ? own : { branch, sequence };
  const length = walks && axis === 'row' ? homes.count : 1;
  const offset = walks ? own.offset + number : number;
  return { branch: run.branch, sequence: run.sequence, offset, length };
}

/** Returns a key that is equal for equal structures. */
function keyOf(lines: Lines, names: ReadonlyMap<string, string>): string {
  const sheets = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  return sheets
    .map(([id, { row, column }]) => {
      return `${id} ${orderKey(row, 'row')} ${orderKey(column, 'column')} ${names.get(id)}`;
    })
    .join('\n');
}

function orderKey(spans: readonly IdSpan[], axis: Axis): string {
  if (isPlain(spans, axis)) return '';
  return united(spans)
    .map(({ branch, sequence, offset, length }) => `${branch}.${sequence}.${offset}+${length}`)
    .join(',');
}

function spaceOf(lines: Lines, names: ReadonlyMap<string, string>): Structure {
  const sheets = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Structure(
    sheets.map(([id, { row, column }]) => {
      const [rows, columns] = [orderWith(row, 'row'), orderWith(column, 'column')];
      return { id, key: 0, name: names.get(id) ?? id, rows, columns };
    }),
  );
}

/**
 * Returns whether lines can stand at their original positions. The last line of the grid cannot,
 * because a range to it would be a range of all lines.
 */
function isPlain(spans: readonly IdSpan[], axis: Axis): boolean {
  return spans.every(({ branch, sequence, offset, length }) => {
    return branch === 0 && sequence === 0 && offset + length < limits[axis];
  });
}

function orderWith(spans: readonly IdSpan[], axis: Axis): Order {
  if (isPlain(spans, axis)) return genesisOrder;
  const packed = united(spans);
  const end = packed.reduce((most, { branch, sequence, offset, length }) => {
    return branch === 0 && sequence === 0 ? Math.max(most, offset + length) : most;
  }, 0);
  return orderFromSpans([...packed, { branch: 0, sequence: 0, offset: end, length: Infinity }]);
}

interface Spelling {
  readonly structure: Structure;
  readonly homes: FormulaHomes;
}

function spelled(piece: Piece, spelling: Spelling): string {
  if (typeof piece === 'string') return piece;
  const { sheetId, missing, span, ends, between } = piece;
  const sheet = sheetId === undefined ? undefined : spelling.structure.withId(sheetId);
  const named = span ? spelledSpan(span, spelling) : sheet ? quoteSheet(sheet.name) : missing;
  const lines = ends.map((end) => end.map((line) => spelledLine(line, piece, spelling)).join(''));
  return (named === undefined ? '' : `${named}!`) + lines.join(between);
}

function spelledSpan(span: readonly string[], { structure }: Spelling): string {
  const [first = '', last = ''] = span.map((sheet) => {
    if (!isSheetId(sheet)) return sheet.slice(1, -1).replaceAll("''", "'");
    const id = sheet.slice(1);
    return structure.withId(id)?.name ?? id;
  });
  return quoteSheets(first, last);
}

function spelledLine(line: Line, reference: Reference, spelling: Spelling): string {
  const { axis, walks, number } = line;
  const { structure, homes } = spelling;
  const letter = axis === 'row' ? 'R' : 'C';
  const { sheetId = homes.sheetId, missing, span } = reference;
  const isAway = missing !== undefined || span || isOfAll(line, reference, homes);
  const away = !isAway ? undefined : walks ? homes[axis].offset + number : number;
  const position = away ?? positionOf(structure, sheetId, { axis, ...spanOf(line, homes) });
  if (!walks) return `${letter}${position + 1}`;
  const own = positionOf(structure, homes.sheetId, { axis, ...homes[axis] });
  return position === own ? letter : `${letter}[${position - own}]`;
}

function positionOf(
  structure: Structure,
  sheetId: string,
  { axis, branch, sequence, offset }: { axis: Axis } & FormulaHome['row'],
): number {
  const sheet = structure.withId(sheetId);
  const order = axis === 'row' ? sheet?.rows : sheet?.columns;
  const position = order?.positionOf(branch, sequence, offset);
  if (position === undefined) throw new Error('a formula names a line that it does not have');
  return position;
}

function sizeOf({ ends }: Reference, { structure, homes }: Spelling): ArraySize {
  const [row, column] = (ends[0] ?? []).map((line) => {
    const { axis } = line;
    const last = positionOf(structure, homes.sheetId, { axis, ...spanOf(line, homes) });
    return last - positionOf(structure, homes.sheetId, { axis, ...homes[axis] }) + 1;
  });
  const isFar = ends.flat().some(({ axis, branch, sequence }) => {
    const isOwn = branch === homes[axis].branch && sequence === homes[axis].sequence;
    return !isOwn && !Number.isNaN(branch);
  });
  return { rowCount: row ?? 1, columnCount: column ?? 1, ...(isFar && { isFar }) };
}
