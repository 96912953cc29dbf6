import type { JsonObject } from '../../model/plain-json.ts';
import { recordTypes } from '../../model/record.ts';
import { areaText, type Area } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import { displaced, isOneCell } from '../records/record-follow.ts';
import { firstCell, formulasOf, isSameCell, valueInIds } from '../records/record-formulas.ts';
import { recordKey, type StoredRecord, type StoredType } from '../records/stored-record.ts';
import type { Side } from './judge.ts';
import { verdictOn } from '../compare/merged-members.ts';
import {
  areasOf,
  carriedValue,
  faceOf,
  isSameRecord,
  saysStill,
  valueOn,
} from '../compare/record-faces.ts';
import { hasMembers, mergeRecordMembers, type Decide } from './record-members.ts';
import { MergedEnds } from './merged-ends.ts';
import {
  areasFor,
  carriedAreas,
  faceOn,
  hasEnds,
  heldAreas,
  isFollowed,
  isIn,
  recordAgain,
  stillAreas,
  unmovedAreas,
} from './record-places.ts';
import { mergeFormatOrder } from './merged-format-order.ts';
import type { RestoredRecord } from './restoration.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';
import { cellOf, contestKind, nameOf, type SheetMerging } from './record-merging.ts';
import {
  beside,
  displaces,
  dropTables,
  inTheWay,
  replaces,
  tableUnder,
} from './record-overlaps.ts';
import { recordKind } from './scope.ts';
import { isPlaced } from './touched-lines.ts';
import { isValueStill, unmovedRecord, type UnmovedRecord } from './unmoved-records.ts';

/** Types of records that forbid writes. */
const ruleTypes: readonly StoredType[] = ['protection', 'validation'];

/** Merges notes, rules, links and all other records on cells. */
export function* mergeRecords(merging: Merging): Generator<void, void> {
  const ends = {
    ours: new MergedEnds(merging, 'ours', { sorts: true }),
    theirs: new MergedEnds(merging, 'theirs', { sorts: true }),
  };
  for (const was of merging.theirs.structure.sheets) {
    const sheet = stateOf(merging).structure.withId(was.id);
    if (!sheet) continue;
    const own: SheetMerging = { merging, was, sheet, put: [], deletes: [], drops: [], ends };
    for (const type of recordTypes) mergeType(own, type);
    mergeFormatOrder(own);
    yield* dropTables(own);
    if (own.put.length + own.deletes.length === 0) continue;
    const payload = { sheet: sheet.id, put: own.put, delete: own.deletes };
    yield* merging.parts.add({ kind: 'restore.records', payload });
  }
}

/**
 * Deletes rules that theirs changed, so that they forbid no writes; changed ones are added again.
 */
export function* liftRules(merging: Merging): Generator<void, void> {
  const { base, parts } = merging;
  for (const { id: sheet } of merging.ours.structure.sheets) {
    const keys = ruleTypes.flatMap((type) => base.records.on(type, { id: sheet }).map(recordKey));
    const changed = keys.filter((key) => verdictOnRecord(merging, key) === 'set');
    const payload = { sheet, put: [], delete: changed };
    if (changed.length > 0) yield* parts.add({ kind: 'restore.records', payload });
  }
}

function mergeType(own: SheetMerging, type: StoredType): void {
  const { theirs, base, ours } = own.merging;
  deleteStrays(own, type);
  const known = new Set<string>();
  // Deletions come first, to make room for new records.
  for (const state of [base, ours, theirs]) {
    for (const record of state.records.on(type, own.was)) {
      if (state === theirs || !theirs.records.get(recordKey(record))) known.add(recordKey(record));
    }
  }
  for (const key of known) mergeRecord(own, key);
}

/** Deletes records identified by their cells that lines moved, if all of ours can be put back. */
function deleteStrays(own: SheetMerging, type: StoredType): void {
  const { merging, was, sheet, deletes } = own;
  const { ours } = merging;
  const { records } = stateOf(merging);
  const strays = records
    .on(type, was)
    .filter((record) => record.id === '' && !ours.records.get(recordKey(record)));
  const missing = ours.records.on(type, was).filter((record) => !records.get(recordKey(record)));
  const isAllThere = missing.every(
    (record) =>
      verdictOnRecord(merging, recordKey(record)) === 'set' ||
      carriedAreas(own, record, 'ours') !== undefined ||
      record.areas.every((area) => isIn(area, sheet)),
  );
  if (isAllThere) deletes.push(...strays.map(recordKey));
}

function mergeRecord(own: SheetMerging, key: string): void {
  const { theirs, ours } = own.merging;
  const wanted = theirs.records.get(key);
  const unmoved = unmovedRecord(own, key);
  const members = unmoved ? undefined : mergedRecord(own, key);
  if (unmoved) {
    settle(own, key, unmoved);
  } else if (members) {
    restore(own, members);
  } else if (!takesRecord(own, key)) {
    keep(own, key, ours.records.get(key));
  } else if (wanted) {
    restore(own, { record: wanted, from: 'theirs', areas: areasFor(own, wanted) });
  } else if (stateOf(own.merging).records.get(key)) {
    own.deletes.push(key);
  }
}

/** Merges a record by member; undefined when it is to be merged as a whole. */
function mergedRecord(own: SheetMerging, key: string): Restored | undefined {
  const { theirs, base, ours, judge } = own.merging;
  const [wanted, left, held] = [theirs, base, ours].map(({ records }) => records.get(key));
  if (!wanted || !held || !hasMembers(held.type)) return undefined;
  if (verdictOnRecord(own.merging, key) !== 'contest') return undefined;
  const decide: Decide = (member, sides) => {
    const choice = judge.decide({
      kind: 'rule.edit',
      register: `record ${own.sheet.id} ${key} ${member}`,
      text: `${member} of ${nameOf(own, held)}`,
      place: { sheetId: own.sheet.id, record: key, ...cellOf(held) },
      sides: () => sides,
    });
    return choice === 'theirs' ? choice : 'ours';
  };
  const none: JsonObject = {};
  const sides = { theirs: wanted.value, base: left?.value ?? none, ours: held.value };
  const value = mergeRecordMembers(held.type, sides, decide);
  return { record: { ...wanted, value }, from: 'theirs', areas: mergedAreas(own, key, decide) };
}

/** Merges the areas of a record: those of the side that moved it, else the judge decides. */
function mergedAreas(own: SheetMerging, key: string, decide: Decide): readonly Area[] {
  const { theirs, common, ours } = own.merging;
  const [wanted, left, held] = [theirs, common, ours].map(({ records }) => records.get(key));
  if (!wanted || !held) return [];
  const places = areasFor(own, wanted);
  if (areasOf(wanted) === areasOf(held) || (left && isFollowed(own.merging, left, held))) {
    return places;
  }
  const isStill = left !== undefined && areasOf(left) === areasOf(wanted);
  const sides = { theirs: areasOf(wanted), base: left && areasOf(left), ours: areasOf(held) };
  const isMoved = isStill || decide('place', sides) === 'theirs';
  return isMoved ? places : (heldAreas(own, key) ?? places);
}

/** Returns whether a record takes the value of theirs. */
function takesRecord(own: SheetMerging, key: string): boolean {
  const { theirs, base, ours, judge } = own.merging;
  const verdict = verdictOnRecord(own.merging, key);
  if (verdict !== 'contest') return verdict === 'set';
  if (wentWithLines(own.merging, key)) return false;
  const held = ours.records.get(key) ?? theirs.records.get(key) ?? base.records.get(key);
  const shownIn = (state: BranchState) => {
    const record = state.records.get(key);
    return record && carriedValue(record, state, state);
  };
  const choice = judge.decide({
    kind: contestKind(held),
    register: `record ${own.sheet.id} ${key}`,
    text: nameOf(own, held),
    place: { sheetId: own.sheet.id, record: key, ...cellOf(held) },
    sides: () => ({ base: shownIn(base), ours: shownIn(ours), theirs: shownIn(theirs) }),
  });
  return choice === 'theirs';
}

/** Returns whether a record vanished with a deleted line: then the conflict is about the line. */
function wentWithLines({ theirs, base, ours, judge }: Merging, key: string): boolean {
  const left = base.records.get(key);
  if (!left || !isPlaced(left.type) || !judge.isBetweenBranches) return false;
  return [theirs, ours].some((side) => {
    const sheet = side.structure.withId(left.sheetId);
    return !side.records.get(key) && sheet && !left.areas.some((area) => isIn(area, sheet));
  });
}

function verdictOnRecord(merging: Merging, key: string): ReturnType<typeof verdictOn> {
  if (merging.scope) {
    const held = merging.theirs.records.get(key) ?? merging.base.records.get(key);
    const place = { ...(held && { sheetId: held.sheetId }), record: key, ...cellOf(held) };
    if (isLeft(merging, { kind: recordKind(place), place })) return 'leave';
  }
  const state = stateOf(merging);
  const faceIn = (side: BranchState) => {
    const record = side.records.get(key);
    return record && faceOf(record, side, state);
  };
  const [theirs, base, ours] = [merging.theirs, merging.base, merging.ours].map(faceIn);
  const verdict = verdictOn({ theirs, base, ours });
  if (verdict === 'leave') return isLostOtherwise(merging, key) ? 'set' : 'leave';
  if (verdict !== 'contest') return verdict;
  if (isOnlyMoved(merging, key, 'ours')) return 'set';
  return isOnlyMoved(merging, key, 'theirs') ? 'leave' : verdict;
}

/** Returns whether theirs changed only deleted cells that formulas of a record refer to. */
function isLostOtherwise({ theirs, base, ours, scope }: Merging, key: string): boolean {
  const [wanted, then, held] = [theirs, base, ours].map((state) => {
    const record = state.records.get(key);
    return record && { record, state };
  });
  if (!wanted || !then || scope) return false;
  return isSameRecord(then, held) && !isSameRecord(wanted, then);
}

/** Keeps a record of ours, and puts it back where it was if the merge of lines moved it. */
function keep(own: SheetMerging, key: string, held: StoredRecord | undefined): void {
  const state = stateOf(own.merging);
  const now = state.records.get(key);
  if (!held) {
    if (now) own.deletes.push(key);
    return;
  }
  const areas =
    areasThere(own, key) ??
    carriedAreas(own, held, 'ours') ??
    unmovedAreas(own, key) ??
    stillAreas(own, key, held);
  if (!areas) return;
  if (now && faceOf(now, state, state) === faceOn(own, held, areas)) return;
  // A record whose key is its cells has another key elsewhere.
  if (now && recordKey({ ...held, areas }) !== key) own.deletes.push(key);
  restore(own, { record: held, from: 'ours', areas });
}

/** The areas that theirs gave to a record of which ours wrote the value alone. */
function areasThere(own: SheetMerging, key: string): readonly Area[] | undefined {
  const { common, base, ours, theirs, judge } = own.merging;
  const [then, left, wanted, held] = [common, base, theirs, ours].map(({ records }) =>
    records.get(key),
  );
  if (!then || !left || !wanted || !held || !judge.isBetweenBranches) return undefined;
  if (areasOf(left) === areasOf(wanted)) return undefined;
  if (isPlacedStill({ common, ours: theirs }, then, wanted)) return undefined;
  if (!isPlacedStill(own.merging, then, held)) return undefined;
  return areasFor(own, wanted);
}

/** Puts a record where both sides leave it. */
function settle(own: SheetMerging, key: string, { record, areas, value }: UnmovedRecord): void {
  const state = stateOf(own.merging);
  const now = state.records.get(key);
  const face = `${areasOf({ ...record, areas })} ${JSON.stringify(value)}`;
  if (now && faceOf(now, state, state) === face) return;
  if (now && recordKey({ ...record, areas }) !== key) own.deletes.push(key);
  restore(own, { record, from: 'ours', areas, value });
}

/**
 * Returns whether one side changed a record only by lines that came, went or moved, or by other
 * areas for it while the other side left these.
 */
function isOnlyMoved({ common, ...merging }: Merging, key: string, side: Side): boolean {
  const [other, own] = [merging[side === 'ours' ? 'theirs' : 'ours'], merging[side]];
  const [wanted, left, held] = [other, merging.base, own].map(({ records }) => records.get(key));
  if (!left || !held) return false;
  const [was, is] = [
    { record: left, state: merging.base },
    { record: held, state: own },
  ];
  const isSaidStill = saysStill(left, held, { from: was.state, to: own }) || isValueStill(was, is);
  const then = isSaidStill ? common.records.get(key) : undefined;
  if (!then) return false;
  const isOtherStill = wanted !== undefined && isPlacedStill({ common, ours: other }, then, wanted);
  return isOtherStill || isFollowed({ common, ours: own }, then, held);
}

/** Returns whether a side left the areas of a record as they were. */
function isPlacedStill(
  sides: Pick<Merging, 'common' | 'ours'>,
  then: StoredRecord,
  held: StoredRecord,
): boolean {
  return areasOf(held) === areasOf(then) || isFollowed(sides, then, held);
}

/** A record of one side, and the areas that it gets. */
interface Restored {
  readonly record: StoredRecord;
  readonly from: Side;
  readonly areas: readonly Area[];
  /** The value that it gets there; left out for that of its side. */
  readonly value?: JsonObject;
}

function restore(own: SheetMerging, restored: Restored): void {
  const { record: wanted, areas } = restored;
  const isLost = wanted.areas.length > 0 && areas.length === 0;
  // Between branches, the deletion of its lines was decided on its own.
  if (isLost && own.merging.judge.isBetweenBranches) {
    const again = recordAgain(own, wanted);
    if (again) putThere(own, { record: again, from: 'ours', areas: again.areas });
    else putBeside(own, wanted);
    return;
  }
  if (isTooSmall(wanted, areas)) own.deletes.push(recordKey(wanted));
  else putThere(own, restored);
}

function putThere(own: SheetMerging, restored: Restored): void {
  const { record: wanted, from: side, areas, value } = restored;
  const { merging, sheet } = own;
  const from = merging[side];
  const meant = { ...wanted, areas };
  const said = value ? { value } : valueThere(merging, restored);
  const table = said && tableUnder(own, meant);
  if (table && !replaces(own, meant, { table, side })) return;
  const others = said ? inTheWay(own, meant, beside(wanted, from)) : [];
  if (others && (!displaces(own, wanted, others) || others.length === 0)) return;
  if (!said) return;
  own.deletes.push(...(others ?? []).map(recordKey));
  own.put.push({
    type: wanted.type,
    id: wanted.id,
    sheet: sheet.id,
    areas: areas.map(areaText),
    ...said,
  });
}

/** Returns whether merged cells have shrunk to a single cell. */
function isTooSmall({ type }: StoredRecord, areas: readonly Area[]): boolean {
  return type === 'cellmerge' && areas.length > 0 && areas.every(isOneCell);
}

/** Puts a comment thread on a cell nearby: a conversation outlives its cells. */
function putBeside({ was, sheet: after, put }: SheetMerging, thread: StoredRecord): void {
  const axis = thread.areas.some(({ rows }) => !hasEnds(rows, after.rows)) ? 'row' : 'column';
  const placed =
    thread.type === 'thread' ? displaced(thread, { axis, before: was, after }) : undefined;
  if (!placed) return;
  const { type, id, value } = placed;
  put.push({ type, id, sheet: after.id, areas: placed.areas.map(areaText), value });
}

/**
 * Returns the value of a record for its new areas; undefined when it cannot be expressed there.
 * Formulas with `#REF!` are given in ids, because a text cannot say what was lost.
 */
function valueThere(
  merging: Merging,
  { record: wanted, from: side, areas }: Restored,
): Pick<RestoredRecord, 'value' | 'inIds'> | undefined {
  if (wanted.areas.length > 0 && areas.length === 0) return undefined;
  const from = merging[side];
  const to = stateOf(merging);
  const { formulas } = to.coding;
  const value = valueOn(wanted, areas, { from, to });
  const texts = value ? formulasOf(value) : [];
  if (!value || !texts.some((text) => text.includes('#REF!'))) return value && { value };
  const [was, is] = [
    firstCell(wanted, from.structure),
    firstCell({ ...wanted, areas }, to.structure),
  ];
  // When ours changed lines too, ranges may have been cut at their ends, so the old ids are wrong.
  const isAlone = merging.base.structure.digest === merging.ours.structure.digest;
  const isGone = texts.every((text) => formulas.references(text).length === 0);
  if (!was || !is || !isSameCell(was, is) || (!isAlone && !isGone)) return { value };
  return { value: valueInIds(wanted, from.structure, formulas), inIds: true };
}
