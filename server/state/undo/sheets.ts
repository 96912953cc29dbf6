import { columnLimit, rowLimit } from '../../model/address.ts';
import { recordTypes } from '../../model/record.ts';
import type { BranchState } from '../branch-state.ts';
import { recordKey, type StoredType } from '../stored-record.ts';
import type { SheetOutline, Structure } from '../structure.ts';
import { writeOrder } from './restoration.ts';
import { isSame, verdictOn } from './merged-members.ts';
import { textOf } from './names.ts';
import { faceOf } from './record-faces.ts';
import { carriedTable, entryOf } from './carried-table.ts';
import { sameCells } from './same-lanes.ts';
import { stateOf, type SpanUndo } from './span-undo.ts';

export const wholeSheet = { row0: 0, column0: 0, row1: rowLimit - 1, column1: columnLimit - 1 };

/** Brings deleted sheets back without their content, deletes new ones, and sets names and order. */
export function* undoSheets(undo: SpanUndo): Generator<void, void> {
  if (undo.before.structure.sheets === undo.after.structure.sheets) return;
  yield* restoreSheets(undo);
  yield* deleteSheets(undo);
  yield* renameSheets(undo);
  yield* orderSheets(undo);
}

function* restoreSheets(undo: SpanUndo): Generator<void, void> {
  const { before, after, parts } = undo;
  for (const [at, sheet] of before.structure.sheets.entries()) {
    if (after.structure.withId(sheet.id)) continue;
    undo.lost.push({ sheetId: sheet.id, range: wholeSheet });
    const { structure } = stateOf(undo);
    if (structure.withId(sheet.id)) continue;
    const left = before.structure.sheets.slice(0, at).map(({ id }) => id);
    const previous = structure.sheets.findLastIndex(({ id }) => left.at(-1) === id);
    const index = previous >= 0 ? previous + 1 : indexAfter(left, structure);
    const name = freeName(sheet.name, structure);
    const orders = { rows: writeOrder(sheet.rows), columns: writeOrder(sheet.columns) };
    const payload = { sheet: sheet.id, name, index, ...orders };
    yield* parts.add({ kind: 'restore.sheet', payload });
  }
}

/** The place behind the nearest of these sheets that is still there. */
function indexAfter(ids: readonly string[], { sheets }: Structure): number {
  for (const id of ids.toReversed()) {
    const index = sheets.findIndex((sheet) => sheet.id === id);
    if (index >= 0) return index + 1;
  }
  return 0;
}

function freeName(name: string, structure: Structure): string {
  let free = name;
  for (let count = 2; structure.named(free); count++) {
    const suffix = ` (${count})`;
    free = name.slice(0, 31 - suffix.length) + suffix;
  }
  return free;
}

function* deleteSheets(undo: SpanUndo): Generator<void, void> {
  const { before, after, ours, parts, skipped } = undo;
  for (const sheet of after.structure.sheets) {
    const now = ours.structure.withId(sheet.id);
    if (before.structure.withId(sheet.id) || !now) continue;
    if (sameSheet({ state: after, sheet }, { state: ours, sheet: now })) {
      yield* parts.add({ kind: 'sheet.delete', payload: { sheet: sheet.id } });
    } else {
      skipped.add(`the sheet ${now.name}`);
    }
  }
}

interface PlacedSheet {
  readonly state: BranchState;
  readonly sheet: SheetOutline;
}

/** Whether nobody has done anything to a sheet. */
function sameSheet(a: PlacedSheet, b: PlacedSheet): boolean {
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

/** What lies on a sheet beside its cells, its formulas in the addresses of another state. */
function contentOf({ state, sheet }: PlacedSheet, to: BranchState): unknown {
  const { records, tables, names, looks } = state;
  const types: readonly StoredType[] = [...recordTypes, 'cforder'];
  const held = types.flatMap((type) => records.on(type, sheet));
  return {
    records: held.map((record) => `${recordKey(record)} ${faceOf(record, state, to)}`).toSorted(),
    tables: tables.onSheet(sheet.id).map((table) => entryOf(carriedTable(table, state, to))),
    names: names.ofScope(sheet.id).map((name) => textOf(name, state, to)),
    properties: looks.properties.of(sheet.id),
  };
}

function* renameSheets(undo: SpanUndo): Generator<void, void> {
  const wanted = new Map<string, string>();
  for (const { id, name } of undo.before.structure.sheets) {
    const now = stateOf(undo).structure.withId(id)?.name;
    if (now === undefined) continue;
    const then = undo.after.structure.withId(id)?.name ?? now;
    const verdict = verdictOn({ before: name, after: then, ours: now });
    if (verdict === 'set') wanted.set(id, name);
    if (verdict === 'skip') undo.skipped.add(`the name of the sheet ${now}`);
  }
  for (const [sheet, name] of wanted) {
    const other = stateOf(undo).structure.named(name);
    if (other && other.id !== sheet) {
      if (!wanted.has(other.id)) {
        undo.skipped.add(`the name ${name} of a sheet`);
        continue;
      }
      // Two sheets that changed names: the one in the way gets its own in its turn.
      const free = freeName(name, stateOf(undo).structure);
      yield* undo.parts.add({ kind: 'sheet.rename', payload: { sheet: other.id, name: free } });
    }
    yield* undo.parts.add({ kind: 'sheet.rename', payload: { sheet, name } });
  }
}

function* orderSheets(undo: SpanUndo): Generator<void, void> {
  const { before, after, ours, skipped } = undo;
  const isCommon = (id: string) =>
    [before, after, ours].every(({ structure }) => structure.withId(id) !== undefined);
  const orderIn = ({ structure }: BranchState) =>
    structure.sheets.map(({ id }) => id).filter(isCommon);
  const [wanted, then, now] = [orderIn(before), orderIn(after), orderIn(ours)].map(String);
  if (wanted === then || wanted === now) return;
  if (then !== now) {
    skipped.add('the order of the sheets');
    return;
  }
  const target = inOrder(
    stateOf(undo).structure.sheets.map(({ id }) => id),
    orderIn(before),
  );
  for (const [index, sheet] of target.entries()) {
    if (stateOf(undo).structure.sheets[index]?.id === sheet) continue;
    yield* undo.parts.add({ kind: 'sheet.move', payload: { sheet, index } });
  }
}

/** A list with some of its members in another order; each of the others stays behind what it was behind. */
export function inOrder(list: readonly string[], order: readonly string[]): string[] {
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
  return ['', ...order].flatMap((member) => {
    const followers = behind.get(member);
    if (!followers) return [];
    return member === '' ? followers : [member, ...followers];
  });
}
