import { definedNameFault, foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import type { Contest, Judge, Side } from './judge.ts';
import type { AlignedSides } from './parts.ts';
import { rename, type Clash, type Holder, type Renamed } from './renaming.ts';

/** A table, whose name may clash with that of a table or a defined name of the workbook. */
export function tableClash(id: string): Clash {
  return {
    own: tableHolder(id),
    otherIn: (state, name) => {
      const table = state.tables.named(name);
      if (table && table.id !== id) return tableHolder(table.id);
      return definedIn(state, name);
    },
  };
}

/** A table that is new, and a defined name that the other side gave its name to. */
export function newTableClash(id: string): Clash {
  return { own: tableHolder(id), otherIn: definedIn };
}

function definedIn({ names }: BranchState, name: string): Holder | undefined {
  return names.get(name, undefined) && nameHolder(name);
}

function tableHolder(id: string): Holder {
  return {
    nameIn: ({ tables }) => tables.withId(id)?.name,
    renaming: (_from, name) => ({ kind: 'table.rename', payload: { table: id, name } }),
    isTaken,
    numbered,
  };
}

function nameHolder(name: string): Holder {
  return {
    nameIn: ({ names }) => names.get(name, undefined)?.name,
    renaming: (from, to) => ({ kind: 'name.rename', payload: { from, to } }),
    isTaken,
    numbered,
  };
}

/** Keeps a short name from reading as a cell: `Z` becomes `Z_2`, because `Z2` is one. */
function numbered(name: string, count: number): string {
  const plain = `${name}${count}`;
  return definedNameFault(plain) === undefined ? plain : `${name}_${count}`;
}

function isTaken({ tables, names }: BranchState, name: string): boolean {
  return tables.named(name) !== undefined || names.get(name, undefined) !== undefined;
}

/** A column, whose name may clash with that of another one of its table. */
export function columnClash(table: string, id: string): Clash {
  return {
    own: columnHolder(table, id),
    otherIn: (state, name) => {
      const found = columnsIn(state, table).find(
        (column) => column.id !== id && foldName(column.name) === foldName(name),
      );
      return found && columnHolder(table, found.id);
    },
  };
}

function columnHolder(table: string, id: string): Holder {
  return {
    nameIn: (state) => columnsIn(state, table).find((column) => column.id === id)?.name,
    renaming: (column, name) => ({
      kind: 'table.column.rename',
      payload: { table, column, name },
    }),
    isTaken: (state, name) =>
      columnsIn(state, table).some((column) => foldName(column.name) === foldName(name)),
    numbered: (name, count) => `${name}${count}`,
  };
}

function columnsIn({ tables }: BranchState, table: string) {
  return tables.withId(table)?.columns ?? [];
}

/** A name that one side gave to something. */
export interface Given extends Pick<Renamed, 'to'>, Pick<Contest, 'place'> {
  readonly giver: Side;
  readonly clash: Clash | undefined;
}

/**
 * Settles a name that one side gave to a table or a column, and the other side to something else:
 * the judge decides what gets it. The rest has its former name again, or a free one where it is
 * new. Undefined where nothing else has the name, or the giver deleted what has it.
 */
export function* settleClash(
  { giver, to, place, clash }: Given,
  sides: AlignedSides,
  { judge, base }: { readonly judge: Judge; readonly base: BranchState },
): Generator<void, AlignedSides | undefined> {
  const other: Side = giver === 'ours' ? 'theirs' : 'ours';
  const holder = clash?.otherIn(sides[other].state, to);
  if (!clash || !holder || isEven(clash.own, sides)) return undefined;
  if (isDeleted(holder, base, sides[giver].state)) return undefined;
  const [former, kept] = [clash.own, holder].map(({ nameIn }) => nameIn(base) ?? to);
  const choice = judge.decide(contestOf(place, to, { [giver]: former, [other]: kept }));
  const [gets, loses] = choice === giver ? [clash.own, holder] : [holder, clash.own];
  const free = freeName(loses, sides, loses.nameIn(base) ?? to, to);
  const renamed = yield* rename(renamingTo(loses, free, sides), sides);
  if (!renamed || choice !== giver) return renamed;
  return (yield* rename(renamingTo(gets, to, renamed), renamed)) ?? renamed;
}

/** The tables that are new on either side. */
export function* newTables({ base, ours, theirs }: AlignedSides): Generator<Given> {
  for (const [giver, { state }] of [
    ['ours', ours],
    ['theirs', theirs],
  ] as const) {
    for (const { id, name, sheetId } of state.tables.all) {
      if (base.state.tables.withId(id)) continue;
      const place = { tableId: id, sheetId };
      yield { giver, to: name, place, clash: newTableClash(id) };
    }
  }
}

/** Returns whether a side deleted what the base has. */
function isDeleted({ nameIn }: Holder, base: BranchState, side: BranchState): boolean {
  return nameIn(base) !== undefined && nameIn(side) === undefined;
}

function contestOf(
  place: Contest['place'],
  name: string,
  { ours, theirs }: { readonly ours?: string; readonly theirs?: string },
): Contest {
  const { tableId = '', field } = place;
  return {
    kind: 'table.schema',
    subtype: 'rename',
    register: `called ${field === undefined ? '' : tableId} ${foldName(name)}`,
    text: `the name ${name}`,
    place,
    sides: () => ({ base: undefined, ours, theirs }),
  };
}

/** Returns whether something has one name in all states. */
function isEven({ nameIn }: Holder, { base, ours, theirs }: AlignedSides): boolean {
  return new Set([base, ours, theirs].map(({ state }) => nameIn(state))).size === 1;
}

/** Renames something wherever it is. */
function renamingTo(
  { nameIn, renaming }: Holder,
  to: string,
  { base, ours, theirs }: AlignedSides,
): Pick<Renamed, 'names' | 'renaming' | 'to'> {
  const nameOf = ({ state }: { readonly state: BranchState }) => nameIn(state) ?? to;
  return {
    names: { base: nameOf(base), ours: nameOf(ours), theirs: nameOf(theirs) },
    renaming,
    to,
  };
}

/** Returns the wanted name if nothing has it, else the name with a number. */
function freeName(
  { nameIn, isTaken: isUsed, numbered: withNumber }: Holder,
  { base, ours, theirs }: AlignedSides,
  wanted: string,
  name: string,
): string {
  const states = [base.state, ours.state, theirs.state];
  let free = wanted;
  const isOthers = (state: BranchState) => nameIn(state) !== free && isUsed(state, free);
  for (let count = 2; states.some(isOthers); count++) free = withNumber(name, count);
  return free;
}
