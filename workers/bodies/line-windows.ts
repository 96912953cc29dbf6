import { Failure } from '../../server/model/failure.ts';
import { ownBytes } from '../../server/model/own-bytes.ts';
import type { RowsPart } from '../../server/model/row-writes.ts';
import { freeBytes } from '../freed-bytes.ts';
import { openBody } from './body-source.ts';
import type { ByteFeed } from './byte-feed.ts';
import { explainJson } from './json-scan.ts';
import { RowParts, type ListName } from './row-parts.ts';

const windowBytes = 512 * 1024;
const lineBytesMost = 8 * 1024 * 1024;

/** Yields rows or keys of a body with one on each line; some hundred kilobytes are in memory. */
export function* lineParts(feed: ByteFeed, name: ListName): Generator<RowsPart, void> {
  const parts = new RowParts(name);
  let lineCount = 0;
  for (const lines of windows(feed)) {
    const list = listOfLines(lines);
    yield* atLine(lineCount, list, () => {
      const source = openBody(list, 'json', 'cells');
      return parts.add(source, source.whole);
    });
    for (const byte of lines) if (byte === newline) lineCount++;
    freeBytes(lines);
    freeBytes(list);
  }
  yield* parts.finish();
}

/** Adds the line number in the whole body to a fault in the JSON. */
function* atLine(
  before: number,
  list: Buffer,
  read: () => Generator<RowsPart, void>,
): Generator<RowsPart, void> {
  try {
    yield* read();
  } catch (error) {
    const isJson = error instanceof Failure && error.key === 'invalidJson';
    if (!isJson || before === 0) throw error;
    explainJson('\n'.repeat(before) + list.toString('utf8'));
    throw error;
  }
}

/** Yields whole lines, some hundred kilobytes at a time. */
function* windows(feed: ByteFeed): Generator<Buffer, void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Bytes of the unfinished last line. */
  let lineBytes = 0;
  for (const block of feed.blocks()) {
    const end = block.lastIndexOf(newline) + 1;
    lineBytes = block.length - end + (end === 0 ? lineBytes : 0);
    if (lineBytes > lineBytesMost) throw longLine();
    if (heldBytes + block.length < windowBytes || end === 0) {
      held.push(block);
      heldBytes += block.length;
      continue;
    }
    const lines = Buffer.concat([...held, block.subarray(0, end)]);
    for (const before of held) freeBytes(before);
    held = [ownBytes(block.subarray(end))];
    heldBytes = block.length - end;
    freeBytes(block);
    yield lines;
  }
  yield Buffer.concat(held);
}

function longLine(): Failure {
  return new Failure('payloadTooLarge', {
    detail: `A line has more than ${lineBytesMost} bytes.`,
    hint: 'Send a row a line.',
    extra: { limitBytes: lineBytesMost },
  });
}

const newline = 0x0a;

/** Joins lines to a JSON list. The commas replace line breaks, so that line numbers stay right. */
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
