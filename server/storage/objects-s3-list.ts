import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';

/** Start of a page. */
export interface PageStart {
  /** The last key seen, as in the bucket. */
  readonly after: string | undefined;
  /** Needed only behind a page without keys. */
  readonly token: string | undefined;
  readonly emptyCount: number;
}

export interface Page {
  readonly keys: readonly string[];
  readonly next: PageStart | undefined;
}

export const firstPage: PageStart = { after: undefined, token: undefined, emptyCount: 0 };

const emptyPagesMost = 1000;
/** Keys that S3 takes in one DeleteObjects. */
const batchSize = 1000;

/**
 * Reads a page. The next one begins after the last key instead of a token, because tokens expire.
 */
export function readPage(
  answer: ListObjectsV2CommandOutput,
  { prefix, start }: { prefix: string; start: PageStart },
): Page {
  const keys: string[] = [];
  let last = start.after ?? '';
  for (const { Key: key = '' } of answer.Contents ?? []) {
    if (!key.startsWith(prefix) || key <= last) throw new Error(`${key} is out of order`);
    keys.push(key);
    last = key;
  }
  return { keys, next: answer.IsTruncated === true ? nextStart(answer, start, keys) : undefined };
}

function nextStart(
  answer: ListObjectsV2CommandOutput,
  start: PageStart,
  keys: readonly string[],
): PageStart {
  const after = keys.at(-1);
  if (after !== undefined) return { after, token: undefined, emptyCount: 0 };
  const token = answer.NextContinuationToken;
  const emptyCount = start.emptyCount + 1;
  if (token === undefined || emptyCount > emptyPagesMost) {
    throw new Error('the page has no keys and says that there are more');
  }
  return { after: start.after, token, emptyCount };
}

export async function* batches(keys: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
