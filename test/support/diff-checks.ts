import { cellName, columnLimit, rowLimit } from '../../server/model/address.ts';
import { inputsEqual } from '../../server/model/input.ts';
import { blockLanes, cellTag } from '../../server/state/cells/block.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import type { ChangedCell } from '../../server/state/diff/cell-list.ts';
import type { SheetDiff, StateDiff } from '../../server/state/diff/diff.ts';
import { EditedCells } from '../../server/state/diff/edited-cells.ts';
import { RenamedNames } from '../../server/state/diff/renamed-names.ts';
import type { StructureChange } from '../../server/state/diff/structure-changes.ts';
import type { IdSpan, LineId, Order } from '../../server/state/ids/order.ts';
import { orderOf, type SheetOutline } from '../../server/state/structure/structure.ts';
import { nameSameLines } from '../../server/state/diff/same-references.ts';
import { carriedInput, laneAt } from '../../server/state/compare/same-lanes.ts';
import { editedCells } from '../../server/state/merge/violations.ts';
import { Carrier } from '../../server/state/carrier.ts';

// Expected content of a diff, found cell by cell and line by line.

const idText = ({ branch, sequence, offset }: LineId) => `${branch}.${sequence}.${offset}`;

export interface Seen {
  readonly state: BranchState;
  readonly cell: { readonly tag: number; readonly number: number };
  readonly row: LineId;
  readonly column: LineId;
}

/** Returns the visible cells of a sheet, by the ids of their row and column. */
export function seenCells(state: BranchState, sheet: SheetOutline | undefined): Map<string, Seen> {
  const seen = new Map<string, Seen>();
  if (!sheet) return seen;
  for (const { column, block } of state.cellsOf(sheet).blocks()) {
    const across = sheet.columns.positionOf(column.branch, column.sequence, column.offset);
    if (across === undefined || across >= columnLimit) continue;
    for (let lane = 0; lane < blockLanes; lane++) {
      const cell = laneAt(block, lane);
      if (cell.tag === cellTag.blank) continue;
      const { branch, sequence, index } = block;
      const row = { branch, sequence, offset: index * blockLanes + lane };
      const down = sheet.rows.positionOf(branch, sequence, row.offset);
      if (down === undefined || down >= rowLimit) continue;
      seen.set(`${idText(row)}/${idText(column)}`, { state, cell, row, column });
    }
  }
  return seen;
}

/** Returns the cells of a diff, each once, alone or in a group. */
function toldCells(sheet: SheetDiff | undefined): Map<string, string> {
  const told = new Map<string, string>();
  const note = (cell: ChangedCell) => {
    const { block, lane, change } = cell.run;
    const { branch, sequence, index } = block.place;
    const row = { branch, sequence, offset: index * blockLanes + lane + cell.skipped };
    const key = `${idText(row)}/${idText(block.columnId)}`;
    told.set(key, told.has(key) ? 'twice' : change);
  };
  for (const cell of sheet?.cells ?? []) note(cell);
  return told;
}

/** Returns the addresses of collapsed cells. */
function collapsedPlaces(sheet: SheetDiff | undefined): Map<string, string> {
  const places = new Map<string, string>();
  for (const { change, range, first } of sheet?.collapsed ?? []) {
    const side = first.toRow >= 0 ? 'to' : 'from';
    for (let { row0: row } = range; row <= range.row1; row++) {
      for (let { column0: column } = range; column <= range.column1; column++) {
        places.set(`${side} ${cellName(row, column)}`, change);
      }
    }
  }
  return places;
}

/** Returns whether an oracle, which sees only one cell, allows a cell to count as unchanged. */
export function mayBeSame(was: Seen, is: Seen, sheetId: string, renamed: RenamedNames): boolean {
  if (was.cell.tag !== is.cell.tag) return false;
  if (was.cell.number === is.cell.number) return true;
  if (is.cell.tag !== cellTag.formula) return false;
  const place = { sheetId, row: is.row, column: is.column };
  const now = is.state.coding.decode(is.cell, place, is.state.structure);
  const direct = is.state.coding.decode(was.cell, place, is.state.structure);
  const carried = carriedInput(was, is.state, place);
  if (nameSameLines(was, is, place)) return true;
  const carrier = new Carrier(was.state, is.state);
  return [direct, carried].some((input) => {
    if (typeof input !== 'object' || input === null || !('formula' in input)) return false;
    const formula = renamed.carry(carrier.names(input.formula), sheetId);
    return inputsEqual({ ...input, formula }, now);
  });
}

/** Returns cells that differ and are missing from the diff, or are in it without differing. */
export function cellLawFaults({ from, to, sheets, names }: StateDiff): string[] {
  const own = sheets.flatMap((sheet) => sheet.names);
  const renamed = new RenamedNames(from, [...names, ...own]);
  const faults: string[] = [];
  const ids = new Set([...from.structure.sheets, ...to.structure.sheets].map(({ id }) => id));
  for (const id of ids) {
    const [was, is] = [from.structure.withId(id), to.structure.withId(id)];
    const [before, after] = [seenCells(from, was), seenCells(to, is)];
    const sheet = sheets.find(({ pair }) => pair.id === id);
    const told = toldCells(sheet);
    const collapsed = collapsedPlaces(sheet);
    for (const key of new Set([...before.keys(), ...after.keys(), ...told.keys()])) {
      const [old, now] = [before.get(key), after.get(key)];
      const said = told.get(key) ?? collapsed.get(placeOf(now ?? old, { was, is }));
      const expected = !old ? 'added' : now ? 'modified' : 'removed';
      const isSame = old && now && mayBeSame(old, now, id, renamed);
      if (isSame ? said !== undefined : said !== expected) {
        faults.push(`${id} ${key} is told as ${said} and is ${isSame ? 'the same' : expected}`);
      }
    }
  }
  return faults;
}

function placeOf(
  seen: Seen | undefined,
  { was, is }: { was: SheetOutline | undefined; is: SheetOutline | undefined },
): string {
  if (!seen) return '';
  for (const [side, sheet] of [
    ['to', is],
    ['from', was],
  ] as const) {
    const row = sheet && positionIn(sheet.rows, seen.row, rowLimit);
    const column = sheet && positionIn(sheet.columns, seen.column, columnLimit);
    if (row !== undefined && column !== undefined) return `${side} ${cellName(row, column)}`;
  }
  return '';
}

function positionIn(order: Order, id: LineId, limit: number): number | undefined {
  const position = order.positionOf(id.branch, id.sequence, id.offset);
  return position !== undefined && position < limit ? position : undefined;
}

const linesSeen = 60;

function linesOf(order: Order): string[] {
  return Array.from({ length: linesSeen }, (_, at) => idText(order.idAt(at)));
}

function idsOf(spans: readonly IdSpan[]): string[] {
  return spans.flatMap((span) =>
    Array.from({ length: span.length }, (_, at) => idText({ ...span, offset: span.offset + at })),
  );
}

/** Applies the structural changes to a list of ids, and compares it with the resulting order. */
export function orderLawFaults({ sheets }: StateDiff): string[] {
  return sheets.flatMap(({ pair: { id, was, is }, structure }) => {
    if (!was || !is) return [];
    return (['row', 'column'] as const).flatMap((axis) => {
      const changes = structure.filter((change) => 'axis' in change && change.axis === axis);
      if (changes.some(({ op }) => op === 'reorder')) return [];
      const [start, end] = [linesOf(orderOf(was, axis)), linesOf(orderOf(is, axis))];
      const reached = edited(start, changes).slice(0, 30);
      return reached.join() === end.slice(0, 30).join() ? [] : [`the ${axis}s of ${id}`];
    });
  });
}

function edited(start: readonly string[], changes: readonly StructureChange[]): string[] {
  const gone = new Set<string>();
  const placed: { position: number; ids: string[] }[] = [];
  for (const change of changes) {
    if (change.op === 'delete' && 'axis' in change)
      for (const id of idsOf(change.ids)) gone.add(id);
    if (change.op === 'insert') placed.push({ position: change.position, ids: idsOf(change.ids) });
    if (change.op === 'move') {
      const ids = idsOf(change.ids);
      for (const id of ids) gone.add(id);
      placed.push({ position: change.to, ids });
    }
  }
  const lines = start.filter((id) => !gone.has(id));
  for (const { position, ids } of placed.toSorted((a, b) => a.position - b.position)) {
    lines.splice(position, 0, ...ids);
  }
  return lines;
}

/** Returns differences between a diff and the reversed one, with added and removed swapped. */
export function mirrorFaults(there: StateDiff, back: StateDiff): string[] {
  const opposite: Record<string, string> = { added: 'removed', removed: 'added' };
  const faults: string[] = [];
  for (const sheet of there.sheets) {
    const other = back.sheets.find(({ pair }) => pair.id === sheet.pair.id);
    const [mine, theirs] = [countsOf(sheet), countsOf(other)];
    for (const change of ['added', 'removed'] as const) {
      if (mine.get(change) === theirs.get(opposite[change] ?? '')) continue;
      faults.push(`${sheet.pair.id}: ${mine.get(change)} ${change}, the other way otherwise`);
    }
    const lines = (diff: SheetDiff | undefined, op: string) =>
      (diff?.structure ?? []).filter((change) => change.op === op).length;
    if (lines(sheet, 'insert') !== lines(other, 'delete') && 'is' in sheet.pair) {
      if (sheet.pair.is && sheet.pair.was)
        faults.push(`${sheet.pair.id}: lines that came and went`);
    }
  }
  return faults;
}

function countsOf(sheet: SheetDiff | undefined): Map<string, number> {
  const counts = new Map<string, number>([
    ['added', 0],
    ['removed', 0],
  ]);
  for (const { run } of sheet?.cells ?? [])
    counts.set(run.change, (counts.get(run.change) ?? 0) + 1);
  for (const { change, count } of sheet?.collapsed ?? []) {
    counts.set(change, (counts.get(change) ?? 0) + count);
  }
  return counts;
}

/** Returns differences between the diff and questions about single cells. */
export function editedFaults({ from, to, sheets }: StateDiff): string[] {
  const edited = new EditedCells({ from, to });
  return to.structure.sheets.flatMap((sheet) => {
    const diff = sheets.find(({ pair }) => pair.id === sheet.id);
    const told = new Set<string>();
    for (const { row, column } of diff ? editedCells(diff) : []) told.add(cellName(row, column));
    const found = new Set<string>();
    for (const state of [from, to]) {
      for (const { row, column } of seenCells(state, state.structure.withId(sheet.id)).values()) {
        const at = {
          row: sheet.rows.positionOf(row.branch, row.sequence, row.offset) ?? rowLimit,
          column: sheet.columns.positionOf(column.branch, column.sequence, column.offset) ?? -1,
        };
        if (at.row >= rowLimit || at.column < 0 || at.column >= columnLimit) continue;
        if (edited.isEdited(sheet.id, at)) found.add(cellName(at.row, at.column));
      }
    }
    const wrong = [
      ...[...told].filter((name) => !found.has(name)),
      ...[...found].filter((name) => !told.has(name)),
    ];
    return wrong.map((name) => `${sheet.name}!${name} is told or edited, and not both`);
  });
}
