import { startExport } from '../compute/pool-export.ts';
import type { Pool } from '../compute/pool.ts';
import { rangeName } from '../model/range.ts';
import type { BranchState } from '../state/branch-state.ts';
import { rangeOf, sheetOfTable } from '../state/tables.ts';
import type { ExportFormat, ExportTask } from '../../workers/export-workbook.ts';
import type { FormatRun } from '../../workers/format-runs.ts';
import type { FileRecord } from '../../workers/files/file-record.ts';
import type { ImportedName, ImportedTable } from '../../workers/files/imported-workbook.ts';
import { plainLook, type SheetLook, type WorkbookLook } from '../../workers/files/sheet-look.ts';
import type { BranchSource } from './branch-source.ts';
import { readFormatRuns, readSheetLook, readWorkbookLook } from './format-runs.ts';
import type { ModelView } from './model.ts';
import type { Place } from '../branches/place.ts';
import type { Models } from './models.ts';
import { readFileRecords } from './records/page.ts';
import { sheetNotFound } from './sheet-not-found.ts';

export interface ExportRequest {
  readonly format: ExportFormat;
  /** The one sheet of a csv; the first one when left out. */
  readonly sheet: string | undefined;
  readonly escape: 'excel' | 'none';
}

/** What the state knows of a workbook and the kernel does not. */
interface Trimmings {
  readonly seq: number;
  readonly names: readonly ImportedName[];
  readonly tables: readonly ImportedTable[];
  readonly formats: ReadonlyMap<number, readonly FormatRun[]>;
  readonly looks: ReadonlyMap<number, SheetLook>;
  readonly look: WorkbookLook;
  /** By sheet key. */
  readonly records: ReadonlyMap<number, readonly FileRecord[]>;
}

export interface ExportParts {
  readonly models: Models;
  readonly source: BranchSource;
  readonly pool: Pick<Pool, 'run'>;
}

export interface StartedExport {
  readonly seq: number;
  readonly pieces: AsyncGenerator<Uint8Array, void>;
}

/** Writes a position as a file. Fails before the first piece where it can fail at all. */
export async function exportPlace(
  place: Place,
  request: ExportRequest,
  { models, source, pool }: ExportParts,
): Promise<StartedExport> {
  const trimmings = place.isPinned
    ? await source.readAt(place.address, place.seq, readTrimmings)
    : await source.read(place.address, readTrimmings);
  const { seq } = trimmings;
  return new Promise((resolve, reject) => {
    // The model stays taken until the thread is done with it, which is after this has resolved.
    const write = async (view: ModelView): Promise<void> => {
      const task = taskFor(place, request, { view, trimmings });
      const affinity = `${place.address.workbookId}/${place.address.branchNo}`;
      const { pieces, done } = startExport(pool, task, affinity);
      const first = await pieces.next();
      resolve({ seq, pieces: resumed(first, pieces) });
      await done;
    };
    models.use({ ...place, seq, isPinned: true }, true, write).catch(reject);
  });
}

function* readTrimmings(state: BranchState): Generator<void, Trimmings> {
  const formats = yield* readFormatRuns(state);
  const names = state.nameSummaries().map(({ name, scope, formula, comment }) => ({
    name,
    scope: scope === null ? undefined : state.structure.withId(scope)?.name,
    formula,
    ...(comment !== undefined && { comment }),
  }));
  const { sheets } = state.structure;
  const looks = new Map(sheets.map((sheet) => [sheet.key, readSheetLook(state, sheet)]));
  const look = readWorkbookLook(state);
  const records = yield* readFileRecords(state);
  return { seq: state.head, names, tables: tablesOf(state), formats, looks, look, records };
}

function tablesOf({ tables, structure }: BranchState): ImportedTable[] {
  return tables.all.map((table) => ({
    name: table.name,
    sheet: sheetOfTable(table, structure).name,
    range: rangeName(rangeOf(table, structure)),
    columns: table.columns.map((column) => column.name),
    headerRow: table.headerRow,
    totalsRow: table.totalsRow,
  }));
}

function taskFor(
  { address, branch }: Place,
  { format, sheet, escape }: ExportRequest,
  { view, trimmings }: { view: ModelView; trimmings: Trimmings },
): Omit<ExportTask, 'port' | 'credit'> {
  const { sheets } = view;
  const { seq, names, tables, formats, looks, look, records } = trimmings;
  const chosen = sheet === undefined ? undefined : sheets.named(sheet);
  if (sheet !== undefined && chosen === undefined) {
    throw sheetNotFound(sheet, sheets.all);
  }
  const [first] = sheets.all;
  const one = chosen ?? first;
  const written = format === 'csv' ? (one === undefined ? [] : [one]) : sheets.all;
  return {
    loan: view.lend(),
    format,
    header: { workbook: address.workbookId, ref: { branch, seq } },
    sheets: written.map(({ key, name }) => ({
      key,
      name,
      formats: [...(formats.get(key) ?? [])],
      look: looks.get(key) ?? plainLook,
      records: [...(records.get(key) ?? [])],
    })),
    names,
    tables,
    look,
    date1904: sheets.date1904,
    csv: { escape },
  };
}

async function* resumed(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
