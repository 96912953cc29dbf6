import { quoteSheet } from '../../../server/model/range.ts';
import type { Position } from '../address.ts';
import type { GridShape } from '../grid/grid-events.ts';
import { usedOf } from './news.ts';
import type { Service } from '../service.ts';
import { loadRecords, type SheetRecords } from './sheet-records.ts';
import { shapeOf, type LineFormats } from './sheet-shape.ts';

export interface SheetOutline {
  readonly id: string;
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly used: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface BranchState {
  readonly head: number;
  readonly sheets: readonly SheetOutline[];
  readonly names: readonly DefinedName[];
  readonly tables: readonly {
    readonly id: string;
    readonly name: string;
    readonly sheet: string;
    readonly range: string;
  }[];
}

interface DefinedName {
  readonly name: string;
  /** Name of the only sheet where it is known; null for all sheets. */
  readonly scope: string | null;
  readonly formula: string;
}

export interface LoadedSheet {
  readonly shape: GridShape;
  readonly records: SheetRecords;
}

export interface SessionPlace {
  readonly workbookId: string;
  readonly at: Position;
  readonly sheet: string | undefined;
  readonly writer: string;
}

interface Where {
  readonly workbookId: string;
  readonly branch: string;
  /** Sequence number; the head by default. */
  readonly seq?: number | undefined;
}

/** Returns the sheets of a branch at a position, and its head. */
export function loadState(
  service: Service,
  { workbookId, branch, seq }: Where,
): Promise<BranchState> {
  const query = seq === undefined ? '' : `?ref=${encodeURIComponent(`${branch}@${seq}`)}`;
  const path = `/v1/workbooks/${workbookId}/branches/${encodeURIComponent(branch)}/state${query}`;
  return service.ask<BranchState>(path);
}

/** Returns the line sizes of a sheet and its records, at `branch@seq`. */
export async function loadSheet(
  service: Service,
  workbookId: string,
  { sheet, ref }: { readonly sheet: SheetOutline; readonly ref: string },
): Promise<LoadedSheet> {
  const used = usedOf(sheet);
  const quoted = quoteSheet(sheet.name);
  const ranges = ['1:1', 'A:A'].map((lines) => `range=${encodeURIComponent(`${quoted}!${lines}`)}`);
  const query = `${ranges.join('&')}&ref=${encodeURIComponent(ref)}`;
  const path = `/v1/workbooks/${workbookId}/formats?${query}`;
  const [formats, records] = await Promise.all([
    service.ask<LineFormats>(path),
    loadRecords(service, workbookId, { sheet: sheet.name, ref }),
  ]);
  const [across, down] = formats.slices;
  return { shape: shapeOf(sheet, used, { across, down }), records };
}

/** Returns the sheets with a tab. */
export function shownSheets(sheets: readonly SheetOutline[]): readonly SheetOutline[] {
  return sheets.filter(({ properties }) => properties['hidden'] === undefined);
}

/** Returns whether a sheet is the same one, under the same name. */
export function areAlike(sheet: SheetOutline, other: SheetOutline | undefined): boolean {
  return sheet.id === other?.id && sheet.name === other.name;
}
