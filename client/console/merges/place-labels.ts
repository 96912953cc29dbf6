import { parseAddress } from '../../../server/model/address.ts';
import { parseRange, type Range } from '../../../server/model/range.ts';
import { positionText, type Position } from '../address.ts';
import type { Service } from '../service.ts';
import { loadRange } from '../sheet/cell-reads.ts';
import type { Conflict, MergeView } from './review.ts';

/** Number of columns and rows that are searched for names of rows and columns. */
const [labelColumns, labelRows] = [3, 3];
/** Distance of rows up to which they are read for their names. */
const rowsMost = 20_000;

export type PlaceLabels = ReadonlyMap<string, string>;

/** A cell or a line; a line only has a row or a column. */
interface Placed {
  readonly id: string;
  readonly row: number | undefined;
  readonly column: number | undefined;
}

interface Sheet {
  readonly at: Position;
  readonly name: string;
  readonly placed: Placed[];
}

/** Returns names for the places of conflicts, from the cells beside and above: `Rent, Jan`. */
export async function loadPlaceLabels(
  service: Service,
  { book, source, target }: Pick<MergeView, 'source' | 'target'> & { readonly book: string },
  conflicts: readonly Conflict[],
): Promise<PlaceLabels> {
  const sheets = sheetsOf(conflicts, { ours: target, theirs: source });
  const labels = await Promise.all(sheets.map((sheet) => labelsOf(service, book, sheet)));
  return new Map(labels.flat());
}

type Ends = Readonly<Record<'ours' | 'theirs', Position>>;

/** Groups conflicts by their sheet in the target, or else in the source. */
function sheetsOf(conflicts: readonly Conflict[], ends: Ends): readonly Sheet[] {
  const sheets = new Map<string, Sheet>();
  for (const { id, path = {} } of conflicts) {
    const name = path.sheet?.name ?? '';
    const side = path.a1?.ours === null ? 'theirs' : 'ours';
    const place = placeOf(path, side);
    if (name === '' || !place) continue;
    const key = `${side} ${name}`;
    const sheet = sheets.get(key) ?? { at: ends[side], name, placed: [] };
    sheet.placed.push({ id, ...place });
    sheets.set(key, sheet);
  }
  return [...sheets.values()];
}

function placeOf(
  { a1, table }: NonNullable<Conflict['path']>,
  side: keyof Ends,
): Omit<Placed, 'id'> | undefined {
  // Rows of tables are named by their key.
  const text = table === undefined ? (a1?.[side] ?? '') : '';
  const cell = parseAddress(text);
  const range = cell ? undefined : parseRange(text);
  if (cell || !range) return cell;
  const isRow = range.row0 === range.row1;
  return { row: isRow ? range.row0 : undefined, column: isRow ? undefined : range.column0 };
}

async function labelsOf(
  service: Service,
  book: string,
  { at, name, placed }: Sheet,
): Promise<readonly (readonly [id: string, label: string])[]> {
  const source = { workbookId: book, ref: positionText(at), sheet: name };
  const rows = boundsOf(placed.map(({ row }) => row));
  const columns = boundsOf(placed.map(({ column }) => column));
  const read = (range: Range) => loadRange(service, source, { range, lens: 'value' });
  const [beside, above] = await Promise.all([
    rows.last - rows.first < rowsMost
      ? read({ row0: rows.first, row1: rows.last, column0: 0, column1: labelColumns - 1 })
      : [],
    read({ row0: 0, row1: labelRows - 1, column0: columns.first, column1: columns.last }),
  ]);
  return placed.map(({ id, row, column }) => {
    const left = row === undefined ? [] : (beside[row - rows.first] ?? []);
    const top = column === undefined ? [] : above.map((cells) => cells[column - columns.first]);
    const names = [nameIn(left.slice(0, column)), nameIn(top.slice(0, row))];
    return [id, names.filter((one) => one !== undefined).join(', ')];
  });
}

function boundsOf(lines: readonly (number | undefined)[]) {
  const known = lines.filter((line) => line !== undefined);
  return known.length === 0
    ? { first: 0, last: 0 }
    : { first: Math.min(...known), last: Math.max(...known) };
}

/** Returns the first text of some cells; a number is no name. */
function nameIn(cells: readonly unknown[]): string | undefined {
  return cells.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}
