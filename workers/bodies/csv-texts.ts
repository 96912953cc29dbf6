import { Failure } from '../../server/model/failure.ts';
import { decodeCsv } from '../files/csv-dialect.ts';
import { FileProblem } from '../files/file-problem.ts';
import { freeBytes } from '../freed-bytes.ts';
import type { ByteFeed } from './byte-feed.ts';

/** Text of a CSV in pieces, and the delimiter that its first line declares. */
export interface CsvText {
  readonly pieces: Iterable<string>;
  readonly declaredDelimiter?: string;
}

/** Returns the text as one piece; its encoding is found from all of it. */
export function wholeText(feed: ByteFeed): CsvText {
  const { text, ...declared } = decoded(Buffer.concat([...feed.blocks()]));
  return { pieces: [text], ...declared };
}

const sampleBytes = 1024 * 1024;

/** Returns a text too long for memory in pieces; its beginning decides whether it is UTF-8. */
export function longTexts(feed: ByteFeed): CsvText {
  const sample: Buffer[] = [];
  let byteCount = 0;
  for (let block = feed.next(); block; block = feed.next()) {
    sample.push(block);
    byteCount += block.length;
    if (byteCount >= sampleBytes) break;
  }
  const decoder = new TextDecoder(encodingOf(sample), { fatal: true });
  const first = decodedBy(decoder, Buffer.concat(sample));
  for (const block of sample) freeBytes(block);
  const declared = /^sep=(.)\r?\n/i.exec(first);
  const pieces = (function* () {
    yield declared ? first.slice(declared[0].length) : first;
    for (const block of feed.blocks()) {
      const text = decodedBy(decoder, block);
      freeBytes(block);
      yield text;
    }
    yield decodedBy(decoder);
  })();
  return { pieces, ...(declared?.[1] !== undefined && { declaredDelimiter: declared[1] }) };
}

function encodingOf([first]: readonly Buffer[]): string {
  const mark = first?.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return 'utf-16le';
  return mark === 'feff' ? 'utf-16be' : 'utf-8';
}

function decodedBy(decoder: InstanceType<typeof TextDecoder>, bytes?: Buffer): string {
  let text: string;
  try {
    text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch (cause) {
    throw new Failure('invalidFile', {
      detail: 'The CSV is not UTF-8 all through.',
      hint: 'Send a CSV of more than 64 MiB as UTF-8, or as UTF-16 with its mark.',
      cause,
    });
  }
  if (!text.includes('\0')) return text;
  throw new Failure('invalidFile', {
    detail: 'The file is not text.',
    hint: 'Send text in UTF-8 or UTF-16.',
  });
}

function decoded(bytes: Buffer): { text: string; declaredDelimiter?: string } {
  try {
    return decodeCsv(bytes);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const { message: detail, hint } = error;
    throw new Failure('invalidFile', { detail, hint, cause: error });
  }
}
