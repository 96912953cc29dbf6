import { z } from 'zod';

import type { ByteSource } from './byte-source.ts';
import { operationLimits as limits } from './operation-limits.ts';
import { tablePayloads, type TableRow } from './payload-tables.ts';

/** The options that a request states beside the rows that it writes to a table. */
const { rows, columns, raw, onInvalid } = tablePayloads.rowsUpsert.shape;
const { keys, onMissing } = tablePayloads.rowsDelete.shape;

export const rowModes = ['upsert', 'import', 'delete'] as const;

export const rowsOptions = z.strictObject({
  mode: z
    .enum(rowModes)
    .optional()
    .describe(
      'upsert: rows whose key is there get the columns sent, others are added (default). import: the rows become these. delete: by keys',
    ),
  columns,
  raw,
  onInvalid,
  onMissing,
  atomic: z
    .boolean()
    .optional()
    .describe('Of more rows than one operation takes: all of them or none. Default: by chunk'),
  writer: z.string().min(1).max(limits.writerLength).optional(),
  id: z
    .string()
    .min(1)
    .max(limits.operationIdLength - 8)
    .optional()
    .describe('Of the operation: a repeat with it is done once'),
  baseSeq: z.int().min(0).optional().describe('Position whose columns are meant; the head'),
});

export type RowsOptions = z.output<typeof rowsOptions>;

export const noRowsMessage = 'Send rows to upsert or import them, and keys to delete rows.';

export const rowsBody = rowsOptions
  .extend({ rows: rows.optional(), keys: keys.optional() })
  .refine((body) => body.rows !== undefined || body.keys !== undefined, noRowsMessage)
  .meta({ id: 'RowsWrite' });

/** Lists of a body, whose items are looked at by these. */
export const rowsSchema = rows;
export const keysSchema = keys;

/** Consecutive rows of one request, as many as make an operation. */
export interface RowBatch {
  /** Place of its first row in what was sent. */
  readonly index: number;
  /** Names in the order of the lists; undefined where rows are objects. */
  readonly columns: readonly string[] | undefined;
  readonly rows: readonly TableRow[];
  /** Places of the rows in what was sent, where some between them were left out. */
  readonly places?: readonly number[];
}

export interface KeyBatch {
  readonly index: number;
  readonly keys: readonly (string | number)[];
}

export type RowsPart = RowBatch | KeyBatch;

export type RowsFormat = 'json' | 'msgpack' | 'ndjson' | 'csv';

/** A column of the table that texts of a CSV are read for. */
export interface NamedType {
  readonly name: string;
  readonly type: string;
}

export interface RawRows {
  readonly bytes: ByteSource;
  /** True for more than fits into memory, which is read twice if options may follow. */
  readonly isLong: boolean;
  readonly format: RowsFormat;
  /** For csv: what its fields are to become. */
  readonly columns: readonly NamedType[];
  readonly delimiter: string | undefined;
  /** For a list without options: whether it holds keys, not rows. */
  readonly hasKeys: boolean;
  /** For keys in a csv: the column that has them. */
  readonly keyColumn: string | null;
  readonly signal?: AbortSignal;
}

export interface ReadRows {
  /** Options beside the rows, for JSON and msgpack. */
  readonly options: RowsOptions;
  readonly parts: AsyncGenerator<RowsPart, void>;
}

/** Reads rows of any length beside the serving thread, and hands them over in parts. */
export interface RowReader {
  read(rows: RawRows): Promise<ReadRows>;
}

/** The most that one operation of a run holds: commits stay short, others come between. */
export const rowsPart = { rows: 5_000, values: 50_000, characters: 1_000_000 } as const;
