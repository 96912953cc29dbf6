import { readSegment, SegmentWriter } from '../../server/branches/segment.ts';
import { parseOpening, type Opening } from '../../server/tlog/leaf/commitment.ts';
import { parseProofFile } from '../../server/tlog/note/proof-file.ts';

/**
 * An attacker with proof files of a workbook, who knows the form of records and guesses a value.
 */

const digits = /^[0-9]+$/;

export function openingOf(proof: string | null | undefined): Opening | undefined {
  const { extra } = parseProofFile(proof ?? '');
  return extra && parseOpening(extra);
}

/**
 * Returns the number that gives the record the hash in a file, or undefined. `body` is the segment,
 * of which the attacker knows all but the number in its payload.
 */
export function guessNumber(
  files: { readonly before: string | undefined; readonly own: string },
  body: Uint8Array,
  range: { readonly from: number; readonly to: number },
): number | undefined {
  const shown = openingOf(files.own)?.statement;
  const before = files.before === undefined ? undefined : openingOf(files.before)?.statement.chain;
  if (!shown) return undefined;
  const previous = Buffer.from(before ?? new Uint8Array(32));
  const [record] = readSegment(body, previous).records;
  if (!record) throw new Error('the segment is empty');
  for (let guess = range.from; guess <= range.to; guess++) {
    const writer = new SegmentWriter(record.seq, previous);
    writer.append({
      ...record,
      payload: withNumber(record.payload, guess),
      resolved: withNumber(record.resolved, guess) as typeof record.resolved,
      at: shown.timeMilliseconds,
    });
    if (writer.hash.equals(Buffer.from(shown.chain))) return guess;
    if (shown.state && writer.hash.equals(Buffer.from(shown.state))) return guess;
  }
  return undefined;
}

/** Returns a copy in which the one number of five digits is replaced. */
function withNumber(value: unknown, guess: number): unknown {
  if (typeof value === 'number' && value >= 40_000 && value <= 99_999) return guess;
  if (typeof value === 'string' && digits.test(value) && value.length === 5) return String(guess);
  if (Array.isArray(value)) return value.map((item: unknown) => withNumber(item, guess));
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  const members = Object.entries(value).map(([name, item]) => [name, withNumber(item, guess)]);
  return Object.fromEntries(members);
}
