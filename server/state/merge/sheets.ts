import { recordTypes } from '../../model/record.ts';
import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { recordKey, type StoredType } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { writeOrder } from './restoration.ts';
import type { Choice } from './judge.ts';
import { isSame, verdictOn } from '../compare/merged-members.ts';
import { textOf } from './names.ts';
import { faceOf } from '../compare/record-faces.ts';
import { carriedTable, entryOf } from './carried-table.ts';
import { sameCells } from '../compare/same-lanes.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';

/** Adds the new sheets of theirs, still empty, deletes others, and sets names and order. */
export function* mergeSheets(merging: Merging): Generator<void, void> {
  if (merging.theirs.structure.sheets === merging.base.structure.sheets) return;
  yield* restoreSheets(merging);
  yield* deleteSheets(merging);
  yield* renameSheets(merging);
  yield* orderSheets(merging);
}

function* restoreSheets(merging: Merging): Generator<void, void> {
  const { theirs, base, parts } = merging;
  for (const [at, sheet] of theirs.structure.sheets.entries()) {
    if (base.structure.withId(sheet.id)) continue;
    if (isLeft(merging, { kind: 'sheet.add', place: { sheetId: sheet.id } })) continue;
    merging.lost.push({ sheetId: sheet.id });
    const { structure } = stateOf(merging);
    if (structure.withId(sheet.id)) continue;
    const left = theirs.structure.sheets.slice(0, at).map(({ id }) => id);
    const place = indexAfter(left, structure);
    const isKept = merging.common.structure.withId(sheet.id) !== undefined;
    const index = isKept ? place : behindOwn(merging, place);
    // Another sheet may still have the name; `renameSheets` settles that.
    const name = freeName(sheet.name, structure);
    const orders = { rows: writeOrder(sheet.rows), columns: writeOrder(sheet.columns) };
    const payload = { sheet: sheet.id, name, index, ...orders };
    yield* parts.add({ kind: 'restore.sheet', payload });
  }
}

/** Returns the index behind the last of some sheets that exists; 0 when none does. */
function indexAfter(ids: readonly string[], { sheets }: Structure): number {
  for (const id of ids.toReversed()) {
    const index = sheets.findIndex((sheet) => sheet.id === id);
    if (index >= 0) return index + 1;
  }
  return 0;
}

/** Moves an index behind sheets that only ours has: in one place, those of ours come first. */
function behindOwn({ theirs, judge, parts }: Merging, index: number): number {
  if (!judge.isBetweenBranches) return index;
  const { sheets } = parts.state.structure;
  const next = sheets.findIndex(({ id }, at) => at >= index && theirs.structure.withId(id));
  return next < 0 ? sheets.length : next;
}

/** Returns a name, with a counter if necessary, that no sheet but `own` has. */
function freeName(name: string, structure: Structure, own?: string): string {
  let free = name;
  const isTaken = (other: SheetOutline | undefined) => other !== undefined && other.id !== own;
  for (let count = 2; isTaken(structure.named(free)); count++) {
    const suffix = ` (${count})`;
    free = name.slice(0, 31 - suffix.length) + suffix;
  }
  return free;
}

function* deleteSheets(merging: Merging): Generator<void, void> {
  const { theirs, base, ours, parts, judge } = merging;
  for (const sheet of base.structure.sheets) {
    const now = ours.structure.withId(sheet.id);
    if (theirs.structure.withId(sheet.id) || !now) continue;
    if (isLeft(merging, { kind: 'sheet.delete', place: { sheetId: sheet.id } })) continue;
    // Between branches, a sheet that the merge keeps was taken out of the base before.
    const isDeleted =
      judge.isBetweenBranches ||
      sameSheet({ state: base, sheet }, { state: ours, sheet: now }) ||
      judge.decide({
        kind: 'sheet.edit_delete',
        register: `sheet edit_delete ${sheet.id}`,
        text: `the sheet ${now.name}`,
        place: { sheetId: sheet.id },
        sides: () => ({ base: 'there', ours: 'modified', theirs: 'removed' }),
      }) === 'theirs';
    if (isDeleted) yield* parts.add({ kind: 'sheet.delete', payload: { sheet: sheet.id } });
  }
}

interface PlacedSheet {
  readonly state: BranchState;
  readonly sheet: SheetOutline;
}

/** Returns whether a sheet is equal in two states, in every respect. */
export function sameSheet(a: PlacedSheet, b: PlacedSheet): boolean {
  if (a.sheet.name !== b.sheet.name) return false;
  return a.sheet.rows.text === b.sheet.rows.text && sameRest(a, b) && sameCells(a, b);
}

function sameRest(a: PlacedSheet, b: PlacedSheet): boolean {
  if (a.sheet.columns.text !== b.sheet.columns.text) return false;
  const { id } = a.sheet;
  for (const axis of ['row', 'column'] as const) {
    const [one, other] = [a, b].map(({ state }) => state.looks.lines.of(id, axis));
    if (!one || !other?.equals(one)) return false;
  }
  return isSame(contentOf(a, b.state), contentOf(b, b.state));
}

/**
 * Returns the content of a sheet except its cells, with formulas in the addresses of another state.
 */
function contentOf({ state, sheet }: PlacedSheet, to: BranchState): unknown {
  const { records, tables, names, looks } = state;
  const types: readonly StoredType[] = [...recordTypes, 'cforder'];
  const held = types.flatMap((type) => records.on(type, sheet));
  return {
    records: held.map((record) => `${recordKey(record)} ${faceOf(record, state, to)}`).toSorted(),
    tables: tables.onSheet(sheet.id).map((table) => entryOf(carriedTable(table, state, to))),
    names: names
      .ofScope(sheet.id)
      .map((name) => textOf(name, state, to))
      .toSorted(),
    properties: looks.properties.of(sheet.id),
  };
}

/** Returns new names of sheets by id. */
function wantedNames(merging: Merging): Map<string, string> {
  const wanted = new Map<string, string>();
  for (const { id, name } of merging.theirs.structure.sheets) {
    const now = stateOf(merging).structure.withId(id)?.name;
    if (now === undefined) continue;
    const then = merging.base.structure.withId(id)?.name ?? now;
    const sides = { theirs: name, base: then, ours: now };
    const verdict = verdictOn(sides);
    if (verdict === 'leave' || isLeft(merging, { kind: 'sheet.rename', place: { sheetId: id } })) {
      continue;
    }
    const choice =
      verdict === 'set'
        ? 'theirs'
        : merging.judge.decide({
            kind: 'sheet.rename',
            register: `sheet name ${id}`,
            text: `the name of the sheet ${now}`,
            place: { sheetId: id },
            sides: () => sides,
          });
    const chosen = nameOf(choice, name);
    if (chosen !== undefined) wanted.set(id, chosen);
  }
  return wanted;
}

/** Returns the name that a choice gives: that of theirs, or an input; undefined to keep it. */
function nameOf(choice: Choice, name: string): string | undefined {
  const own = typeof choice === 'object' && 'input' in choice ? choice.input : undefined;
  if (typeof own === 'string') return own;
  return choice === 'theirs' ? name : undefined;
}

function* renameSheets(merging: Merging): Generator<void, void> {
  const wanted = wantedNames(merging);
  for (const [sheet, name] of wanted) {
    const other = stateOf(merging).structure.named(name);
    if (other && other.id !== sheet && wanted.has(other.id)) {
      // The sheet in the way is to be renamed too, and gets a temporary name until its turn.
      const free = freeName(name, stateOf(merging).structure);
      yield* merging.parts.add({ kind: 'sheet.rename', payload: { sheet: other.id, name: free } });
    } else if (other && other.id !== sheet) {
      yield* settleName(merging, { sheet, name }, other);
      continue;
    }
    yield* merging.parts.add({ kind: 'sheet.rename', payload: { sheet, name } });
  }
}

/**
 * Decides which of two sheets gets a name. The other one gets its name in the base or, if that is
 * taken or it is new, a free one.
 */
function* settleName(
  { judge, parts, base }: Merging,
  { sheet, name }: { readonly sheet: string; readonly name: string },
  other: SheetOutline,
): Generator<void, void> {
  const choice = judge.decide({
    kind: 'sheet.rename',
    register: `sheet named ${foldName(name)}`,
    text: `the name ${name} of a sheet`,
    place: { sheetId: other.id },
    sides: () => ({ base: undefined, ours: other.name, theirs: name }),
  });
  const rename = (id: string, to: string) =>
    parts.add({ kind: 'sheet.rename', payload: { sheet: id, name: to } });
  if (choice !== 'theirs') {
    const chosen = nameOf(choice, name);
    if (chosen !== undefined) yield* rename(sheet, freeName(chosen, parts.state.structure));
    return;
  }
  // A temporary name first: the name left for the other sheet may still be in use.
  yield* rename(other.id, freeName(name, parts.state.structure));
  yield* rename(sheet, name);
  const { structure } = parts.state;
  const left = freeName(base.structure.withId(other.id)?.name ?? name, structure, other.id);
  if (left !== structure.withId(other.id)?.name) yield* rename(other.id, left);
}

function* orderSheets(merging: Merging): Generator<void, void> {
  const { theirs, base, ours, judge } = merging;
  const isCommon = (id: string) =>
    [theirs, base, ours].every(({ structure }) => structure.withId(id) !== undefined);
  const orderIn = ({ structure }: BranchState) =>
    structure.sheets.map(({ id }) => id).filter(isCommon);
  const [wanted, then, now] = [orderIn(theirs), orderIn(base), orderIn(ours)].map(String);
  if (wanted === then || wanted === now) return;
  if (isLeft(merging, { kind: 'sheet.order', place: {} })) return;
  if (then !== now) {
    const choice = judge.decide({
      kind: 'sheet.order',
      register: 'the order of the sheets',
      text: 'the order of the sheets',
      place: {},
      sides: () => ({ base: orderIn(base), ours: orderIn(ours), theirs: orderIn(theirs) }),
    });
    if (choice !== 'theirs') return;
  }
  const target = inOrder(
    stateOf(merging).structure.sheets.map(({ id }) => id),
    orderIn(theirs),
  );
  for (const [index, sheet] of target.entries()) {
    if (stateOf(merging).structure.sheets[index]?.id === sheet) continue;
    yield* merging.parts.add({ kind: 'sheet.move', payload: { sheet, index } });
  }
}

/**
 * Puts some members of a list into another order; each other member stays behind its predecessor.
 */
function inOrder(list: readonly string[], order: readonly string[]): string[] {
  const behind = followers(list, order);
  return ['', ...order].flatMap((member) => {
    const run = behind.get(member);
    return run ? [...(member === '' ? [] : [member]), ...run] : [];
  });
}

/**
 * Returns the other members of a list by the member of an order that they stand behind; those in
 * front of all by a blank.
 */
export function followers(
  list: readonly string[],
  order: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const ordered = new Set(order);
  const behind = new Map<string, string[]>([['', []]]);
  let previous = '';
  for (const member of list) {
    if (ordered.has(member)) {
      previous = member;
      behind.set(member, []);
    } else {
      behind.get(previous)?.push(member);
    }
  }
  return behind;
}
