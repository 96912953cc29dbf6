import type { BranchState } from '../state/branch-state.ts';
import type { ChangedName } from '../state/diff/changed-names.ts';
import type { ChangedRecord } from '../state/diff/changed-records.ts';
import type { ChangedTable } from '../state/diff/changed-tables.ts';
import type { SheetDiff, StateDiff } from '../state/diff/diff.ts';
import { shownName, type DefinedName } from '../state/references/names.ts';
import { viewRecord } from '../state/records/record-view.ts';
import type { StoredRecord } from '../state/records/stored-record.ts';
import { plainColumn } from '../model/table-column.ts';
import { keyColumnOf, type StoredTable } from '../state/structure/tables.ts';
import type { DiffEntry } from './entry.ts';
import { sheetName } from './sheet-names.ts';

export function* nameEntries(
  diff: StateDiff,
  { names, pair }: { names: readonly ChangedName[]; pair: DiffEntry['pair'] },
): Generator<DiffEntry> {
  for (const name of names)
    yield { list: 'names', pair, show: () => shownChange(diff, name, pair) };
}

function shownChange({ from, to }: StateDiff, changed: ChangedName, pair: DiffEntry['pair']) {
  const { was, is, change } = changed;
  return {
    name: (is ?? was)?.name,
    scope: pair ? sheetName(pair) : null,
    change,
    before: was ? shownMeaning(was, from) : null,
    after: is ? shownMeaning(is, to) : null,
  };
}

function shownMeaning(name: DefinedName, { structure, coding }: BranchState) {
  const { comment } = name;
  const formula = shownName(name, structure, coding.formulas);
  return { name: name.name, formula, ...(comment !== undefined && { comment }) };
}

/** `linkOf` leads from the id of a table to all of its rows that changed. */
export function* tableEntries(
  { pair, tables }: SheetDiff,
  linkOf: (id: string) => string,
): Generator<DiffEntry> {
  for (const table of tables) {
    const show = () => ({
      ...shownTable(table),
      sheet: sheetName(pair),
      changes: linkOf(table.id),
    });
    yield { list: 'tables', pair, show };
  }
}

export function shownTable({ id, change, was, is, schema, rows }: ChangedTable) {
  return {
    table: id,
    name: (is ?? was)?.name,
    change,
    before: was && change !== 'modified' ? shownSchema(was) : null,
    after: is && change !== 'modified' ? shownSchema(is) : null,
    schema: shownSchemaChanges(schema),
    rows: rows.counts,
  };
}

export function shownSchemaChanges(schema: ChangedTable['schema']) {
  return schema.map(({ op, column, was, is }) => ({
    op: op === 'rename' ? 'table.rename' : op === 'key' ? 'table.key.change' : `table.${op}`,
    ...(column !== undefined && { column }),
    before: was ?? null,
    after: is ?? null,
  }));
}

function shownSchema(table: StoredTable) {
  const columns = table.columns.map(plainColumn);
  return { name: table.name, keyColumn: keyColumnOf(table)?.name ?? null, schema: { columns } };
}

export function* recordEntries(
  diff: StateDiff,
  { pair, records, orders }: SheetDiff,
): Generator<DiffEntry> {
  const sheet = sheetName(pair);
  for (const record of records) {
    yield { list: 'records', pair, show: () => ({ sheet, ...shownRecord(diff, record) }) };
  }
  for (const { was: before, is: after } of orders) {
    const show = () => ({ sheet, type: 'cf', id: null, change: 'reordered', before, after });
    yield { list: 'records', pair, show };
  }
}

function shownRecord({ from, to }: StateDiff, { type, change, was, is }: ChangedRecord) {
  const id = (is ?? was)?.id ?? '';
  return {
    type,
    id: id === '' ? null : id,
    change,
    before: was ? shownValue(was, from) : null,
    after: is ? shownValue(is, to) : null,
  };
}

function shownValue(record: StoredRecord, { records, structure, coding }: BranchState) {
  const view = viewRecord(record, { records, structure, formulas: coding.formulas });
  return view && { ranges: view.ranges, value: view.value };
}
