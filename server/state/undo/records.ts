import type { JsonObject } from '../../model/plain-json.ts';
import type { Range } from '../../model/range.ts';
import { recordTypes } from '../../model/record.ts';
import { areaOf, areaText, rangeOf, type Area, type Ends } from '../area.ts';
import type { BranchState } from '../branch-state.ts';
import { orderOf, orderOn } from '../format-order.ts';
import { LineMap } from '../line-map.ts';
import type { Order } from '../order.ts';
import { overlap } from '../range-index.ts';
import { isAnchored, shown } from '../record-formulas.ts';
import { recordKey, type StoredRecord, type StoredType } from '../stored-record.ts';
import type { SheetOutline } from '../structure.ts';
import { rangeOf as tableRange } from '../tables.ts';
import type { RestoredRecord } from './restoration.ts';
import { isSame, verdictOn } from './merged-members.ts';
import { areasOf, carriedValue, faceOf, valueOf } from './record-faces.ts';
import { inOrder } from './sheets.ts';
import { stateOf, type SpanUndo } from './span-undo.ts';

interface SheetUndo {
  readonly undo: SpanUndo;
  /** As it was before. */
  readonly was: SheetOutline;
  /** As it is when its lines are back. */
  readonly sheet: SheetOutline;
  readonly put: RestoredRecord[];
  readonly deletes: string[];
}

/** What says which writes are refused. */
const ruleTypes: readonly StoredType[] = ['protection', 'validation'];

/** Notes, rules, links and all else that lies on cells. */
export function* undoRecords(undo: SpanUndo): Generator<void, void> {
  for (const was of undo.before.structure.sheets) {
    const sheet = stateOf(undo).structure.withId(was.id);
    if (!sheet) continue;
    const own: SheetUndo = { undo, was, sheet, put: [], deletes: [] };
    for (const type of recordTypes) undoType(own, type);
    undoOrder(own);
    if (own.put.length + own.deletes.length === 0) continue;
    const payload = { sheet: sheet.id, put: own.put, delete: own.deletes };
    yield* undo.parts.add({ kind: 'restore.records', payload });
  }
}

/** Rules that the span made or changed are away while the rest is undone, as they were before it. */
export function* liftRules(undo: SpanUndo): Generator<void, void> {
  const { after, parts } = undo;
  for (const { id: sheet } of undo.ours.structure.sheets) {
    const keys = ruleTypes.flatMap((type) => after.records.on(type, { id: sheet }).map(recordKey));
    const changed = keys.filter((key) => verdictOnRecord(undo, key) === 'set');
    const payload = { sheet, put: [], delete: changed };
    if (changed.length > 0) yield* parts.add({ kind: 'restore.records', payload });
  }
}

function undoType(own: SheetUndo, type: StoredType): void {
  const { before, after, ours } = own.undo;
  deleteStrays(own, type);
  const known = new Set<string>();
  // What goes makes room for what comes.
  for (const state of [after, ours, before]) {
    for (const record of state.records.on(type, own.was)) {
      if (state === before || !before.records.get(recordKey(record))) known.add(recordKey(record));
    }
  }
  for (const key of known) undoRecord(own, key);
}

/** Records that are called after their cells, once these moved back: all come back as they were. */
function deleteStrays({ undo, was, sheet, deletes }: SheetUndo, type: StoredType): void {
  const { ours } = undo;
  const { records } = stateOf(undo);
  const strays = records
    .on(type, was)
    .filter((record) => record.id === '' && !ours.records.get(recordKey(record)));
  const missing = ours.records.on(type, was).filter((record) => !records.get(recordKey(record)));
  const isAllThere = missing.every(({ areas }) => areas.every((area) => isIn(area, sheet)));
  if (isAllThere) deletes.push(...strays.map(recordKey));
}

function undoRecord(own: SheetUndo, key: string): void {
  const { before, after, ours, skipped } = own.undo;
  const verdict = verdictOnRecord(own.undo, key);
  const wanted = before.records.get(key);
  if (verdict === 'skip') {
    skipped.add(nameOf(own, ours.records.get(key) ?? wanted ?? after.records.get(key)));
  }
  if (verdict !== 'set') {
    keep(own, key, ours.records.get(key));
  } else if (wanted) {
    restore(own, { record: wanted, from: before, areas: areasFor(own, wanted) });
  } else if (stateOf(own.undo).records.get(key)) {
    own.deletes.push(key);
  }
}

function verdictOnRecord(undo: SpanUndo, key: string): ReturnType<typeof verdictOn> {
  const state = stateOf(undo);
  const faceIn = (side: BranchState) => {
    const record = side.records.get(key);
    return record && faceOf(record, side, state);
  };
  const [before, after, ours] = [undo.before, undo.after, undo.ours].map(faceIn);
  const verdict = verdictOn({ before, after, ours });
  return verdict === 'skip' && isOnlyMoved(undo, key) ? 'set' : verdict;
}

/** Lines that were undone may have moved its ends: it lies where it lay. */
function keep(own: SheetUndo, key: string, held: StoredRecord | undefined): void {
  const { before, after } = own.undo;
  const state = stateOf(own.undo);
  const now = state.records.get(key);
  // One that came since follows its lines.
  const isNew = !before.records.get(key) && !after.records.get(key) && held?.id !== '';
  if (held === now || isNew) return;
  if (!held) {
    if (now) own.deletes.push(key);
    return;
  }
  if (!held.areas.every((area) => isIn(area, own.sheet))) return;
  if (now && faceOf(now, state, state) === faceOf(held, own.undo.ours, state)) return;
  restore(own, { record: held, from: own.undo.ours, areas: held.areas });
}

/** Whether lines of a record went, came or moved since, and nobody changed what it says. */
function isOnlyMoved(undo: SpanUndo, key: string): boolean {
  const { before, after, ours } = undo;
  const [wanted, left, held] = [before, after, ours].map(({ records }) => records.get(key));
  if (!left || !held) return false;
  const isSaidStill =
    isWrittenAlike(left, held) || valueOf(left, after, ours) === valueOf(held, ours, ours);
  if (!isSaidStill) return false;
  return (wanted && areasOf(wanted) === areasOf(left)) || isFollowed(undo, left, held);
}

function isWrittenAlike(a: StoredRecord, b: StoredRecord): boolean {
  return isSame([a.value, a.structure?.digest], [b.value, b.structure?.digest]);
}

/** Whether a record lies where its lines went. */
function isFollowed({ after, ours }: SpanUndo, left: StoredRecord, held: StoredRecord): boolean {
  const was = after.structure.withId(left.sheetId);
  const is = ours.structure.withId(held.sheetId);
  if (!was || is?.id !== was.id) return false;
  const expected = left.areas.flatMap((area) => placeOf(area, was, is) ?? []);
  return isSame(
    expected,
    held.areas.map((area) => rangeOf(area, is)),
  );
}

/** Where an area of one structure lies in another, without ends that are gone. */
function placeOf(area: Area, was: SheetOutline, is: SheetOutline): Range | undefined {
  const range = rangeOf(area, was);
  const rows = range && new LineMap(was, is, 'row').range(range.row0, range.row1);
  const columns = range && new LineMap(was, is, 'column').range(range.column0, range.column1);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] };
}

/** Whether an area has both of its ends, in their order. */
function isIn({ rows, columns }: Area, sheet: SheetOutline): boolean {
  return hasEnds(rows, sheet.rows) && hasEnds(columns, sheet.columns);
}

function hasEnds(ends: Ends, order: Order): boolean {
  if (!ends) return true;
  const [first, last] = [ends.first, ends.last].map(({ branch, sequence, offset }) =>
    order.positionOf(branch, sequence, offset),
  );
  return first !== undefined && last !== undefined && first <= last;
}

/** A record as a state has it, and where it shall lie. */
interface Restored {
  readonly record: StoredRecord;
  readonly from: BranchState;
  readonly areas: readonly Area[];
}

function restore(own: SheetUndo, { record: wanted, from, areas }: Restored): void {
  const { undo, sheet } = own;
  const meant = { ...wanted, areas };
  const isLost = wanted.areas.length > 0 && areas.length === 0;
  const value = isLost ? undefined : valueOn(meant, wanted, { from, to: stateOf(undo) });
  if (!value || isInTheWay(own, meant)) {
    undo.skipped.add(nameOf(own, wanted));
    return;
  }
  own.put.push({
    type: wanted.type,
    id: wanted.id,
    sheet: sheet.id,
    areas: areas.map(areaText),
    value,
  });
}

/** Undefined when its formulas cannot be told for where it shall lie. */
function valueOn(
  meant: StoredRecord,
  wanted: StoredRecord,
  { from, to }: { from: BranchState; to: BranchState },
): JsonObject | undefined {
  if (areasOf(meant) === areasOf(wanted)) return carriedValue(wanted, from, to);
  const { structure, coding } = to;
  return isAnchored(meant, structure) ? shown(meant, structure, coding.formulas) : undefined;
}

/** Those of now, where the span left them; else those of before, without ends that are gone. */
function areasFor({ undo, was, sheet }: SheetUndo, wanted: StoredRecord): readonly Area[] {
  const key = recordKey(wanted);
  const then = undo.after.records.get(key);
  if (then && areasOf(then) === areasOf(wanted)) {
    const held = undo.ours.records.get(key);
    if (held?.areas.every((area) => isIn(area, sheet))) return held.areas;
    const now = stateOf(undo).records.get(key);
    if (now) return now.areas;
  }
  return wanted.areas.flatMap((area) => {
    if (isIn(area, sheet)) return [area];
    const placed = placeOf(area, was, sheet);
    return placed ? [areaOf(sheet, placed)] : [];
  });
}

/** Merged cells lie on no others, and on no table. */
function isInTheWay({ undo, sheet, deletes }: SheetUndo, record: StoredRecord): boolean {
  if (record.type !== 'cellmerge' && record.type !== 'hyperlink') return false;
  const { records, structure, tables } = stateOf(undo);
  const gone = new Set([...deletes, recordKey(record)]);
  return record.areas.some((area) => {
    const range = rangeOf(area, sheet);
    if (!range) return true;
    const others = records.meeting(record.type, sheet, range);
    if (others.some((other) => !gone.has(recordKey(other)))) return true;
    if (record.type !== 'cellmerge') return false;
    return tables.onSheet(sheet.id).some((table) => overlap(tableRange(table, structure), range));
  });
}

/** The order of conditional formats is a list. */
function undoOrder({ undo, sheet, was, put, deletes }: SheetUndo): void {
  const [wanted, then, now] = [undo.before, undo.after, undo.ours].map(({ records }) =>
    orderOn(was, { records }),
  ) as [string[], string[], string[]];
  const isKept = String(wanted) === String(then);
  if (isKept && ![...deletes, ...put.map(({ type }) => `${type}/`)].some(isFormat)) return;
  const list = orderOn(sheet, stateOf(undo));
  const gone = new Set(deletes.map((key) => key.slice(key.lastIndexOf('/') + 1)));
  const added = put.flatMap(({ type, id }) => (type === 'cf' ? [id] : []));
  const present = [...new Set([...list, ...added])].filter((id) => !gone.has(id));
  const isCommon = (id: string) => then.includes(id) && wanted.includes(id);
  const isOurs = String(then.filter(isCommon)) === String(now.filter(isCommon));
  if (!isOurs) undo.skipped.add(`the order of the conditional formats of ${sheet.name}`);
  const order = wanted.filter((id) => present.includes(id));
  const ordered = isOurs ? inOrder(present, order) : present;
  if (String(ordered) === String(list)) return;
  const change = orderOf(sheet.id, ordered);
  deletes.push(...change.deletes);
  put.push(...change.puts.map(({ value }) => ({ ...orderRecord, sheet: sheet.id, value })));
}

const orderRecord = { type: 'cforder', id: '', areas: [] } as const;

function isFormat(key: string): boolean {
  return key.startsWith('cf/');
}

function nameOf({ undo, sheet }: SheetUndo, record: StoredRecord | undefined): string {
  if (!record) return 'a record';
  if (record.id !== '') return `${record.type} ${record.id}`;
  const held = stateOf(undo).records.get(recordKey(record));
  const range = held && stateOf(undo).records.rangesOf(held, sheet)[0];
  return range ? `${record.type} at ${sheet.name}!${range.row0 + 1}` : `a ${record.type}`;
}
