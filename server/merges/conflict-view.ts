import { cellName, columnName } from '../model/address.ts';
import { foldName } from '../model/names.ts';
import { fitsPattern } from '../model/protection.ts';
import { lineText } from '../state/structure/area.ts';
import { isCell, type Contest, type ContestPlace } from '../state/merge/judge.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { SheetOutline } from '../state/structure/structure.ts';
import type { Author, ConflictAuthors } from './authors.ts';
import type { MergeOutcome } from './merge-computer.ts';
import { isWarning, type Conflict } from '../state/outcome/merged-state.ts';
import type { ConflictDetails, SideName } from './conflicts/details.ts';
import type { StoredChoice } from '../state/outcome/stored-choice.ts';

/** A conflict in a response. */
export interface ConflictView {
  readonly id: string;
  readonly kind: string;
  /** Kind of a `table.schema` conflict. */
  readonly subtype?: string;
  readonly severity: 'conflict' | 'warning';
  readonly status: 'open' | 'resolved';
  readonly unit: string | null;
  /** Place in words. */
  readonly text: string;
  readonly path: Readonly<Record<string, unknown>>;
  readonly row?: ConflictDetails['row'];
  readonly base: SideView;
  readonly ours: SideView;
  readonly theirs: SideView;
  readonly choices: readonly string[];
  readonly resolution: ResolutionView | null;
  /** Earlier choice, which was made for other sides. */
  readonly previousResolution?: ResolutionView;
}

interface SideView extends Partial<Author> {
  readonly change?: 'added' | 'modified' | 'removed' | 'moved' | 'formatted';
  readonly input?: unknown;
  readonly value?: unknown;
  /** The value in its number format, if that differs. */
  readonly text?: string;
  /** Values of several bases that differ, instead of one base. */
  readonly terms?: readonly unknown[];
  readonly cells?: ConflictDetails['cells'];
}

interface ResolutionView {
  readonly choice: string;
  readonly input?: unknown;
  /** Side that `combine` prefers. */
  readonly prefer?: string;
  /** Side whose row gets another key by `rekey`. */
  readonly side?: string;
  readonly newKey?: unknown;
  readonly by: string;
  readonly at: string;
}

export interface ConflictFilter {
  readonly status?: 'open' | 'resolved' | undefined;
  /** Kind of conflict; may contain `*`. */
  readonly kind?: string | undefined;
  /** Id or name of a sheet. */
  readonly sheet?: string | undefined;
  /** Id or name of a table. */
  readonly table?: string | undefined;
  /** Name of a column of the table; letters of the column for cells outside tables. */
  readonly column?: string | undefined;
  /** Id of a unit. */
  readonly unit?: string | undefined;
  /** Author of the source's side. */
  readonly writer?: string | undefined;
}

/** Makes a test of whether a conflict fits a filter. */
export function conflictFilter(
  filter: ConflictFilter,
  states: SeenStates,
): (conflict: Conflict) => boolean {
  const { status, unit } = filter;
  const isMeant = aboutFilter(filter, states);
  const own = states.units.find(({ id }) => id === unit)?.conflicts;
  const ofUnit = unit === undefined ? undefined : new Set(own);
  return ({ id, contest, isSettled }) =>
    (status === undefined || isSettled === (status === 'resolved')) &&
    (ofUnit === undefined || ofUnit.has(id)) &&
    isMeant(contest);
}

type SeenStates = Pick<MergeOutcome, 'merged' | 'theirs' | 'units'>;

interface About {
  readonly kind: string;
  readonly place: ContestPlace;
}

/** Makes a test of whether a conflict or finding has the kind and place of a filter. */
export function aboutFilter(
  { kind, sheet, table, column }: ConflictFilter,
  { merged, theirs }: Pick<SeenStates, 'merged' | 'theirs'>,
): (about: About) => boolean {
  const sheets = [merged, theirs].map(({ structure }) => structure.named(sheet ?? '')?.id);
  const isOnSheet = isCalled(sheet, sheets);
  const isOfTable = isCalled(table, [merged.tables.named(table ?? '')?.id]);
  const known = new Map<string, boolean>();
  const isOfKind = (name: string) => {
    const isKnown = known.get(name) ?? (kind === undefined || fitsPattern(name, kind));
    known.set(name, isKnown);
    return isKnown;
  };
  const isOfColumn = (place: ContestPlace) =>
    column === undefined || isIn(column, place, [merged, theirs]);
  return ({ kind: own, place }) =>
    isOfKind(own) && isOnSheet(place.sheetId) && isOfTable(place.tableId) && isOfColumn(place);
}

/** Returns whether a place is in a column, given by name in a table and by letters elsewhere. */
function isIn(
  column: string,
  { field, sheetId, column: id }: ContestPlace,
  states: readonly BranchState[],
): boolean {
  if (field !== undefined) return foldName(field) === foldName(column);
  if (sheetId === undefined || !id) return false;
  for (const { structure } of states) {
    const columns = structure.withId(sheetId)?.columns;
    const at = columns?.positionOf(id.branch, id.sequence, id.offset);
    if (at !== undefined) return columnName(at) === column.toUpperCase();
  }
  return false;
}

/**
 * Finds members of a filter that name nothing on either side, so that a mistyped name is refused.
 */
export function unknownNames(
  { sheet, table, unit }: ConflictFilter,
  { merged, ours, theirs, units }: Pick<MergeOutcome, 'merged' | 'ours' | 'theirs' | 'units'>,
): ('sheet' | 'table' | 'unit')[] {
  const states = [merged, ours, theirs];
  const faults = {
    sheet: sheet !== undefined && !states.some(({ structure }) => structure.find(sheet)),
    table: table !== undefined && !states.some(({ tables }) => tables.find(table)),
    unit: unit !== undefined && !units.some(({ id }) => id === unit),
  };
  return (['sheet', 'table', 'unit'] as const).filter((member) => faults[member]);
}

/** Makes a test of whether an id is the wanted text, or belongs to something of that name. */
function isCalled(
  wanted: string | undefined,
  ids: readonly (string | undefined)[],
): (id: string | undefined) => boolean {
  if (wanted === undefined) return () => true;
  return (id) => id !== undefined && (id === wanted || ids.includes(id));
}

/** Returns the choices of a side for a conflict, and the side that each takes. */
export function choicesFor({ kind, sides }: Contest): Readonly<Record<string, 'ours' | 'theirs'>> {
  const plain = { ours: 'ours', theirs: 'theirs' } as const;
  if (!kind.endsWith('.edit_delete')) return plain;
  const isOursGone = sides().ours === 'removed';
  return isOursGone
    ? { ...plain, keep: 'theirs', delete: 'ours' }
    : { ...plain, keep: 'ours', delete: 'theirs' };
}

/** Returns the choices that are neither ours nor theirs. `base` is none of them if bases differ. */
export function moreChoices({
  kind,
  subtype,
  terms,
}: Pick<Contest, 'kind' | 'subtype' | 'terms'>): readonly string[] {
  const base = terms ? [] : ['base'];
  if (kind === 'tablerow.cell') return [...base, 'custom', 'combine'];
  if (isCell({ kind })) return [...base, 'custom'];
  if (kind === 'sheet.rename') return ['custom'];
  if (kind === 'range.move') return subtype === 'shift' ? [] : ['both'];
  return kind === 'tablerow.insert_insert' ? ['combine', 'rekey'] : [];
}

/** Facts about a conflict that a merge does not keep. */
type Known = ConflictAuthors & ConflictDetails;

export function viewOf(conflict: Conflict, outcome: MergeOutcome, known: Known): ConflictView {
  const { id, contest, isSettled, stored } = conflict;
  const { kind, text } = contest;
  const named = Object.keys(choicesFor(contest));
  const isAnswered = stored !== undefined && conflict.choice !== undefined;
  return {
    id,
    kind,
    ...(contest.subtype !== undefined && { subtype: contest.subtype }),
    severity: isWarning(contest) ? 'warning' : 'conflict',
    status: isSettled ? 'resolved' : 'open',
    unit: known.unit ?? null,
    text,
    path: pathOf(contest, outcome),
    ...(known.row && { row: known.row }),
    ...sidesOf(contest, known),
    choices: [...named, ...moreChoices(contest)],
    resolution: isAnswered ? resolutionOf(stored) : null,
    ...(stored && !isAnswered && { previousResolution: resolutionOf(stored) }),
  };
}

export function resolutionOf({ choice, by, at }: StoredChoice): ResolutionView {
  const made = { by, at: new Date(at).toISOString() };
  if (typeof choice !== 'object') return { choice, ...made };
  if ('input' in choice) return { choice: 'custom', input: choice.input, ...made };
  if ('combine' in choice) return { choice: 'combine', prefer: choice.combine, ...made };
  return { choice: 'rekey', side: choice.rekey, newKey: choice.newKey, ...made };
}

function sidesOf(contest: Contest, known: Known): Pick<ConflictView, 'base' | 'ours' | 'theirs'> {
  const { base, ours, theirs } = contest.sides();
  const isLine = /\.(?:edit_delete|order)$/u.test(contest.kind);
  if (isLine) {
    return { base: {}, ours: lineSide(ours, known.cells), theirs: lineSide(theirs, known.cells) };
  }
  const held = (name: SideName, value: unknown) => {
    if (!isCell(contest)) return { value: value ?? null };
    return { input: value ?? null, ...known.values[name] };
  };
  const side = (name: 'ours' | 'theirs', value: unknown): SideView => {
    const author = known[name];
    return {
      change: changeOf(contest.kind, base, value),
      ...held(name, value),
      ...author,
    };
  };
  const then = contest.terms ? { terms: contest.terms } : held('base', base);
  return { base: then, ours: side('ours', ours), theirs: side('theirs', theirs) };
}

function changeOf(
  kind: Contest['kind'],
  base: unknown,
  value: unknown,
): NonNullable<SideView['change']> {
  if (kind === 'range.move') return 'moved';
  if (value === undefined) return 'removed';
  return base === undefined ? 'added' : 'modified';
}

function lineSide(side: unknown, cells: ConflictDetails['cells']): SideView {
  if (side === 'removed') return { change: 'removed' };
  if (side === 'formatted') return { change: 'formatted' };
  if (side !== 'modified') return { change: 'moved' };
  return { change: 'modified', ...(cells && { cells }) };
}

function pathOf(contest: Contest, outcome: MergeOutcome): Readonly<Record<string, unknown>> {
  const { tableId, record, name, scopeId, key, field } = contest.place;
  const table = tableId === undefined ? undefined : outcome.merged.tables.withId(tableId);
  return {
    ...cellPath(contest.place, outcome),
    ...(tableId !== undefined && { table: { id: tableId, name: table?.name ?? null } }),
    ...(key !== undefined && { key }),
    ...(field !== undefined && { column: field }),
    ...(record !== undefined && { record }),
    ...(name !== undefined && { [contest.kind === 'setting' ? 'setting' : 'name']: name }),
    ...(scopeId !== undefined && { scope: scopeId }),
  };
}

export function cellPath(
  place: Contest['place'],
  outcome: MergeOutcome,
): Readonly<Record<string, unknown>> {
  const { sheetId, row, column } = place;
  if (sheetId === undefined) return {};
  const { base, ours, theirs, merged } = outcome;
  const known = [merged, ours, theirs, base].map(({ structure }) => structure.withId(sheetId));
  const sheet = { id: sheetId, name: known.find((found) => found)?.name ?? null };
  if (!row && !column) return { sheet };
  const addresses = Object.entries({ base, ours, theirs, merged }).map(([side, { structure }]) => {
    const found = structure.withId(sheetId);
    return [side, found ? addressIn(found, place) : null];
  });
  return {
    sheet,
    ...(row && { row: lineText(row) }),
    ...(column && { col: lineText(column) }),
    a1: Object.fromEntries(addresses) as Record<string, string | null>,
  };
}

/** Address such as `C12`, `5:5` or `B:B`; null if the place does not exist. */
function addressIn(
  sheet: SheetOutline,
  { row, column }: Pick<Contest['place'], 'row' | 'column'>,
): string | null {
  const at = row && sheet.rows.positionOf(row.branch, row.sequence, row.offset);
  const across = column && sheet.columns.positionOf(column.branch, column.sequence, column.offset);
  if (row && at === undefined) return null;
  if (column && across === undefined) return null;
  if (at !== undefined && across !== undefined) return cellName(at, across);
  if (at !== undefined) return `${at + 1}:${at + 1}`;
  return across === undefined ? null : `${columnName(across)}:${columnName(across)}`;
}
