import type { MessagePort } from 'node:worker_threads';

import { Credit } from './credit.ts';
import { writeCsv, type CsvWriteOptions } from './files/csv-write.ts';
import type { ImportedName, ImportedTable } from './files/imported-workbook.ts';
import { OpenArchive } from './files/kept-archive.ts';
import type { KeptChoice } from './files/kept-manifest.ts';
import { keptSource } from './files/kept-source.ts';
import { writeJson, writeNdjson, type ExportHeader } from './files/json-write.ts';
import type { ShowCell } from './files/sheet-cells.ts';
import type { WorkbookLook } from './files/sheet-look.ts';
import type { WorkbookSource } from './files/workbook-source.ts';
import { writeXlsx } from './files/xlsx-write.ts';
import { attach } from './attached-kernel.ts';
import { KernelFault } from './kernel-instance.ts';
import type { KernelLoan } from './kernel.ts';
import { modelSheets, type ExportedSheet } from './model-source.ts';
import { ShownTexts } from './shown-text.ts';

export type ExportFormat = 'json' | 'ndjson' | 'csv' | 'xlsx';

export interface ExportTask {
  readonly loan: KernelLoan;
  readonly format: ExportFormat;
  readonly header: ExportHeader;
  /** Sheets in the order of tabs; a CSV has only the first. */
  readonly sheets: readonly ExportedSheet[];
  readonly names: readonly ImportedName[];
  readonly tables: readonly ImportedTable[];
  readonly look: WorkbookLook;
  readonly date1904: boolean;
  /**
   * Archive of parts that came with the imported .xlsx file, and the ones that are written back.
   */
  readonly kept?: { readonly bytes: Uint8Array; readonly choice: KeptChoice };
  readonly csv: Omit<CsvWriteOptions, 'show'>;
  /** True when texts are written as a person sees them. */
  readonly isShown: boolean;
  readonly port: MessagePort;
  readonly credit: SharedArrayBuffer;
}

/**
 * Pieces of the file, then the end; a fault instead of the end means that the file is incomplete.
 */
export type ExportMessage =
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'fault'; readonly fault: string };

/** Pieces are collected to about this size before they are posted. */
const pieceBytes = 256 * 1024;

/** Writes an evaluated model as a file, piece by piece. */
export function exportWorkbook(task: ExportTask): void {
  const pieces = new PieceWriter(task.port, new Credit(task.credit));
  try {
    const kernel = attach(task.loan);
    const { names, tables, look, date1904, kept } = task;
    const sheets = modelSheets(kernel, task.sheets);
    const charts = kept && { kept: keptSource(new OpenArchive(kept.bytes), kept.choice) };
    const source = { names, tables, look, date1904, sheets, ...charts };
    writeFile(task, source, pieces);
    pieces.end();
  } catch (error) {
    if (error instanceof TakerGone) return;
    if (!(error instanceof KernelFault)) throw error;
    pieces.fail(error.message);
  } finally {
    task.port.close();
  }
}

function writeFile(task: ExportTask, source: WorkbookSource, pieces: PieceWriter): void {
  const { format, header, csv, isShown, date1904, look } = task;
  const texts = isShown ? new ShownTexts(date1904, look.styles) : undefined;
  const show: ShowCell | undefined = texts && ((cell) => texts.showCell(cell));
  const emitText = (text: string): void => pieces.add(Buffer.from(text));
  const [sheet] = source.sheets;
  if (format === 'xlsx') writeXlsx(source, (chunk) => pieces.add(chunk));
  else if (format === 'json') writeJson(header, source, emitText, show);
  else if (format === 'ndjson') writeNdjson(header, source, emitText, show);
  else if (sheet !== undefined) writeCsv(sheet, emitText, { ...csv, ...(show && { show }) });
}

/** Ends the writing of a file that nobody will take. */
class TakerGone extends Error {}

class PieceWriter {
  readonly #port: MessagePort;
  readonly #credit: Credit;
  #chunks: Uint8Array[] = [];
  #byteCount = 0;

  constructor(port: MessagePort, credit: Credit) {
    this.#port = port;
    this.#credit = credit;
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#byteCount += chunk.length;
    if (this.#byteCount >= pieceBytes) this.#flush();
  }

  end(): void {
    this.#flush();
    this.#post({ kind: 'end' });
  }

  fail(fault: string): void {
    this.#post({ kind: 'fault', fault });
  }

  #flush(): void {
    if (this.#credit.isEndless) throw new TakerGone();
    if (this.#byteCount === 0) return;
    // A new array, because a small Buffer is part of a pool and cannot be transferred.
    const bytes = new Uint8Array(this.#byteCount);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#byteCount = 0;
    this.#credit.take();
    this.#post({ kind: 'piece', bytes }, [bytes.buffer]);
  }

  #post(message: ExportMessage, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
