import { columnName, parseAddress } from '../../../server/model/address.ts';
import { parseRange, type Range } from '../../../server/model/range.ts';
import { loadRange } from '../sheet/cell-reads.ts';
import { inputText } from '../sheet/input-text.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import type { Conflict } from './review.ts';

/** Merge in whose current result the rows of conflicts are read. */
export interface RowSource {
  readonly book: string;
  readonly merge: string;
  /** Digest of the merge, which changes with each choice, so that the row is read again. */
  readonly digest: string;
}

/** Columns before and after a cell. */
const columnsBeside = 5;
/** Columns of a row that is in conflict as a whole, or of a table. */
const columnsMost = 2 * columnsBeside + 1;

interface AroundParts {
  readonly conflict: Conflict;
  readonly rows: RowSource;
}

/** Row of a conflict: that of a table on both sides, else that of the sheet. */
export function RowAround({ conflict, rows }: AroundParts) {
  return conflict.row ? <TableRows conflict={conflict} /> : <SheetRow {...{ conflict, rows }} />;
}

function TableRows({ conflict: { row, path } }: Pick<AroundParts, 'conflict'>) {
  const sides = (['ours', 'theirs'] as const).flatMap((name) => {
    const cells = row?.[name];
    return cells ? [{ name, cells }] : [];
  });
  const names = [...new Set(sides.flatMap(({ cells }) => Object.keys(cells)))];
  const shown = names.slice(0, columnsMost);
  if (shown.length === 0) return null;
  return (
    <Row
      headings={shown}
      marked={path?.column}
      rows={sides.map(({ name, cells }) => ({
        name,
        texts: shown.map((column) => inputText(cells[column])),
      }))}
    />
  );
}

function SheetRow({ conflict: { path = {} }, rows: { book, merge, digest } }: AroundParts) {
  const { service } = useShell();
  const { name: sheet } = path.sheet ?? { name: null };
  const a1 = path.a1?.merged ?? '';
  const { value } = useLoaded(async () => {
    const place = placeOf(a1);
    if (!place || sheet === null) return undefined;
    const source = { workbookId: book, ref: `merge:${merge}`, sheet };
    const [cells = []] = await loadRange(service, source, {
      range: place.range,
      lens: 'formatted',
    });
    return { place, cells };
  }, [book, merge, digest, sheet, a1]);
  if (!value) return null;
  const { range, column } = value.place;
  const headings = value.cells.map((_, index) => columnName(range.column0 + index));
  return (
    <Row
      headings={headings}
      marked={column === undefined ? undefined : columnName(column)}
      rows={[{ name: `row ${range.row0 + 1}`, texts: value.cells.map(inputText) }]}
    />
  );
}

interface RowPlace {
  readonly range: Range;
  /** Column of the cell; undefined if the whole row is in conflict. */
  readonly column: number | undefined;
}

/** Returns the part of a row around a cell, or its beginning; undefined for a column. */
function placeOf(a1: string): RowPlace | undefined {
  const cell = parseAddress(a1);
  if (cell) {
    const column0 = Math.max(0, cell.column - columnsBeside);
    const range = { row0: cell.row, row1: cell.row, column0, column1: cell.column + columnsBeside };
    return { range, column: cell.column };
  }
  const line = parseRange(a1);
  if (!line || line.row0 !== line.row1) return undefined;
  return { range: { ...line, column0: 0, column1: columnsMost - 1 }, column: undefined };
}

interface RowParts {
  readonly headings: readonly string[];
  /** Heading of the conflicting cell. */
  readonly marked: string | undefined;
  readonly rows: readonly { readonly name: string; readonly texts: readonly string[] }[];
}

function Row({ headings, marked, rows }: RowParts) {
  return (
    <div class="row-around" role="group" aria-label="The row" tabIndex={0}>
      <table>
        <caption class="quiet">The row</caption>
        <thead>
          <tr>
            <td />
            {headings.map((heading) => (
              <th key={heading} scope="col" class={heading === marked ? 'marked' : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, texts }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {texts.map((text, index) => (
                <td key={index} class={headings[index] === marked ? 'marked' : undefined}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
