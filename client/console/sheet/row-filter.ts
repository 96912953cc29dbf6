import { columnName, parseColumn } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { Op } from '../store/overlay.ts';
import { inputText } from './input-text.ts';

/** Rule of a filtered column, as in docs/operations.md; unknown rules are kept as they are. */
export interface Criterion {
  readonly column: string;
  readonly values?: readonly unknown[];
  readonly blanks?: boolean;
}

/** Filter of a sheet; its first row is the header. */
export interface RowFilter {
  readonly range: Range;
  readonly criteria: readonly Criterion[];
}

/** Texts of columns below the header, by the letters of the column. */
export type ColumnTexts = ReadonlyMap<string, readonly string[]>;

/** Most values of one column in a filter. */
export const valuesMost = 10_000;

/** Pieces of rows in one operation, limited by a frame of the websocket. */
const spansMost = 5_000;

const knownMembers = new Set(['column', 'values', 'blanks', 'hideButton']);

/** Returns whether the page can apply the filter; other programs have more rules. */
export function isKnown({ criteria }: RowFilter): boolean {
  return criteria.every((one) => Object.keys(one).every((member) => knownMembers.has(member)));
}

/** Returns the columns with a rule. */
export function columnsOf({ criteria }: RowFilter): readonly string[] {
  return criteria.flatMap(({ column, values, blanks }) => (values || blanks ? [column] : []));
}

const textsByRule = new WeakMap<Criterion, ReadonlySet<string>>();

/** Returns the texts that a rule shows, as a set for thousands of look-ups. */
function textsOf(rule: Criterion): ReadonlySet<string> {
  const known = textsByRule.get(rule);
  if (known) return known;
  const texts = new Set((rule.values ?? []).map(inputText));
  textsByRule.set(rule, texts);
  return texts;
}

/** Returns whether a filter shows a text of a column; true if the column has no rule. */
export function showsText({ criteria }: RowFilter, column: string, text: string): boolean {
  const rules = criteria.filter((one) => one.column === column && (one.values || one.blanks));
  return rules.every((rule) => (text === '' ? rule.blanks === true : textsOf(rule).has(text)));
}

/** Returns a filter that only shows some texts of a column, or all of them. */
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

/**
 * Returns the texts of a column in rows that the rules of other columns show, as Excel offers them.
 * Other texts keep their state.
 */
export function offeredOf(filter: RowFilter, column: string, texts: ColumnTexts) {
  const others = withTexts(filter, column, undefined);
  const hidden = hiddenRows(others, texts);
  const cells = texts.get(column) ?? [];
  const offered = cells.filter((_, row) => hidden[row] !== true);
  const among = new Set(offered);
  const beside = [...new Set(cells)].filter((text) => !among.has(text));
  const shown = beside.filter((text) => showsText(filter, column, text));
  return { offered, kept: { shown, isHiding: shown.length < beside.length } };
}

/** Returns the next shown row for a hidden one, else the header. */
export function shownRow(filter: RowFilter, texts: ColumnTexts, row: number): number | undefined {
  const hidden = hiddenRows(filter, texts);
  const at = row - filter.range.row0 - 1;
  if (hidden[at] !== true) return undefined;
  const next = hidden.findIndex((is, index) => index > at && !is);
  return filter.range.row0 + (next < 0 ? 0 : next + 1);
}

/** Returns for each row below the header whether the filter hides it. */
function hiddenRows(filter: RowFilter, texts: ColumnTexts): readonly boolean[] {
  const { range } = filter;
  const rules = columnsOf(filter).map((column) => {
    const cells = texts.get(column) ?? [];
    const known = new Map(
      [...new Set(cells)].map((text) => [text, showsText(filter, column, text)]),
    );
    return (row: number) => known.get(cells[row] ?? '') ?? showsText(filter, column, '');
  });
  return Array.from({ length: range.row1 - range.row0 }, (_, row) =>
    rules.some((shows) => !shows(row)),
  );
}

/** Returns the operations that store a filter and hide the rows it excludes. */
export function filterOps(filter: RowFilter, texts: ColumnTexts, sheet: string): readonly Op[] {
  const { range, criteria } = filter;
  const hidden = hiddenRows(filter, texts);
  const set = { kind: 'filter.set', payload: { sheet, range: nameOf(range), criteria } };
  return [set, ...[false, true].flatMap((is) => hideOps(hidden, is, { sheet, range }))];
}

/** Returns the operations that remove a filter and show all of its rows. */
export function clearOps({ range }: RowFilter, sheet: string): readonly Op[] {
  const count = range.row1 - range.row0;
  const rows = { sheet, from: range.row0 + 2, count, hidden: false };
  return [
    { kind: 'filter.clear', payload: { sheet } },
    ...(count > 0 ? [{ kind: 'rows.hide', payload: rows }] : []),
  ];
}

/** Returns the columns with a filter button, and which of them hide rows. */
export function buttonsOf(filter: RowFilter | undefined) {
  if (!filter) return [];
  const { row0: row, column0, column1 } = filter.range;
  const on = new Set(filter.criteria.map(({ column }) => parseColumn(column)));
  return Array.from({ length: column1 - column0 + 1 }, (_, index) => {
    const column = column0 + index;
    return { row, column, isOn: on.has(column) };
  });
}

function hideOps(
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
  const pieces = Array.from({ length: Math.ceil(spans.length / spansMost) }, (_, at) =>
    spans.slice(at * spansMost, (at + 1) * spansMost),
  );
  return pieces.map((piece) => ({ kind: 'rows.hide', payload: { sheet, spans: piece, hidden } }));
}

function nameOf({ row0, row1, column0, column1 }: Range): string {
  return `${columnName(column0)}${row0 + 1}:${columnName(column1)}${row1 + 1}`;
}
