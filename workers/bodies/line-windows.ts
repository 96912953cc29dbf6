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

/** Rows or keys of a body that has one a line; some hundred kilobytes of it are held. */
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

/** Tells a fault in the JSON by its line of the whole body. */
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

/** Whole lines, as many as make a window. */
function* windows(feed: ByteFeed): Generator<Buffer, void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Bytes of the last line, which goes on. */
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
