import type { BranchState } from '../../server/state/branch-state.ts';
import type { StateDiff } from '../../server/state/diff/diff.ts';
import type { LineId } from '../../server/state/ids/order.ts';
import { TableSide } from '../../server/state/diff/table-side.ts';
import {
  keyColumnOf,
  type StoredColumn,
  type StoredTable,
} from '../../server/state/structure/tables.ts';
import { recordKey } from '../../server/state/records/stored-record.ts';

// Checks of everything but cells: the changes of a diff, applied to one side, have to lead to the
// other.

export function contentLawFaults(diff: StateDiff): string[] {
  return [...nameFaults(diff), ...recordFaults(diff), ...tableFaults(diff)];
}

function nameFaults({ from, to, names, sheets }: StateDiff): string[] {
  const left = new Set(nameTexts(from));
  for (const { was, is } of [...names, ...sheets.flatMap((sheet) => sheet.names)]) {
    if (was && !left.delete(textOf(was))) return [`the name ${was.name} was not there`];
    if (is) left.add(textOf(is));
  }
  const [mine, theirs] = [[...left].toSorted().join(), nameTexts(to).toSorted().join()];
  return mine === theirs ? [] : [`names are ${theirs}, not ${mine}`];
}

function nameTexts({ names }: BranchState): string[] {
  return names.list().map(textOf);
}

function textOf({ name, scopeId }: { name: string; scopeId: string | undefined }): string {
  return `${name}/${scopeId ?? ''}`;
}

function recordFaults({ from, to, sheets }: StateDiff): string[] {
  const left = new Set(recordKeys(from));
  for (const { was, is } of sheets.flatMap(({ records }) => records)) {
    if (was && !left.delete(recordKey(was))) return [`${recordKey(was)} was not there`];
    if (is) left.add(recordKey(is));
  }
  const [mine, theirs] = [[...left].toSorted().join(), recordKeys(to).toSorted().join()];
  return mine === theirs ? [] : [`records are ${theirs}, not ${mine}`];
}

function recordKeys({ records }: BranchState): string[] {
  return [...records.all()].filter(({ type }) => type !== 'cforder').map(recordKey);
}

/** Rows of tables that have the same key on both sides, and no key twice. */
function tableFaults(diff: StateDiff): string[] {
  const { from, to, sheets } = diff;
  return to.tables.all.flatMap((is) => {
    const was = from.tables.withId(is.id);
    if (!was || was.key === undefined || was.key !== is.key || was.sheetId !== is.sheetId)
      return [];
    const [before, after] = [rowsByKey(was, from), rowsByKey(is, to)];
    if (!before || !after) return [];
    const changed = sheets.flatMap(({ tables }) => tables).find(({ id }) => id === is.id);
    const rows = (changed?.rows.slice(0) ?? []).map(({ change, read }) => ({
      change,
      key: read().key,
    }));
    // Rows without a key have only their ids.
    const keyed = rows.filter(({ key }) => key !== null);
    const told = new Map(keyed.map(({ change, key }) => [JSON.stringify(key), change]));
    return [...new Set([...before.keys(), ...after.keys(), ...told.keys()])].flatMap((key) => {
      const [old, now] = [before.get(key), after.get(key)];
      const isThere = old !== undefined && now !== undefined;
      const expected = isThere ? (old === now ? undefined : 'modified') : now ? 'added' : 'removed';
      // A formula may be spelled differently and mean the same.
      const isLoose = isThere && (old.includes('"=') || now.includes('"='));
      if (told.get(key) === expected || isLoose) return [];
      return [`${is.name}: ${key} is told as ${told.get(key)} and is ${expected}`];
    });
  });
}

/**
 * Returns the cells of the columns by the key of their row; undefined if a key comes twice or is a
 * formula.
 */
function rowsByKey(table: StoredTable, state: BranchState): Map<string, string> | undefined {
  const side = new TableSide(table, state);
  const keyColumn = keyColumnOf(table);
  if (!keyColumn) return undefined;
  const inputAt = (row: LineId, column: StoredColumn) =>
    side.inputOf(side.cellAt(row, column), row, column);
  const rows = new Map<string, string>();
  for (const [from, to] of side.without(undefined)) {
    for (let position = from; position < to; position++) {
      const id = side.idAt(position);
      const key = JSON.stringify(inputAt(id, keyColumn));
      if (key === 'null') continue;
      if (rows.has(key) || key.startsWith('"=')) return undefined;
      const cells = side.entered.map((column) => {
        return `${column.id} ${JSON.stringify(inputAt(id, column))}`;
      });
      const held = cells.filter((cell) => !cell.endsWith(' null'));
      rows.set(key, held.sort((a, b) => (a < b ? -1 : 1)).join());
    }
  }
  return rows;
}
