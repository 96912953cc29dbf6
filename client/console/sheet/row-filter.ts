import { columnName, parseColumn } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { Op } from '../store/overlay.ts';
import { inputText } from './input-text.ts';

/** Cells of a column that a filter shows, as docs/operations.md has it; other rules are kept as they are. */
export interface Criterion {
  readonly column: string;
  readonly values?: readonly unknown[];
  readonly blanks?: boolean;
}

/** The filter of a sheet: its first row is the header. */
export interface RowFilter {
  readonly range: Range;
  readonly criteria: readonly Criterion[];
}

/** Texts of columns below the header, by the letters of the column. */
export type ColumnTexts = ReadonlyMap<string, readonly string[]>;

/** The most rows of a filter: their pieces fit into one operation, whichever are hidden. */
export const filteredMost = 20_000;

const knownMembers = new Set(['column', 'values', 'blanks', 'hideButton']);

/** Returns whether the page can tell which rows a filter shows: other programs know more rules. */
export function isKnown({ criteria }: RowFilter): boolean {
  return criteria.every((one) => Object.keys(one).every((member) => knownMembers.has(member)));
}

/** Returns the columns of a filter whose cells decide which rows are shown. */
export function columnsOf({ criteria }: RowFilter): readonly string[] {
  return criteria.flatMap(({ column, values, blanks }) => (values || blanks ? [column] : []));
}

/** Returns whether a filter shows a text of a column; all of them where it says nothing of it. */
export function showsText({ criteria }: RowFilter, column: string, text: string): boolean {
  const rules = criteria.filter((one) => one.column === column && (one.values || one.blanks));
  return rules.every(({ values = [], blanks = false }) =>
    text === '' ? blanks : values.some((value) => inputText(value) === text),
  );
}

/** Returns a filter that shows some texts of a column alone, or all of them. */
export function withTexts(
  filter: RowFilter,
  column: string,
  texts: readonly string[] | undefined,
): RowFilter {
  const others = filter.criteria.filter((one) => one.column !== column);
  if (!texts) return { ...filter, criteria: others };
  const values = texts.filter((text) => text !== '');
  const blanks = texts.includes('');
  return { ...filter, criteria: [...others, { column, values, ...(blanks && { blanks }) }] };
}

/** Returns the operations that keep a filter and hide the rows that it leaves out. */
export function filterOps(filter: RowFilter, texts: ColumnTexts, sheet: string): readonly Op[] {
  const { range, criteria } = filter;
  const columns = columnsOf(filter);
  const hidden = Array.from({ length: range.row1 - range.row0 }, (_, row) =>
    columns.some((column) => !showsText(filter, column, texts.get(column)?.[row] ?? '')),
  );
  const set = { kind: 'filter.set', payload: { sheet, range: nameOf(range), criteria } };
  return [set, ...[false, true].flatMap((is) => hideOp(hidden, is, { sheet, range }))];
}

/** Returns the operations that take a filter away and show all of its rows. */
export function clearOps({ range }: RowFilter, sheet: string): readonly Op[] {
  const count = range.row1 - range.row0;
  const rows = { sheet, from: range.row0 + 2, count, hidden: false };
  return [
    { kind: 'filter.clear', payload: { sheet } },
    ...(count > 0 ? [{ kind: 'rows.hide', payload: rows }] : []),
  ];
}

/** Returns the columns that the header of a filter has a button for, and which of them hide rows. */
export function buttonsOf(filter: RowFilter | undefined) {
  if (!filter) return [];
  const { row0: row, column0, column1 } = filter.range;
  const on = new Set(filter.criteria.map(({ column }) => parseColumn(column)));
  return Array.from({ length: column1 - column0 + 1 }, (_, index) => {
    const column = column0 + index;
    return { row, column, isOn: on.has(column) };
  });
}

function hideOp(
  rows: readonly boolean[],
  hidden: boolean,
  { sheet, range }: { readonly sheet: string; readonly range: Range },
): readonly Op[] {
  const spans: { from: number; count: number }[] = [];
  for (const [index, isHidden] of rows.entries()) {
    if (isHidden !== hidden) continue;
    const from = range.row0 + 2 + index;
    const last = spans.at(-1);
    if (last && last.from + last.count === from) last.count++;
    else spans.push({ from, count: 1 });
  }
  return spans.length > 0 ? [{ kind: 'rows.hide', payload: { sheet, spans, hidden } }] : [];
}

function nameOf({ row0, row1, column0, column1 }: Range): string {
  return `${columnName(column0)}${row0 + 1}:${columnName(column1)}${row1 + 1}`;
}
