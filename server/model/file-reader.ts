import type { Operation } from './operation.ts';

export type FileFormat = 'xlsx' | 'csv';

export interface FileOptions {
  /** Name of the one sheet of a CSV file. */
  readonly sheet?: string | undefined;
  /** Between the fields of a CSV file; found from its first lines when left out. */
  readonly delimiter?: string | undefined;
  /** Fields of a CSV file stay text instead of being read as a person types them. */
  readonly rawText?: boolean | undefined;
  /** The year of days of a CSV file that name none. */
  readonly year?: number | undefined;
}

/** Something of a file that was not kept. */
export interface DroppedPart {
  readonly what: string;
  /** A sheet, or a cell or range with its sheet. */
  readonly where?: string;
  readonly count: number;
  readonly why: string;
}

/** Parts of a file that an export gives back as they are. */
export interface KeptParts {
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Results of reading a file beside its operations. */
export interface FileEnd {
  readonly dropped: readonly DroppedPart[];
  readonly kept?: KeptParts;
}

/**
 * Turns files into operations on a workbook without sheets: yields them in chunks, and at the end
 * reports what is dropped and what is stored unchanged. Fails with `invalid_file`, `file_too_large`
 * or `unsupported_file` before the first chunk or never. No part runs on the serving thread for
 * more than some milliseconds. The chunks of the file are transferred once it has begun.
 */
export interface FileReader {
  read(
    chunks: readonly Uint8Array[],
    format: FileFormat,
    options: FileOptions,
  ): AsyncGenerator<readonly Operation[], FileEnd>;
}
