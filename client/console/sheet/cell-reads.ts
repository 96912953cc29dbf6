import { cellName, parseAddress, type Address } from '../../../server/model/address.ts';
import { columnCount, quoteSheet, type Range } from '../../../server/model/range.ts';
import type { Arrow } from '../grid/edge.ts';
import type { Service } from '../service.ts';
import type { BlockSource } from '../store/block-store.ts';
import { inputText } from './input-text.ts';
import type { SheetSession } from './sheet-session.ts';

/** Lens of a slice: formatted texts, values, or inputs. */
export type ReadLens = 'formatted' | 'value' | 'input';

/** Returns the content of a cell as one would type it. */
export async function loadInput(
  service: Service,
  { workbookId, sheet, ref }: BlockSource,
  { row, column }: Address,
): Promise<string> {
  const range = `${quoteSheet(sheet)}!${cellName(row, column)}`;
  const query = new URLSearchParams({ range, ref, lens: 'input' });
  const path = `/v1/workbooks/${workbookId}/slice?${query}`;
  const { rows } = await service.ask<{ rows: unknown[][] }>(path);
  return inputText(rows[0]?.[0]);
}

/** Returns cells of a range, row by row, as they are shown or as values. */
export async function loadRange(
  service: Service,
  { workbookId, sheet, ref }: BlockSource,
  { range, lens }: { readonly range: Range; readonly lens: ReadLens },
): Promise<readonly (readonly unknown[])[]> {
  const { row0, row1, column0, column1 } = range;
  const cells = `${cellName(row0, column0)}:${cellName(row1, column1)}`;
  const query = new URLSearchParams({ range: `${quoteSheet(sheet)}!${cells}`, ref, lens });
  const path = `/v1/workbooks/${workbookId}/slice?${query}`;
  return (await service.ask<{ rows: readonly (readonly unknown[])[] }>(path)).rows;
}

interface OfSheet {
  readonly sheetId: string | undefined;
  readonly lens: ReadLens;
}

/** Returns cells of a sheet of a session, which is named by its id. */
export function loadOf(
  { service, source, sheets }: SheetSession,
  range: Range,
  { sheetId, lens }: OfSheet,
): Promise<readonly (readonly unknown[])[]> {
  const sheet = sheets.find(({ id }) => id === sheetId)?.name ?? '';
  return loadRange(service, { ...source, sheet }, { range, lens });
}

interface Jump {
  readonly from: Address;
  readonly arrow: Arrow;
  readonly signal: AbortSignal;
}

/** Returns the cell that Ctrl and an arrow lead to, over any distance. */
export async function loadEdge(
  service: Service,
  { workbookId, sheet, ref }: BlockSource,
  { from, arrow: [down, right], signal }: Jump,
): Promise<Address> {
  const across = right > 0 ? 'right' : 'left';
  const along = down > 0 ? 'down' : 'up';
  const cell = cellName(from.row, from.column);
  const direction = right === 0 ? along : across;
  const query = new URLSearchParams({ cell, sheet, direction, ref });
  const path = `/v1/workbooks/${workbookId}/edge?${query}`;
  const found = await service.ask<{ cell: string }>(path, { signal });
  return parseAddress(found.cell) ?? from;
}

/** Cells of one page, well below the limit of a slice. */
const pageCells = 100_000;

/** Yields the cells of a range page by page, all of one position. */
export async function* pagesOf(
  { service, source }: Pick<SheetSession, 'service' | 'source'>,
  range: Range,
  lens: ReadLens,
): AsyncGenerator<readonly (readonly unknown[])[], void> {
  const step = Math.max(1, Math.floor(pageCells / columnCount(range)));
  for (let row0 = range.row0; row0 <= range.row1; row0 += step) {
    const page = { ...range, row0, row1: Math.min(range.row1, row0 + step - 1) };
    yield await loadRange(service, source, { range: page, lens });
  }
}

/** Returns the cells of a range as they are shown. */
export async function textsOf(
  session: SheetSession,
  range: Range,
): Promise<readonly (readonly string[])[]> {
  const rows = await loadOf(session, range, { sheetId: session.sheet?.id, lens: 'formatted' });
  return rows.map((row) => row.map(inputText));
}
