import {
  cellCount,
  intersection,
  parseRange,
  quoteSheet,
  rangeName,
  type Range,
} from '../../../server/model/range.ts';
import type { Position } from '../address.ts';
import type { Service } from '../service.ts';
import { loadRange } from '../sheet/cell-reads.ts';
import { areasOf } from '../sheet/look-areas.ts';
import { loadState, type SheetOutline } from '../sheet/sheet-loading.ts';

export interface RestoredPlace {
  readonly book: string;
  /** Older position. */
  readonly at: Required<Position>;
  /** Name of the sheet at that position; the first one by default. */
  readonly sheet: string | undefined;
  /** Cells of it as they are selected there; undefined for all of the sheet. */
  readonly cells: string | undefined;
  readonly writer: string;
}

/** Most cells that are brought back at once. */
const cellsMost = 250_000;
/** Cells of one operation. */
const cellsOfOperation = 10_000;
/** Operations of one submission. */
const opsMost = 10_000;

/**
 * Writes the inputs and looks that cells had at an older position into the branch, as operations
 * that follow lines which moved since. Fails where the sheet is too large.
 */
export async function restoreCells(service: Service, place: RestoredPlace): Promise<void> {
  const { book: workbookId, at, writer } = place;
  const { branch, seq } = at;
  const [then, now] = await Promise.all([
    loadState(service, { workbookId, branch, seq }),
    loadState(service, { workbookId, branch }),
  ]);
  const sheet = then.sheets.find(({ name }) => name === place.sheet) ?? then.sheets[0];
  if (!sheet) return;
  const current = now.sheets.find(({ id }) => id === sheet.id);
  if (!current) throw new Error(`${sheet.name} was deleted since: bring the whole version back.`);
  const range = restoredRange([sheet, current], place.cells);
  if (!range) return;
  const total = cellCount(range);
  if (total > cellsMost) {
    const most = cellsMost.toLocaleString();
    throw new Error(`These are ${total.toLocaleString()} cells; ${most} are brought back at once.`);
  }
  const source = { workbookId, sheet: sheet.name, ref: `${branch}@${seq}`, isOfInputs: true };
  const ops: unknown[] = [];
  for (const part of partsOf(range)) {
    const rows = await loadRange(service, source, { range: part, lens: 'input' });
    const inputs = rows.map((row) => row.map((input) => input ?? ''));
    const payload = { sheet: sheet.id, range: rangeName(part), inputs };
    ops.push(
      { kind: 'range.set', payload },
      ...(await lookOps(service, { ...source, part, id: sheet.id })),
    );
  }
  if (ops.length > opsMost) {
    throw new Error('These cells have too many different looks: bring the whole version back.');
  }
  const path = `/v1/workbooks/${workbookId}/branches/${encodeURIComponent(branch)}/ops`;
  await service.ask(path, { body: { writer, baseSeq: seq, mode: 'atomic', ops } });
}

interface LookedPart {
  readonly workbookId: string;
  readonly sheet: string;
  readonly ref: string;
  readonly part: Range;
  /** Id of the sheet. */
  readonly id: string;
}

interface Formats {
  readonly styles: readonly object[];
  readonly slices: readonly { readonly cells: readonly (readonly number[])[] }[];
}

/** Returns the operations that give cells the looks of a position, area by area. */
async function lookOps(
  service: Service,
  { workbookId, sheet, ref, part, id }: LookedPart,
): Promise<readonly unknown[]> {
  const query = new URLSearchParams({ ref, range: `${quoteSheet(sheet)}!${rangeName(part)}` });
  const { styles, slices } = await service.ask<Formats>(
    `/v1/workbooks/${workbookId}/formats?${query}`,
  );
  const looks = (slices[0]?.cells ?? []).map((row) => row.map((style) => styles[style] ?? {}));
  return areasOf(looks).map(({ area, look: style }) => {
    const range = {
      row0: part.row0 + area.row0,
      row1: part.row0 + area.row1,
      column0: part.column0 + area.column0,
      column1: part.column0 + area.column1,
    };
    const payload = { sheet: id, range: rangeName(range), style, replace: true };
    return { kind: 'format.set', payload };
  });
}

/** Returns the cells to write: all that were or are filled, as far as they were selected. */
function restoredRange(
  sheets: readonly Pick<SheetOutline, 'used'>[],
  cells: string | undefined,
): Range | undefined {
  const filled = sheets.flatMap(({ used }) => (used === null ? [] : (parseRange(used) ?? [])));
  const [first, ...others] = filled;
  if (!first) return undefined;
  const all = others.reduce(around, first);
  const wanted = cells === undefined ? all : parseRange(cells);
  return wanted && intersection(wanted, all);
}

function around(one: Range, other: Range): Range {
  return {
    row0: Math.min(one.row0, other.row0),
    row1: Math.max(one.row1, other.row1),
    column0: Math.min(one.column0, other.column0),
    column1: Math.max(one.column1, other.column1),
  };
}

function* partsOf(range: Range): Generator<Range> {
  const width = range.column1 - range.column0 + 1;
  const height = Math.max(1, Math.floor(cellsOfOperation / width));
  for (let row0 = range.row0; row0 <= range.row1; row0 += height) {
    yield { ...range, row0, row1: Math.min(range.row1, row0 + height - 1) };
  }
}
