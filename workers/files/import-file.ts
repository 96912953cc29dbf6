import type { Operation } from '../../server/model/operation.ts';
import { readCsv, type CsvOptions } from './csv-read.ts';
import { FileProblem, type FileProblemCode } from './file-problem.ts';
import type { Dropped, ImportedTable, ImportedWorkbook } from './imported-workbook.ts';
import { toOperations } from './to-operations.ts';
import { readXlsx, type ReadOptions } from './xlsx-read.ts';

export type ImportFormat = 'xlsx' | 'csv';

export interface ImportOptions {
  readonly format: ImportFormat;
  readonly xlsx?: ReadOptions;
  readonly csv?: CsvOptions;
}

/** A file as operations: plain data that a worker can post. */
export interface ImportedFile {
  readonly ok: true;
  readonly date1904: boolean;
  readonly sheets: readonly string[];
  readonly operations: readonly Operation[];
  readonly tables: readonly ImportedTable[];
  readonly dropped: readonly Dropped[];
}

/** A failed import. An Error would lose its code and hint between threads. */
export interface ImportProblem {
  readonly ok: false;
  readonly code: FileProblemCode;
  readonly message: string;
  readonly hint: string;
}

/**
 * Reads a file of any supported format. Returns a problem for a bad file; throws only for a bug.
 */
export function importFile(
  bytes: Uint8Array,
  options: ImportOptions,
): ImportedFile | ImportProblem {
  try {
    const workbook = readWorkbook(bytes, options);
    const { date1904, tables, dropped } = workbook;
    const operations = [...toOperations(workbook)];
    const sheets = workbook.sheets.map(({ name }) => name);
    return { ok: true, date1904, sheets, operations, tables, dropped };
  } catch (problem) {
    if (!(problem instanceof FileProblem)) throw problem;
    const { code, message, hint } = problem;
    return { ok: false, code, message, hint };
  }
}

function readWorkbook(bytes: Uint8Array, options: ImportOptions): ImportedWorkbook {
  return options.format === 'csv' ? readCsv(bytes, options.csv) : readXlsx(bytes, options.xlsx);
}
