import type { FormulaService } from '../../model/formula-service.ts';
import type { JsonObject, JsonValue } from '../../model/plain-json.ts';
import { identityOf } from '../cells/formula-identity.ts';
import type { FormulaHome } from '../cells/known-identities.ts';
import { lineSpans, type Area, type Ends } from '../structure/area.ts';
import { moveFormula } from '../formulas/formula-text.ts';
import { withSheetNames } from '../formulas/sheet-spelling.ts';
import { orderOf, type Axis, type SheetOutline, type Structure } from '../structure/structure.ts';

/** Members of a rule that can hold a formula: a text that starts with `=`. */
const formulaMembers = new Set(['formula1', 'formula2', 'source', 'value']);

interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Changes the formulas of a record's value; everything else stays. */
export function mapFormulas(value: JsonObject, change: (text: string) => string): JsonObject {
  const { rule, location } = value;
  if (isFormula(location)) return { ...value, location: change(location) };
  if (rule === undefined) return value;
  return { ...value, rule: mapRule(rule, change) };
}

function mapRule(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((member: JsonValue) => mapRule(member, change));
  }
  const members: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) {
    const holdsFormula = formulaMembers.has(name) && isFormula(member);
    members[name] = holdsFormula ? change(member) : mapRule(member, change);
  }
  return members;
}

export function isFormula(value: unknown): value is string {
  return typeof value === 'string' && value.length > 1 && value.startsWith('=');
}

export function formulasOf(value: JsonObject): string[] {
  const found: string[] = [];
  mapFormulas(value, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

/** The members of a record that its formulas depend on. */
export interface Written {
  readonly sheetId: string;
  readonly areas: readonly Area[];
  readonly value: JsonObject;
  /** Structure in which the formulas were written. */
  readonly structure: Structure | undefined;
}

/** The value with its formulas relative to the first cell, as cells keep theirs. */
export function relative(value: JsonObject, cell: Cell, formulas: FormulaService): JsonObject {
  return mapFormulas(value, (text) => formulas.toR1C1(text, cell.row, cell.column));
}

/** The value with its formulas as they read in the first cell of the first area. */
export function shown(record: Written, to: Structure, formulas: FormulaService): JsonObject {
  const value = asWritten(record, to, formulas);
  return mapFormulas(value, (text) => withSheetNames(text, to, formulas));
}

/** Writes a record with sheets spelled as the author of its formulas spelled them. */
export function asWritten(record: Written, to: Structure, formulas: FormulaService): JsonObject {
  const { structure: from, value, sheetId } = record;
  const anchor = from && anchorOf(record, to);
  if (!from || !anchor) return value;
  const { written, now, first } = anchor;
  const isShifted = now.row !== first.row || now.column !== first.column;
  return mapFormulas(value, (r1c1) => {
    const text = textIn(r1c1, written, formulas);
    const moved = moveFormula(text, { from, to, sheetId }, formulas);
    return isShifted ? shiftText(moved, { from: now, to: first }, formulas) : moved;
  });
}

/**
 * The value as it was stored before formulas of records were kept in ids: relative to the first
 * cell of today; undefined where its formulas are read from another cell, or name what is gone and
 * may come back.
 */
export function currentValue(
  record: Written,
  to: Structure,
  formulas: FormulaService,
): JsonObject | undefined {
  const anchor = anchorOf(record, to);
  if (!anchor || anchor.now.row !== anchor.first.row) return undefined;
  if (anchor.now.column !== anchor.first.column) return undefined;
  const isHere = record.structure?.sheets === to.sheets;
  if (isHere && !formulasOf(record.value).some((text) => text.includes('!'))) return record.value;
  const value = relative(shown(record, to, formulas), anchor.first, formulas);
  const lostCount = (one: JsonObject) => formulasOf(one).join(' ').split('#REF!').length;
  return lostCount(value) > lostCount(record.value) ? undefined : value;
}

/** Texts and names in quotes, which stay, and what stands before a lost reference. */
const lostOnSheet =
  /"(?:[^"]|"")*"|('(?:[^']|'')+'|[^\s!'"(),;:+*/^&=<>{}-]+)!(?=#REF!)|'(?:[^']|'')+'/gu;

/** The formula as it reads in a cell; what leads out of the grid from there is on no sheet. */
function textIn(r1c1: string, { row, column }: Cell, formulas: FormulaService): string {
  const text = formulas.fromR1C1(r1c1, row, column);
  if (!text.includes('!#REF!')) return text;
  // A sheet of another workbook has its number in brackets.
  return text.replaceAll(lostOnSheet, (found: string, sheet?: string) =>
    sheet === undefined || sheet.includes(']') ? found : '',
  );
}

/** The first cell of some areas, by identity: formulas of a record are relative to it. */
export function firstCell(
  { areas, sheetId }: Pick<Written, 'areas' | 'sheetId'>,
  to: Structure,
): FormulaHome | undefined {
  const sheet = to.withId(sheetId);
  const [area] = areas;
  if (!sheet || !area) return undefined;
  const row = area.rows?.first ?? sheet.rows.idAt(0);
  return { sheetId, row, column: area.columns?.first ?? sheet.columns.idAt(0) };
}

/** Returns undefined if a line of the cell is not there. */
export function placeIn({ sheetId, row, column }: FormulaHome, to: Structure): Cell | undefined {
  const sheet = to.withId(sheetId);
  const down = sheet?.rows.positionOf(...idOf(row));
  const across = sheet?.columns.positionOf(...idOf(column));
  return down === undefined || across === undefined ? undefined : { row: down, column: across };
}

export function isSameCell(a: FormulaHome, b: FormulaHome): boolean {
  return (
    String(idOf(a.row)) === String(idOf(b.row)) && String(idOf(a.column)) === String(idOf(b.column))
  );
}

/**
 * The value with its formulas in ids, from the first cell of the record in the structure of its
 * state. A formula that is read from another cell is that which the first one has.
 */
export function valueInIds(record: Written, head: Structure, formulas: FormulaService): JsonObject {
  const home = firstCell(record, head);
  if (!record.structure || !home) return record.value;
  const isWrittenThere = placeIn(home, record.structure) !== undefined;
  const structure = isWrittenThere ? record.structure : head;
  const value = isWrittenThere ? record.value : currentText(record, head, formulas);
  return mapFormulas(value, (r1c1) => {
    return identityOf({ r1c1, structure, array: undefined, legacy: false }, home).text;
  });
}

/** Reads a formula in ids from its cell. */
export type FormulaReader = (
  identity: string,
  home: FormulaHome,
) => { readonly r1c1: string; readonly structure: Structure };

/** Separates formulas that are read together: no formula has it. */
const nextFormula = '\u0004';

/** The formulas of `valueInIds`, with a structure that has the lines which they name. */
export function readValue(
  value: JsonObject,
  home: FormulaHome,
  read: FormulaReader,
): Pick<Written, 'value' | 'structure'> {
  const { r1c1, structure } = read(formulasOf(value).join(nextFormula), home);
  const texts = r1c1.split(nextFormula);
  let at = 0;
  return { value: mapFormulas(value, (identity) => texts[at++] ?? identity), structure };
}

/** The value relative to the first cell, in the addresses of the moment. */
function currentText(record: Written, head: Structure, formulas: FormulaService): JsonObject {
  const anchor = anchorOf(record, head);
  return anchor
    ? relative(asWritten(record, head, formulas), anchor.first, formulas)
    : record.value;
}

/** The formula as it reads in another cell of the record. */
export function shiftText(
  text: string,
  { from, to }: { from: Cell; to: Cell },
  formulas: FormulaService,
): string {
  return textIn(formulas.toR1C1(text, from.row, from.column), to, formulas);
}

/** Returns whether the formulas of a record can still be read from its place. */
export function isAnchored(record: Written, to: Structure): boolean {
  return record.structure === undefined || anchorOf(record, to) !== undefined;
}

/** A cell of the record in the structure its formulas were written in, mostly its first. */
export function anchorCell(record: Written, to: Structure) {
  const anchor = anchorOf(record, to);
  if (!anchor) return undefined;
  const { written, now, first } = anchor;
  return { written, isFirst: now.row === first.row && now.column === first.column };
}

interface Anchor {
  /** A cell of the record in the structure its formulas were written in. */
  readonly written: Cell;
  /** Position of that cell now. */
  readonly now: Cell;
  /** The first cell now. */
  readonly first: Cell;
}

/** A cell of the record that was there when its formulas were written. */
function anchorOf({ structure, areas, sheetId }: Written, to: Structure): Anchor | undefined {
  const [area] = areas;
  const was = structure?.withId(sheetId);
  const is = to.withId(sheetId);
  if (!area || !was || !is) return undefined;
  const row = anchorLine(area.rows, { was, is, axis: 'row' });
  const column = anchorLine(area.columns, { was, is, axis: 'column' });
  if (!row || !column) return undefined;
  return {
    written: { row: row.written, column: column.written },
    now: { row: row.now, column: column.now },
    first: { row: row.first, column: column.first },
  };
}

interface Between {
  readonly was: SheetOutline;
  readonly is: SheetOutline;
  readonly axis: Axis;
}

function anchorLine(ends: Ends, { was, is, axis }: Between) {
  const order = orderOf(is, axis);
  const first = ends ? order.positionOf(...idOf(ends.first)) : 0;
  if (first === undefined) return undefined;
  const written = orderOf(was, axis);
  if (written === order) return { written: first, now: first, first };
  let now = first;
  for (const span of lineSpans(ends, order, axis)) {
    const [piece] = written.piecesOf(span);
    if (piece) return { written: piece.position, now: now + piece.skipped, first };
    now += span.length;
  }
  return undefined;
}

function idOf({ branch, sequence, offset }: NonNullable<Ends>['first']): [number, number, number] {
  return [branch, sequence, offset];
}
