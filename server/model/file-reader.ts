import type { Operation } from './operation.ts';

export type FileFormat = 'xlsx' | 'csv';

export interface FileOptions {
  /** Name of the one sheet of a CSV file. */
  readonly sheet?: string | undefined;
  /** Between the fields of a CSV file; found from its first lines when left out. */
  readonly delimiter?: string | undefined;
  /** Fields of a CSV file stay text instead of being read as a person types them. */
  readonly rawText?: boolean | undefined;
}

/** Something of a file that was not kept. */
export interface DroppedPart {
  readonly what: string;
  /** A sheet, or a cell or range with its sheet. */
  readonly where?: string;
  readonly count: number;
  readonly why: string;
}

/**
 * Turns files into operations on a workbook without sheets: chunks in order, and at the end what is
 * not kept. Fails with `invalid_file`, `file_too_large` or `unsupported_file` before the first chunk
 * or never. Nothing of it runs on the serving thread for more than some milliseconds.
 */
export interface FileReader {
  read(
    bytes: Uint8Array,
    format: FileFormat,
    options: FileOptions,
  ): AsyncGenerator<readonly Operation[], readonly DroppedPart[]>;
}
