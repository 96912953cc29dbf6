import { columnName } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import { compareFoldedTexts, foldedText } from '../../../server/model/text-order.ts';
import { pagesOf } from './cell-reads.ts';
import type { SheetSession } from './sheet-session.ts';

export interface SortKey {
  readonly column: number;
  readonly isDescending: boolean;
}

/** Rows of a block to be sorted. */
export interface Sorting {
  readonly range: Range;
  /** True if the first row is a header, which stays. */
  readonly hasHeader: boolean;
  readonly keys: readonly SortKey[];
}

/** Rows of an order in one frame of the websocket, at eight characters each. */
const orderMost = 100_000;
const shortMs = 50;

/**
 * Sorts rows. The service sorts by inputs; for formulas in a sort column, and for hidden rows,
 * which stay in place as in Excel, this page makes the order from values.
 */
export async function sortRows(session: SheetSession, sorting: Sorting): Promise<void> {
  const range = rowsOf(sorting, session);
  const keys = sorting.keys.map(({ column, isDescending: desc }) => ({
    col: columnName(column),
    desc,
  }));
  if (range.row1 > range.row0) {
    const hidden = hiddenIn(range, session);
    const isPlain = hidden.size === 0 && !(await areFormulas(session, range, sorting.keys));
    const payload = isPlain ? { keys } : { order: await orderOf(session, sorting, hidden) };
    session.apply('range.sort', { range: rangeName(range), ...payload });
  }
  session.clipboard.tell(toldOf(range, sorting));
}

function toldOf(range: Range, { keys, hasHeader }: Sorting): string {
  const ways = keys.map(
    ({ column, isDescending }) =>
      `${columnName(column)} from ${isDescending ? 'high to low' : 'low to high'}`,
  );
  const header = hasHeader ? '; the header stays' : '';
  return `${rangeName(range)} is sorted by ${ways.join(', ')}${header}.`;
}

/** Returns the rows that may move: without the header and blank ones at the end. */
function rowsOf({ range, hasHeader }: Sorting, { shape }: SheetSession): Range {
  const row1 = Math.min(range.row1, Math.max(range.row0, shape?.used.row1 ?? range.row1));
  return { ...range, row0: range.row0 + (hasHeader ? 1 : 0), row1 };
}

function hiddenIn({ row0, row1 }: Range, { shape }: SheetSession): ReadonlySet<number> {
  const runs = shape?.rows.runsWithin(row0, row1 - row0 + 1) ?? [];
  return new Set(
    runs
      .filter(({ px }) => px === 0)
      .flatMap(({ from, count }) => Array.from({ length: count }, (_, at) => from + at)),
  );
}

async function areFormulas(
  session: SheetSession,
  range: Range,
  keys: readonly SortKey[],
): Promise<boolean> {
  for (const { column } of keys) {
    const lane = { ...range, column0: column, column1: column };
    for await (const rows of pagesOf(session, lane, 'input')) {
      if (rows.some(([input]) => isFormula(input))) return true;
    }
  }
  return false;
}

function isFormula(input: unknown): boolean {
  return typeof input === 'string' && input.startsWith('=');
}

/** Returns the numbers of the shown rows in their new order. */
async function orderOf(
  session: SheetSession,
  sorting: Sorting,
  hidden: ReadonlySet<number>,
): Promise<readonly number[]> {
  await caughtUp(session);
  const range = rowsOf(sorting, session);
  const lanes = await Promise.all(
    sorting.keys.map(async ({ column, isDescending }) => {
      const lane = { ...range, column0: column, column1: column };
      const values: Ranked[] = [];
      for await (const rows of pagesOf(session, lane, 'value')) {
        for (const [value] of rows) values.push(rankedOf(value));
      }
      return { values, isDescending };
    }),
  );
  const rows = Array.from({ length: range.row1 - range.row0 + 1 }, (_, at) => at).filter(
    (at) => !hidden.has(range.row0 + at),
  );
  if (rows.length > orderMost) {
    const most = orderMost.toLocaleString();
    throw new Error(`By formulas, or beside hidden rows, ${most} rows can be sorted at once.`);
  }
  rows.sort((one, other) => {
    for (const { values, isDescending } of lanes) {
      const order = compare(values[one] ?? blank, values[other] ?? blank, isDescending);
      if (order !== 0) return order;
    }
    return one - other;
  });
  return rows.map((at) => range.row0 + at + 1);
}

/** Resolves when all edits are shown. Fails when they cannot be, for example offline. */
export async function caughtUp(session: SheetSession): Promise<void> {
  while (session.waitingCount > 0 || !session.source.ref.endsWith(`@${session.head}`)) {
    if (session.edits.state !== 'live' || session.fault !== undefined) {
      throw new Error('The newest values are not here: try again when all is saved.');
    }
    await new Promise((resolve) => setTimeout(resolve, shortMs));
  }
}

/** Sort order: numbers, texts, FALSE and TRUE, errors; blanks come last either way. */
interface Ranked {
  readonly rank: number;
  readonly number: number;
  readonly text: string;
}

const blankRank = 4;
const blank: Ranked = { rank: blankRank, number: 0, text: '' };

function rankedOf(value: unknown): Ranked {
  if (value === null || value === undefined) return blank;
  if (typeof value === 'number') return { rank: 0, number: value, text: '' };
  if (typeof value === 'string') return { rank: 1, number: 0, text: foldedText(value) };
  if (typeof value === 'boolean') return { rank: 2, number: Number(value), text: '' };
  return { rank: 3, number: 0, text: '' };
}

function compare(one: Ranked, other: Ranked, isDescending: boolean): number {
  if (one.rank === blankRank || other.rank === blankRank) return one.rank - other.rank;
  const order =
    one.rank - other.rank || one.number - other.number || compareFoldedTexts(one.text, other.text);
  return isDescending ? -order : order;
}
