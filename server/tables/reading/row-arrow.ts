import {
  bool,
  columnFromArray,
  dateDay,
  float64,
  int64,
  tableFromColumns,
  tableToIPC,
  timestamp,
  TimeUnit,
  utf8,
  type DataType,
} from '@uwdata/flechette';

import { dayMilliseconds } from '../../model/durations.ts';
import type { WireInput } from '../../model/input.ts';
import type { ColumnType } from '../../model/table-column.ts';

/** The type of a column in Arrow; found from the values for an `any` column. */
export type ArrowKind = Exclude<ColumnType, 'any'>;

export interface ArrowColumn {
  readonly name: string;
  readonly kind: ArrowKind;
}

const valuesBetweenPauses = 4_096;

/** Finds the kind that all values of a column share; text fits any value. */
export function* kindOf(values: Iterable<WireInput>): Generator<void, ArrowKind> {
  let kind: ArrowKind | undefined;
  let count = 0;
  for (const value of values) {
    if (++count % valuesBetweenPauses === 0) yield;
    if (value === null) continue;
    const own = plainKind(value);
    if (own === undefined || (kind !== undefined && kind !== own)) return 'text';
    if (own === 'text') return own;
    kind = own;
  }
  return kind ?? 'text';
}

function plainKind(value: WireInput): ArrowKind | undefined {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : undefined;
}

const endOfStream = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/** Yields rows as an Arrow IPC stream, with a batch for each stretch. */
export async function* arrowOf(
  columns: readonly ArrowColumn[],
  rows: AsyncIterable<readonly (readonly WireInput[])[]>,
  date1904: boolean,
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const stretch of rows) {
    const bytes = streamOf(columns, stretch, date1904);
    // Each stretch is written as a stream of schema, batch and end, from which the batch is taken.
    yield bytes.slice(isFirst ? 0 : schemaEnd(bytes), bytes.length - endOfStream.length);
    isFirst = false;
  }
  yield isFirst ? streamOf(columns, [], date1904) : endOfStream;
}

function streamOf(
  columns: readonly ArrowColumn[],
  rows: readonly (readonly WireInput[])[],
  date1904: boolean,
): Uint8Array {
  const data = columns.map(({ name, kind }, at): [string, ReturnType<typeof columnFromArray>] => {
    const values = rows.map((row) => arrowValue(row[at] ?? null, kind, date1904));
    return [name, columnFromArray(values, typeOf(kind))];
  });
  const bytes = tableToIPC(tableFromColumns(data), { format: 'stream' });
  if (bytes === null) throw new Error('rows could not be written as Arrow');
  return bytes;
}

/** Finds the end of the schema, which is the first message: a mark, a length and its bytes. */
function schemaEnd(bytes: Uint8Array): number {
  return 8 + new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true);
}

function typeOf(kind: ArrowKind): DataType {
  switch (kind) {
    case 'number':
      return float64();
    case 'integer':
      return int64();
    case 'boolean':
      return bool();
    case 'date':
      return dateDay();
    case 'datetime':
      return timestamp(TimeUnit.MILLISECOND);
    case 'text':
      return utf8();
  }
}

/** Serial number of 1 January 1970 in the date systems 1900 and 1904. */
const epochSerials = { 1900: 25_569, 1904: 24_107 } as const;

/** Converts a value; null if the type cannot hold it, such as an error. */
function arrowValue(value: WireInput, kind: ArrowKind, date1904: boolean): unknown {
  if (value === null) return null;
  if (kind === 'text') return typeof value === 'object' ? value.error : String(value);
  if (kind === 'boolean') return typeof value === 'boolean' ? value : null;
  if (typeof value !== 'number') return null;
  if (kind === 'number') return value;
  if (kind === 'integer') return Number.isSafeInteger(value) ? value : null;
  const days = date1904 ? value - epochSerials[1904] : daysSince1970(value);
  return days === undefined ? null : new Date(Math.round(days * dayMilliseconds));
}

/**
 * Converts a serial number of the system 1900 to days since 1 January 1970; undefined for its
 * nonexistent 29 February 1900 (ECMA-376 part 1, 18.17.4.1).
 */
function daysSince1970(serial: number): number | undefined {
  if (serial >= 61) return serial - epochSerials[1900];
  return serial < 60 ? serial + 1 - epochSerials[1900] : undefined;
}
