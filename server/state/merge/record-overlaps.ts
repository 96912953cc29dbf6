import { overlaps, rangeName } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { carriedValue } from '../compare/record-faces.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import { rangeOf } from '../structure/area.ts';
import { rangeOf as tableRange, type StoredTable } from '../structure/tables.ts';
import type { Side } from './judge.ts';
import { stateOf, type Merging } from './merging.ts';
import { cellOf, contestKind, nameOf, type SheetMerging } from './record-merging.ts';

/** Asks whether a record shall replace those in its place. */
export function displaces(
  { merging, ...own }: SheetMerging,
  wanted: StoredRecord,
  others: readonly StoredRecord[],
): boolean {
  const { id } = own.sheet;
  const keys = [wanted, ...others].map(recordKey).toSorted();
  const shownIn = (record: StoredRecord, state: BranchState) => carriedValue(record, state, state);
  const choice = merging.judge.decide({
    kind: wanted.type === 'cellmerge' ? 'range.merge_overlap' : contestKind(wanted),
    register: `place ${id} ${keys.join(' ')}`,
    text: nameOf({ merging, ...own }, wanted),
    place: { sheetId: id, record: recordKey(wanted), ...cellOf(wanted) },
    sides: () => ({
      base: undefined,
      ours: others.map((other) => shownIn(other, stateOf(merging))),
      theirs: [shownIn(wanted, merging.theirs)],
    }),
  });
  return choice === 'theirs';
}

/**
 * Finds records of the same type in the way of merged cells or a link. Undefined when the place is
 * free, an empty list when there is no place at all.
 */
export function inTheWay(
  { merging, sheet, deletes }: SheetMerging,
  record: StoredRecord,
  known: readonly StoredRecord[],
): StoredRecord[] | undefined {
  if (record.type !== 'cellmerge' && record.type !== 'hyperlink') return undefined;
  const { records } = stateOf(merging);
  const along = new Set([...deletes, ...[record, ...known].map(recordKey)]);
  const ranges = record.areas.map((area) => rangeOf(area, sheet));
  const places = ranges.flatMap((range) => range ?? []);
  if (places.length < ranges.length) return [];
  const others = places
    .flatMap((range) => records.meeting(record.type, sheet, range))
    .filter((other) => !along.has(recordKey(other)));
  return others.length > 0 ? [...new Set(others)] : undefined;
}

/** Records of the same type that overlap a record in its own state. */
export function beside(record: StoredRecord, { structure, records }: BranchState): StoredRecord[] {
  const sheet = structure.withId(record.sheetId);
  if (!sheet) return [];
  const ranges = records.rangesOf(record, sheet);
  return ranges.flatMap((range) => records.meeting(record.type, sheet, range));
}

/** A table on cells that the other side merged, and the side that has it there. */
interface CoveredTable {
  readonly table: StoredTable;
  readonly maker: Side;
}

/** Returns whether a table is preferred to merged cells of the other side that lie on it. */
function prefersTable(
  { judge, ...merging }: Merging,
  record: StoredRecord,
  { table, maker }: CoveredTable,
): boolean {
  const { sheetId } = record;
  const sheet = merging.parts.state.structure.withId(sheetId);
  const ranges = record.areas.map((area) => sheet && rangeOf(area, sheet));
  const merged = ranges.flatMap((range) => (range ? rangeName(range) : []));
  const [one, other] = [{ table: table.name }, { merged }];
  const choice = judge.decide({
    kind: 'range.merge_overlap',
    register: `place ${sheetId} ${[recordKey(record), table.id].toSorted().join(' ')}`,
    text: `the merged cells ${sheet?.name ?? ''}!${merged.join()} on the table ${table.name}`,
    place: { sheetId, record: recordKey(record), tableId: table.id, ...cellOf(record) },
    sides: () =>
      maker === 'ours'
        ? { base: undefined, ours: one, theirs: other }
        : { base: undefined, ours: other, theirs: one },
  });
  return (choice === 'theirs' ? 'theirs' : 'ours') === maker;
}

/**
 * Asks about cells that ours merged where theirs has a table, and takes those that give way out of
 * it. Returns false where the table does: only one that is new can.
 */
export function* makeRoom(merging: Merging, table: StoredTable): Generator<void, boolean> {
  const { base, ours, theirs, parts } = merging;
  const { structure, records } = parts.state;
  const sheet = structure.withId(table.sheetId);
  const covered = sheet ? records.meeting('cellmerge', sheet, tableRange(table, structure)) : [];
  const found = covered.filter((record) => {
    const key = recordKey(record);
    return !base.records.get(key) || theirs.records.get(key) !== undefined;
  });
  const left = found.filter((one) => !prefersTable(merging, one, { table, maker: 'theirs' }));
  const isNew = !ours.tables.withId(table.id) && !base.tables.withId(table.id);
  const gone = isNew ? found.filter((one) => !left.includes(one)) : found;
  const payload = { sheet: table.sheetId, put: [], delete: gone.map(recordKey) };
  if (gone.length > 0) yield* parts.add({ kind: 'restore.records', payload });
  return !isNew || left.length === 0;
}

/** Returns the table on which merged cells would come to lie. */
export function tableUnder(
  { merging, sheet, drops }: SheetMerging,
  { type, areas }: StoredRecord,
): StoredTable | undefined {
  if (type !== 'cellmerge') return undefined;
  const { structure, tables } = stateOf(merging);
  const places = areas.flatMap((area) => rangeOf(area, sheet) ?? []);
  return tables
    .onSheet(sheet.id)
    .filter(({ id }) => !drops.includes(id))
    .find((table) => places.some((range) => overlaps(tableRange(table, structure), range)));
}

/** Returns whether merged cells come in the place of a table, which only a new one of ours makes. */
export function replaces(
  { merging, drops }: SheetMerging,
  record: StoredRecord,
  { table, side }: { readonly table: StoredTable; readonly side: Side },
): boolean {
  const { base, theirs } = merging;
  const maker = side === 'ours' ? 'theirs' : 'ours';
  const isPreferred = prefersTable(merging, record, { table, maker });
  const isNew = !base.tables.withId(table.id) && !theirs.tables.withId(table.id);
  if (isPreferred || !isNew) return false;
  drops.push(table.id);
  return true;
}

export function* dropTables({ merging, drops }: SheetMerging): Generator<void, void> {
  if (drops.length === 0) return;
  yield* merging.parts.add({ kind: 'restore.tables', payload: { put: [], delete: drops } });
}
