import type { MessagePort } from 'node:worker_threads';

import { Failure } from '../../server/model/failure.ts';
import type { WireInput } from '../../server/model/input.ts';
import { packFailure, type PortableFailure } from '../../server/model/portable-failure.ts';
import type { TableRow } from '../../server/model/payload-tables.ts';
import {
  keysSchema,
  rowsOptions,
  rowsPart,
  rowsSchema,
  type RawRows,
  type RowsOptions,
  type RowsPart,
} from '../../server/model/row-writes.ts';
import { noRowsMessage } from '../../server/model/row-writes.ts';
import { faultsOf } from '../../server/model/schema/compile.ts';
import { bodyFailure } from '../../server/model/schema/refusal.ts';
import { Walk } from '../../server/model/schema/walk.ts';
import { Credit } from '../credit.ts';
import { openBody, type BodySource, type Span } from './body-source.ts';
import { slices } from './check-spans.ts';
import { csvParts } from './csv-rows.ts';

export interface ReadRowsTask extends Omit<RawRows, 'signal'> {
  /** Takes what was read, in order. */
  readonly port: MessagePort;
  readonly credit: SharedArrayBuffer;
}

export type RowsMessage =
  | { readonly kind: 'head'; readonly options: RowsOptions }
  | { readonly kind: 'part'; readonly part: RowsPart }
  | { readonly kind: 'end' }
  | { readonly kind: 'failure'; readonly failure: PortableFailure };

/** Reads rows of a body and posts them part by part. Throws only for a bug. */
export function readRows(task: ReadRowsTask): void {
  const { port } = task;
  const credit = new Credit(task.credit);
  try {
    for (const message of messagesOf(task)) {
      credit.take();
      port.postMessage(message);
    }
    port.postMessage({ kind: 'end' } satisfies RowsMessage);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    port.postMessage({ kind: 'failure', failure: packFailure(failure) } satisfies RowsMessage);
  } finally {
    port.close();
  }
}

function* messagesOf({ chunks, format, ...task }: ReadRowsTask): Generator<RowsMessage, void> {
  const bytes = Buffer.concat(chunks);
  if (format === 'csv') {
    yield { kind: 'head', options: {} };
    for (const part of csvParts(bytes, task)) yield { kind: 'part', part };
    return;
  }
  const source = openBody(
    format === 'ndjson' ? listOfLines(bytes) : bytes,
    format === 'msgpack' ? 'msgpack' : 'json',
    'cells',
  );
  const list = task.hasKeys ? 'keys' : 'rows';
  if (source.typeOf(source.whole) === 'list') {
    yield { kind: 'head', options: {} };
    yield* listMessages(source, source.whole, list);
    return;
  }
  const { options, spans } = readHead(source);
  yield { kind: 'head', options };
  for (const [name, span] of spans) yield* listMessages(source, span, name);
}

type ListName = 'rows' | 'keys';

function readHead(source: BodySource) {
  const head: Record<string, unknown> = {};
  const spans = new Map<ListName, Span>();
  if (source.typeOf(source.whole) === 'object') {
    for (const { name, ...span } of source.members(source.whole)) {
      const isRowList = name === 'rows' || name === 'keys';
      if (isRowList && source.typeOf(span) === 'list') spans.set(name, span);
      else head[name] = source.value(span);
    }
  }
  const walk = faultsOf(rowsOptions, head);
  if (spans.size === 0 && walk.faults.length === 0) walk.add('required', noRowsMessage, []);
  if (walk.faults.length > 0) throw bodyFailure(walk);
  return { options: rowsOptions.parse(head), spans };
}

function* listMessages(
  source: BodySource,
  list: Span,
  name: ListName,
): Generator<RowsMessage, void> {
  const parts = new PartWriter();
  for (const slice of slices(source, list)) {
    const values = source.values(slice);
    check(values, { name, index: slice.index });
    if (name === 'keys') {
      yield { kind: 'part', part: { index: slice.index, keys: values as (string | number)[] } };
      continue;
    }
    for (const row of values as TableRow[]) {
      const part = parts.add(row);
      if (part) yield { kind: 'part', part };
    }
  }
  const rest = parts.finish();
  if (rest) yield { kind: 'part', part: rest };
}

function check(values: unknown[], { name, index }: { name: ListName; index: number }): void {
  const { faults } = faultsOf(name === 'rows' ? rowsSchema : keysSchema, values);
  if (faults.length === 0) return;
  const walk = new Walk();
  for (const fault of faults)
    walk.addFault({ ...fault, pointer: shifted(fault.pointer, name, index) });
  throw bodyFailure(walk);
}

function shifted(pointer: string, name: ListName, index: number): string {
  const [, item, below = ''] = /^\/(\d+)(.*)$/su.exec(pointer) ?? [];
  return item === undefined ? `/${name}${pointer}` : `/${name}/${Number(item) + index}${below}`;
}

/** Collects rows until they make a part. */
class PartWriter {
  #rows: TableRow[] = [];
  #index = 0;
  #valueCount = 0;
  #characterCount = 0;

  add(row: TableRow): RowsPart | undefined {
    const values: readonly WireInput[] = isList(row) ? row : Object.values(row);
    const characters = values.reduce<number>((sum, value) => sum + lengthOf(value), 0);
    const isFull =
      this.#rows.length === rowsPart.rows ||
      this.#valueCount + values.length > rowsPart.values ||
      this.#characterCount + characters > rowsPart.characters;
    const full = isFull ? this.finish() : undefined;
    this.#rows.push(row);
    this.#valueCount += values.length;
    this.#characterCount += characters;
    return full;
  }

  /** Returns the rows that are left; undefined when there are none. */
  finish(): RowsPart | undefined {
    const rows = this.#rows;
    if (rows.length === 0) return undefined;
    const index = this.#index;
    this.#index += rows.length;
    this.#rows = [];
    this.#valueCount = 0;
    this.#characterCount = 0;
    return { index, ...listed(rows) };
  }
}

/** Rows that all have the same members as lists: names are written once. */
function listed(rows: readonly TableRow[]): { columns: string[] | undefined; rows: TableRow[] } {
  const [first] = rows;
  const plain = { columns: undefined, rows: [...rows] };
  if (!first || isList(first)) return plain;
  const columns = Object.keys(first);
  const lists: WireInput[][] = [];
  for (const row of rows) {
    if (isList(row) || Object.keys(row).length !== columns.length) return plain;
    const values: WireInput[] = [];
    for (const name of columns) {
      const value = row[name];
      if (value === undefined) return plain;
      values.push(value);
    }
    lists.push(values);
  }
  return columns.length > 0 ? { columns, rows: lists } : plain;
}

function isList(row: TableRow): row is readonly WireInput[] {
  return Array.isArray(row);
}

function lengthOf(value: WireInput): number {
  return typeof value === 'string' ? value.length : 0;
}

const newline = 0x0a;

/** Lines as a list of JSON: a comma before each but the first, so that lines keep their numbers. */
function listOfLines(bytes: Buffer): Buffer {
  let lineCount = 1;
  for (const byte of bytes) if (byte === newline) lineCount++;
  const list = Buffer.alloc(bytes.length + lineCount + 1, 0x20);
  list[0] = 0x5b;
  let at = 1;
  let isFirst = true;
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found;
    if (hasContent(bytes, start, end)) {
      if (!isFirst) list[at++] = 0x2c;
      isFirst = false;
    }
    at += bytes.copy(list, at, start, Math.min(end + 1, bytes.length));
    start = end + 1;
  }
  list[list.length - 1] = 0x5d;
  return list;
}

function hasContent(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return true;
  }
  return false;
}
