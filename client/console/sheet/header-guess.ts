import { quoteSheet, rangeName, type Range } from '../../../server/model/range.ts';
import type { CellStyle } from '../store/block-store.ts';
import { loadRange } from './cell-reads.ts';
import type { SheetSession } from './sheet-session.ts';

const rowsLookedAt = 30;
const looks = ['bold', 'italic', 'underline', 'fill', 'color', 'align', 'size', 'border'] as const;

/**
 * Returns whether the first row of a block looks like a header, as in Excel: texts above cells of
 * another kind, or texts with another format than those below.
 */
export async function hasHeader(session: SheetSession, range: Range): Promise<boolean> {
  const { row0, row1 } = range;
  if (row1 === row0) return false;
  if (session.records.filter?.range.row0 === row0 || session.shape?.frozenRows === row0 + 1) {
    return true;
  }
  const head = { ...range, row1: Math.min(row1, row0 + rowsLookedAt) };
  const { service, source } = session;
  const [rows, styles] = await Promise.all([
    loadRange(service, source, { range: head, lens: 'value' }),
    loadLooks(session, { ...range, row1: row0 + 1 }),
  ]);
  const [first = [], ...others] = rows;
  const filled = first.filter((value) => value !== null);
  if (filled.length === 0 || filled.some((value) => typeof value !== 'string')) return false;
  // A title above the block is no header.
  if (filled.length * 2 <= first.length && first.length > 1) return false;
  return isOfOtherKind(first, others) || looksOtherwise(first, styles);
}

function isOfOtherKind(
  first: readonly unknown[],
  others: readonly (readonly unknown[])[],
): boolean {
  return first.some((name, column) => {
    const below = others.map((row) => row[column] ?? null).filter((value) => value !== null);
    const texts = below.filter((value) => typeof value === 'string');
    return name !== null && below.length > 0 && texts.length * 2 < below.length;
  });
}

type Looks = readonly (readonly CellStyle[])[];

function looksOtherwise(first: readonly unknown[], [top = [], below = []]: Looks): boolean {
  const differ = first.filter((name, column) => {
    const [one, other] = [top[column] ?? {}, below[column] ?? {}];
    return name !== null && looks.some((look) => textOf(one[look]) !== textOf(other[look]));
  });
  return differ.length * 2 > first.length;
}

function textOf(look: unknown): string {
  return JSON.stringify(look ?? null);
}

async function loadLooks(
  { service, source: { workbookId, sheet, ref } }: SheetSession,
  range: Range,
): Promise<Looks> {
  const query = new URLSearchParams({ range: `${quoteSheet(sheet)}!${rangeName(range)}`, ref });
  const { styles, slices } = await service.ask<{
    readonly styles: readonly CellStyle[];
    readonly slices: readonly { readonly cells: readonly (readonly number[])[] }[];
  }>(`/v1/workbooks/${workbookId}/formats?${query}`);
  return (slices[0]?.cells ?? []).map((row) => row.map((at) => styles[at] ?? {}));
}
