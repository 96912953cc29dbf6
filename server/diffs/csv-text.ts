import type { DiffEntry } from './entry.ts';

const header = ['list', 'sheet', 'change', 'from', 'to', 'before', 'after', 'more'] as const;

/** Yields a line for each entry; members without a column are in `more`, as JSON. */
export function* csvLines(entries: Iterable<DiffEntry>): Generator<string> {
  yield csvLine(header);
  for (const { list, show } of entries) {
    const { sheet, change, op, a1, range, at, before, after, from, to, ...more } = show();
    const places = typeof a1 === 'object' && a1 !== null ? Object.values(a1) : [];
    const one = a1 ?? range ?? at;
    const where = places.length > 0 ? places : [from ?? one, to ?? one];
    const rest = Object.keys(more).length > 0 ? more : undefined;
    const what = change ?? op;
    yield csvLine([list, sheet, what, where[0], where[1], inputOf(before), inputOf(after), rest]);
  }
}

function inputOf(side: unknown): unknown {
  const isCell = typeof side === 'object' && side !== null && 'input' in side;
  return isCell && Object.keys(side).length === 1 ? side.input : side;
}

function csvLine(cells: readonly unknown[]): string {
  return cells.map(csvCell).join(',');
}

function csvCell(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  const text = typeof cell === 'string' ? guarded(cell) : JSON.stringify(cell);
  return quoted(text);
}

/**
 * Guards a text as an export does: a text that a spreadsheet program would run as a formula gets an
 * apostrophe.
 */
function guarded(text: string): string {
  return dangerous.test(text) || text.startsWith("'") ? `'${text}` : text;
}

const dangerous = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u;

export function quoted(text: string): string {
  return /[",;|\t\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
