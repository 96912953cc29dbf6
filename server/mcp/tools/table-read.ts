import { z } from 'zod';

import { readReference, referenceTo, type Place } from '../../branches/place.ts';
import { shownRow } from '../../diffs/table-changes.ts';
import type { WireInput } from '../../model/input.ts';
import { cellCount, columnCount, type Range } from '../../model/range.ts';
import { pages } from '../../model/limits.ts';
import { referenceName } from '../../model/reference.ts';
import { Failure } from '../../model/failure.ts';
import type { TableSummary } from '../../state/structure/tables.ts';
import { SliceReader } from '../../values/slice.ts';
import type { Tool } from '../catalogue.ts';
import type { McpContext } from '../context.ts';
import type { McpServices } from '../services.ts';
import { anyValue, budget, nextCall, position, ref, workbook } from './arguments.ts';
import { Targets } from './targets.ts';
import { csvText } from './grid-text.ts';
import { conditions, ordering, rowFilter, rowOrder } from './row-filter.ts';
import { columnAt, dataArea, readTables, tableNamed } from './table-lookup.ts';
import { tool, type Outcome } from './tool.ts';

const input = z.strictObject({
  workbook,
  table: z.string().min(1).max(255).describe('Id or name'),
  ref,
  columns: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(1_024)
    .optional()
    .describe('Default: all'),
  where: conditions.default([]).describe('All of them have to be fulfilled'),
  order: ordering.default([]),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(budget.cells).default(500),
  changes_from: z
    .string()
    .max(300)
    .optional()
    .describe('Instead of rows: what changed since this position, row by row'),
});

const output = z.object({
  ref: position,
  table: z.object({
    id: z.string(),
    name: z.string(),
    key: z.string().nullable(),
    range: z.string(),
  }),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(anyValue)).optional().describe('Values in the order of columns'),
  changes: z
    .array(
      z.object({
        key: anyValue,
        change: z.enum(['added', 'modified', 'removed']),
        before: z.record(z.string(), anyValue).nullable(),
        after: z.record(z.string(), anyValue).nullable(),
      }),
    )
    .optional()
    .describe('As entered; before and after have the columns that differ'),
  total: z.int().describe('Rows or changes that fit, on all pages'),
  next: nextCall,
});

type Given = z.output<typeof input>;
type Shown = Outcome<z.input<typeof output>>;

interface Looked {
  readonly given: Given;
  readonly place: Place;
  readonly table: TableSummary;
  readonly date1904: boolean;
}

export function tableRead(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'table_read',
    title: 'Read a table',
    description:
      'Rows of a table, filtered and sorted, as values; or what changed in it since another position. next has the arguments for the rest.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, context) => {
      const found = await targets.place(given.workbook, given.ref, context.principal);
      if (given.changes_from !== undefined) return readChanges(services, { given, place: found });
      const { seq, tables, date1904 } = await readTables(services, found);
      // The cells are read at the position of the table.
      const place = { ...found, seq, isPinned: found.isPinned };
      const table = tableNamed(tables, given.table);
      return readRows(services, { given, place, table, date1904 }, context);
    },
  });
}

async function readRows(
  services: McpServices,
  { given, place, table, date1904 }: Looked,
  { signal }: McpContext,
): Promise<Shown> {
  const names = given.columns ?? table.schema.columns.map(({ name }) => name);
  const wanted = names.map((name, at) => columnAt(table, name, `/columns/${at}`));
  const fits = rowFilter(table, given.where, date1904);
  const order = rowOrder(table, given.order);
  const area = dataArea(table);
  if (cellCount(area) > pages.sliceCellsMost) throw tooLarge(table, area);
  const at = { ...place, isPinned: true };
  const rows = await valuesOf(services, at, { table, area });
  signal.throwIfAborted();
  const fitting = rows.filter((row) => row.some((value) => value !== null) && fits(row));
  if (order) fitting.sort(order);
  const most = Math.max(1, Math.min(given.limit, Math.floor(budget.cells / wanted.length)));
  const picked = fitting
    .slice(given.offset, given.offset + most)
    .map((row) => wanted.map((column) => row[column] ?? null));
  const shownRows = withinBytes(picked);
  const end = given.offset + shownRows.length;
  const pinned = referenceName(place.branch, place.seq);
  const fixed = referenceTo(place, place.seq);
  const next = end < fitting.length ? { ...given, ref: fixed, offset: end } : null;
  const { id, name, range, keyColumn: key } = table;
  const shown = {
    ref: pinned,
    table: { id, name, key, range: `${table.sheet}!${range}` },
    columns: names,
    rows: shownRows,
    total: fitting.length,
    next,
  };
  const text = `${shownRows.length} of ${fitting.length} rows of ${name} at ${pinned}\n${csvText([names, ...shownRows])}`;
  return { shown, text, cells: shownRows.length * wanted.length };
}

function valuesOf(
  { models, environment }: McpServices,
  place: Place,
  { table, area }: { readonly table: TableSummary; readonly area: Range },
): Promise<readonly (readonly WireInput[])[]> {
  const ranges = [{ sheet: table.sheet, areas: [area] }];
  return models.look(place, { ranges, lens: 'value' }, async (view) => {
    const [slice] = await new SliceReader(view, 'value', environment).read(ranges);
    return slice?.rows ?? [];
  });
}

function withinBytes(rows: WireInput[][]): WireInput[][] {
  let used = 0;
  for (const [count, row] of rows.entries()) {
    if (used > budget.bytes) return rows.slice(0, count);
    used += JSON.stringify(row).length + 1;
  }
  return rows;
}

async function readChanges(
  { diffs, positions }: McpServices,
  { given, place }: Omit<Looked, 'table' | 'date1904'>,
): Promise<Shown> {
  const { address, branch, seq } = place;
  const start = readReference(given.changes_from ?? '', '/changes_from');
  const from = await positions.locate(address.workbookId, start);
  const ends = { from, to: { ...place, isPinned: true } };
  const { rows, table, name, key } = await diffs.tableChanges(ends, given.table);
  const changes = rows.slice(given.offset, given.offset + given.limit).map((row) => {
    const { columns: _columns, ...shown } = shownRow(row);
    return shown;
  });
  const end = given.offset + changes.length;
  const pinned = referenceName(branch, seq);
  const fixed = {
    ref: referenceTo(place, seq),
    changes_from: referenceTo(ends.from, ends.from.seq),
  };
  const next = end < rows.length ? { ...given, ...fixed, offset: end } : null;
  const shown = {
    ref: pinned,
    table: { id: table, name, key, range: '' },
    changes,
    total: rows.length,
    next,
  };
  return { shown, cells: changes.length };
}

function tooLarge({ name }: TableSummary, area: Range): Failure {
  return new Failure('rangeTooLarge', {
    detail: `The table ${name} has ${cellCount(area)} cells; ${pages.sliceCellsMost} are searched at a time.`,
    hint: `Read parts of its cells: range_read takes any range of its ${columnCount(area)} columns.`,
  });
}
