import { startExport, type ExportParts as ThreadParts } from '../compute/pool-export.ts';
import { writeInput } from '../model/input.ts';
import { rangeName } from '../model/range.ts';
import type { BranchState } from '../state/branch-state.ts';
import { rangeOf, sheetOfTable } from '../state/structure/tables.ts';
import type { ExportFormat, ExportTask } from '../../workers/export-workbook.ts';
import type { FormatRun } from '../../workers/format-runs.ts';
import type { FileRecord } from '../../workers/files/file-record.ts';
import type {
  Dropped,
  ImportedName,
  ImportedTable,
} from '../../workers/files/imported-workbook.ts';
import { OpenArchive } from '../../workers/files/kept-archive.ts';
import { chooseKept, type KeptChoice, type SheetNow } from '../../workers/files/kept-manifest.ts';
import { plainLook, type SheetLook, type WorkbookLook } from '../../workers/files/sheet-look.ts';
import type { KeptFiles } from '../workbooks/kept-files.ts';
import type { BranchSource } from './branch-source.ts';
import type { ExportTurns } from './export-turns.ts';
import { readFormatRuns, readSheetLook, readWorkbookLook } from './format-runs.ts';
import type { ModelView } from './model.ts';
import { branchKey } from '../branches/journal-store.ts';
import type { Place } from '../branches/place.ts';
import type { Models } from './models.ts';
import { readFileRecords } from './records/page.ts';
import { sheetNotFound } from '../branches/sheet-not-found.ts';

export interface ExportRequest {
  readonly format: ExportFormat;
  /** Sheet of a csv; the first one if left out. */
  readonly sheet: string | undefined;
  readonly escape: 'excel' | 'none';
  /** Form of values: `shown` for formatted texts; an .xlsx has formats in any case. */
  readonly as: 'value' | 'shown';
  /** Id of the caller: of each, one export at a time is under way. */
  readonly userId: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Parts of a workbook that are in the state and not in the kernel. */
interface Trimmings {
  readonly seq: number;
  readonly names: readonly ImportedName[];
  readonly tables: readonly ImportedTable[];
  readonly formats: ReadonlyMap<number, readonly FormatRun[]>;
  readonly looks: ReadonlyMap<number, SheetLook>;
  readonly look: WorkbookLook;
  /** Sheets in tab order. */
  readonly sheets: readonly SheetNow[];
  /** Records by sheet key. */
  readonly records: ReadonlyMap<number, readonly FileRecord[]>;
}

export interface ExportParts {
  readonly models: Models;
  readonly source: BranchSource;
  readonly exports: ThreadParts & { readonly turns: ExportTurns };
  readonly keptFiles: Pick<KeptFiles, 'read'>;
}

export interface StartedExport {
  readonly seq: number;
  /** Parts of the imported file that this file lacks. */
  readonly dropped: readonly Dropped[];
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Writes a position as a file; any failure is before the first piece. */
export async function exportPlace(
  place: Place,
  request: ExportRequest,
  parts: ExportParts,
): Promise<StartedExport> {
  const { turns } = parts.exports;
  return new Promise((resolve, reject) => {
    // The turn lasts until the thread is done, which is after this has resolved.
    turns.take(request.userId, () => write(place, request, { parts, resolve })).catch(reject);
  });
}

interface Writing {
  readonly parts: ExportParts;
  readonly resolve: (started: StartedExport) => void;
}

/** Resolves once the model is free again. */
async function write(
  place: Place,
  request: ExportRequest,
  { parts: { models, source, exports, keptFiles }, resolve }: Writing,
): Promise<void> {
  const { userId: key, signal, format } = request;
  signal.throwIfAborted();
  const trimmings = place.isPinned
    ? await source.readAt(place.address, place.seq, readTrimmings)
    : await source.read(place.address, readTrimmings);
  const { seq } = trimmings;
  const charts = format === 'xlsx' ? await readCharts(place, trimmings, keptFiles) : noCharts;
  await models.use({ ...place, seq, isPinned: true }, true, async (view) => {
    const task = taskFor(place, request, { view, trimmings, charts });
    const affinity = branchKey(place.address);
    const { pieces, done } = startExport(exports, task, { key, affinity });
    const first = await pieces.next();
    resolve({ seq, dropped: charts.dropped, pieces: resumed(first, pieces) });
    await done;
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
  const now = sheets.map((sheet) => ({
    name: sheet.name,
    fileSheet: looks.get(sheet.key)?.properties.fileSheet,
    isPristine: sheet.rows.isUntouched && sheet.columns.isUntouched,
  }));
  const tables = tablesOf(state);
  return { seq: state.head, names, tables, formats, looks, look, sheets: now, records };
}

/** Parts of the imported file, for the export. */
interface Charts {
  readonly kept?: { readonly bytes: Uint8Array; readonly choice: KeptChoice };
  readonly dropped: readonly Dropped[];
}

const noCharts: Charts = { dropped: [] };

/** Chooses the charts first, so that lost parts are known before the file begins. */
async function readCharts(
  { address: { workbookId } }: Place,
  { look, sheets }: Trimmings,
  keptFiles: Pick<KeptFiles, 'read'>,
): Promise<Charts> {
  const name = look.settings['file.parts'];
  if (typeof name !== 'string') return noCharts;
  const bytes = await keptFiles.read(workbookId, name);
  if (!bytes) {
    const why = 'what was kept of the file is missing or damaged';
    return { dropped: [{ what: 'charts and images', count: 1, why }] };
  }
  const choice = chooseKept(new OpenArchive(bytes).manifest, sheets);
  return { kept: { bytes, choice }, dropped: choice.lost };
}

function tablesOf(state: BranchState): ImportedTable[] {
  const { tables, structure } = state;
  return tables.all.map((table) => {
    const sheet = sheetOfTable(table, structure);
    const { headerRow, totalsRow, style } = table;
    const range = rangeOf(table, structure);
    const totals = table.columns.map((_, index) =>
      writeInput(state.inputAt(sheet, range.row1, range.column0 + index)),
    );
    return {
      name: table.name,
      sheet: sheet.name,
      range: rangeName(range),
      columns: table.columns.map((column) => column.name),
      headerRow,
      totalsRow,
      formulas: table.columns.map(({ formula }) => formula),
      ...(totalsRow && { totals }),
      ...(style && { style }),
    };
  });
}

function taskFor(
  { address, branch }: Place,
  { format, sheet, escape, as }: ExportRequest,
  { view, trimmings, charts }: { view: ModelView; trimmings: Trimmings; charts: Charts },
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
    isShown: as === 'shown',
    ...(charts.kept && { kept: charts.kept }),
  };
}

/** Puts a piece back; a reader who leaves before it lets the thread go all the same. */
function resumed(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncIterable<Uint8Array> {
  let next: typeof first | undefined = first;
  const pieces: AsyncIterator<Uint8Array, void> = {
    next: async () => {
      const piece = next;
      next = undefined;
      return piece ?? rest.next();
    },
    return: () => rest.return(),
  };
  return { [Symbol.asyncIterator]: () => pieces };
}
