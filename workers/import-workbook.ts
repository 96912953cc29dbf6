import type { MessagePort } from 'node:worker_threads';

import type { FileEnd, FileFormat, FileOptions } from '../server/model/file-reader.ts';
import type { Operation } from '../server/model/operation.ts';
import { Credit } from './credit.ts';
import { readCsv } from './files/csv-read.ts';
import { FileProblem } from './files/file-problem.ts';
import type { ImportProblem } from './files/import-file.ts';
import type { ImportedWorkbook } from './files/imported-workbook.ts';
import { inPieces } from './files/operation-pieces.ts';
import { toOperations } from './files/to-operations.ts';
import { readXlsx } from './files/xlsx-read.ts';
import { Formulas } from './formulas.ts';

export interface ImportTask {
  readonly chunks: readonly Uint8Array[];
  readonly format: FileFormat;
  readonly csv: FileOptions;
  /** Port for the operations. */
  readonly port: MessagePort;
  readonly credit: SharedArrayBuffer;
}

/** Operations and then the end; a problem comes alone. */
export type ImportMessage =
  | { readonly kind: 'operations'; readonly operations: readonly Operation[] }
  | { readonly kind: 'end'; readonly end: FileEnd }
  | { readonly kind: 'problem'; readonly problem: ImportProblem };

/** Reads a file and posts the operations that make its workbook. Throws only for a bug. */
export function importWorkbook(task: ImportTask): void {
  const { port } = task;
  const post = (message: ImportMessage): void => port.postMessage(message);
  const credit = new Credit(task.credit);
  try {
    const workbook = readWorkbook(task);
    for (const operations of inPieces(toOperations(workbook))) {
      credit.take();
      post({ kind: 'operations', operations });
    }
    const { dropped, archive: kept } = workbook;
    post({ kind: 'end', end: { dropped, ...(kept && { kept }) } });
  } catch (problem) {
    if (!(problem instanceof FileProblem)) throw problem;
    const { code, message, hint } = problem;
    post({ kind: 'problem', problem: { ok: false, code, message, hint } });
  } finally {
    port.close();
  }
}

function readWorkbook({ chunks, format, csv }: ImportTask): ImportedWorkbook {
  const bytes = Buffer.concat(chunks);
  const formulas = new Formulas();
  const acceptsFormula = (formula: string): boolean => formulas.check(formula, 'file').ok;
  if (format === 'xlsx') return readXlsx(bytes, { acceptsFormula });
  const { sheet, delimiter, rawText, year } = csv;
  return readCsv(bytes, {
    ...(sheet !== undefined && { sheet }),
    ...(delimiter !== undefined && { delimiter }),
    ...(rawText !== undefined && { rawText }),
    ...(year !== undefined && { year }),
    acceptsFormula,
  });
}
