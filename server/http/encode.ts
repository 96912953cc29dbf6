import { Packr } from 'msgpackr';

import type { Negotiated } from './negotiate.ts';
import type { RowsBody } from './route.ts';

export const packr = new Packr({
  useRecords: false,
  variableMapSize: true,
  encodeUndefinedAsNil: true,
});

/** The bytes of an answer: whole, or in pieces that are produced while earlier ones are sent. */
export type Encoded =
  | { readonly whole: Buffer; readonly type: string }
  | { readonly pieces: AsyncIterable<Uint8Array>; readonly type: string };

const pieceLength = 64 * 1024;
/**
 * Longer lists are written in pieces, so that no `JSON.stringify` blocks the event loop for long.
 */
const listLengthWhole = 2048;

export function encodeValue(value: unknown, negotiated: Negotiated): Encoded {
  const { representation, type } = negotiated;
  if (representation === 'msgpack') return { whole: packr.pack(value), type };
  const long = longMember(value);
  if (long !== undefined) {
    return { pieces: jsonRows(long), type: 'application/json' };
  }
  return { whole: Buffer.from(JSON.stringify(value)), type: 'application/json' };
}

/** Sends short lists of rows whole, others in pieces. */
export function encodeRows(rows: RowsBody, negotiated: Negotiated): Encoded {
  const { representation, type } = negotiated;
  if (representation === 'ndjson') return { pieces: ndjsonRows(rows), type };
  if (representation === 'msgpack') return { pieces: msgpackRows(rows), type };
  if (Array.isArray(rows.items) && rows.items.length <= listLengthWhole) {
    const value = { ...rows.header, [rows.member]: rows.items as unknown[] };
    const text = JSON.stringify(value);
    return { whole: Buffer.from(text), type: 'application/json' };
  }
  return { pieces: jsonRows(rows), type: 'application/json' };
}

function longMember(value: unknown): RowsBody | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const long = Object.entries(value).find(
    (entry): entry is [string, unknown[]] =>
      Array.isArray(entry[1]) && entry[1].length > listLengthWhole,
  );
  if (long === undefined) return undefined;
  const [member, items] = long;
  const header = Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));
  return { header, member, items };
}

async function* jsonRows(rows: RowsBody): AsyncGenerator<Uint8Array> {
  const header = JSON.stringify(rows.header).slice(0, -1);
  const start = `${header}${header === '{' ? '' : ','}${JSON.stringify(rows.member)}:[`;
  const text = new TextPieces(start);
  let separator = '';
  for await (const batch of batches(rows.items)) {
    for (const item of batch) {
      text.add(separator + JSON.stringify(item ?? null));
      separator = ',';
    }
    if (text.isLarge) yield text.take();
  }
  text.add(']}');
  yield text.take();
}

/** The last line tells the client that nothing was cut off. */
async function* ndjsonRows(rows: RowsBody): AsyncGenerator<Uint8Array> {
  const text = new TextPieces(`${JSON.stringify(rows.header)}\n`);
  let count = 0;
  for await (const batch of batches(rows.items)) {
    for (const item of batch) text.add(`${JSON.stringify(item ?? null)}\n`);
    count += batch.length;
    if (text.isLarge) yield text.take();
  }
  text.add(`{"end":true,"count":${count}}\n`);
  yield text.take();
}

/** In msgpack, the length of an array precedes its items, so they are packed first. */
async function* msgpackRows(rows: RowsBody): AsyncGenerator<Uint8Array> {
  const packed: Buffer[] = [];
  let count = 0;
  for await (const batch of batches(rows.items)) {
    packed.push(Buffer.concat(batch.map((item) => packr.pack(item))));
    count += batch.length;
  }
  const members = Object.entries(rows.header).filter(([, value]) => value !== undefined);
  const head = members.flatMap(([name, value]) => [packr.pack(name), packr.pack(value)]);
  const list = [packr.pack(rows.member), msgpackArrayHead(count)];
  yield Buffer.concat([msgpackMapHead(members.length + 1), ...head, ...list]);
  yield* packed;
}

export function msgpackMapHead(count: number): Buffer {
  const head = Buffer.alloc(3, 0xde);
  head.writeUInt16BE(count, 1);
  return head;
}

export function msgpackArrayHead(count: number): Buffer {
  const head = Buffer.alloc(5, 0xdd);
  head.writeUInt32BE(count, 1);
  return head;
}

/** Joins text to pieces of some 64 KiB, because small ones cost many system calls. */
export class TextPieces {
  #text: string;

  constructor(start: string) {
    this.#text = start;
  }

  get isLarge(): boolean {
    return this.#text.length >= pieceLength;
  }

  add(text: string): void {
    this.#text += text;
  }

  take(): Buffer {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    return bytes;
  }
}

const batchLength = 64;
const turnMilliseconds = 4;

/** Yields items in batches, and lets other requests run every few milliseconds. */
export async function* batches(items: RowsBody['items']): AsyncGenerator<unknown[]> {
  let turnStarted = performance.now();
  const source = Symbol.iterator in items ? batched(items) : batchedAsync(items);
  for await (const batch of source) {
    yield batch;
    if (performance.now() - turnStarted < turnMilliseconds) continue;
    await new Promise<void>((resume) => void setImmediate(resume));
    turnStarted = performance.now();
  }
}

function* batched(items: Iterable<unknown>): Generator<unknown[]> {
  let batch: unknown[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* batchedAsync(items: AsyncIterable<unknown>): AsyncGenerator<unknown[]> {
  let batch: unknown[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
