import type { Bucket } from './bucket.ts';
import { S3Error } from './s3-error.ts';
import { xmlDocument, type XmlElement } from './xml.ts';

export interface ListOptions {
  readonly bucketName: string;
  /** The server gives no more a page, whatever is asked for. */
  readonly pageSizeMost: number;
  readonly changesBehind: number;
  /** A page without keys that says there are more, which S3 is free to answer. */
  readonly emptyPage: boolean;
}

const pageSizeDefault = 1000;
const tokenMark = 'after:';

interface Page {
  readonly keys: readonly string[];
  readonly commonPrefixes: readonly string[];
  /** Where the next page begins, if there is one. */
  readonly next: string | undefined;
}

/** ListObjectsV2. */
export function listObjects(bucket: Bucket, query: URLSearchParams, options: ListOptions): string {
  if (query.get('list-type') !== '2') {
    throw new S3Error(501, 'NotImplemented', 'this server knows list-type=2 only');
  }
  const asked = readMaxKeys(query.get('max-keys'));
  const token = query.get('continuation-token');
  const after = token === null ? (query.get('start-after') ?? '') : readToken(token);
  const found = bucket
    .keys(options.changesBehind)
    .filter((key) => key.startsWith(query.get('prefix') ?? '') && isAfter(key, after));
  const page = options.emptyPage
    ? { keys: [], commonPrefixes: [], next: after }
    : takePage(found, query, Math.min(asked, options.pageSizeMost));
  return render(bucket, query, { page, asked, bucketName: options.bucketName });
}

function takePage(found: readonly string[], query: URLSearchParams, size: number): Page {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const keys: string[] = [];
  const commonPrefixes = new Set<string>();
  let last: string | undefined;
  for (const key of found) {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const common = end < 0 ? undefined : key.slice(0, end + delimiter.length);
    const isNew = common === undefined || !commonPrefixes.has(common);
    if (isNew && keys.length + commonPrefixes.size >= size) {
      return { keys, commonPrefixes: [...commonPrefixes], next: last };
    }
    if (common === undefined) keys.push(key);
    else commonPrefixes.add(common);
    last = key;
  }
  return { keys, commonPrefixes: [...commonPrefixes], next: undefined };
}

interface Rendering {
  readonly page: Page;
  readonly asked: number;
  readonly bucketName: string;
}

function render(bucket: Bucket, query: URLSearchParams, { page, ...rest }: Rendering): string {
  const encoded = query.get('encoding-type') === 'url';
  const name = (text: string): string => (encoded ? encodeURIComponent(text) : text);
  const contents = page.keys.map((key): XmlElement => {
    const stored = bucket.objects.get(key);
    return {
      Key: name(key),
      LastModified: (stored?.modifiedAt ?? new Date(0)).toISOString(),
      ETag: stored?.etag ?? '""',
      Size: stored?.bytes.length ?? 0,
      StorageClass: 'STANDARD',
    };
  });
  return xmlDocument('ListBucketResult', {
    Name: rest.bucketName,
    Prefix: name(query.get('prefix') ?? ''),
    Delimiter: query.get('delimiter') ?? undefined,
    StartAfter: query.has('start-after') ? name(query.get('start-after') ?? '') : undefined,
    ContinuationToken: query.get('continuation-token') ?? undefined,
    NextContinuationToken: page.next === undefined ? undefined : makeToken(page.next),
    KeyCount: page.keys.length + page.commonPrefixes.length,
    MaxKeys: rest.asked,
    EncodingType: encoded ? 'url' : undefined,
    IsTruncated: page.next !== undefined,
    Contents: contents,
    CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: name(prefix) })),
  });
}

function readMaxKeys(text: string | null): number {
  if (text === null) return pageSizeDefault;
  if (!/^\d{1,10}$/.test(text)) {
    const message = 'Provided max-keys not an integer or within integer range';
    throw new S3Error(400, 'InvalidArgument', message, { ArgumentName: 'max-keys' });
  }
  return Math.min(Number(text), pageSizeDefault);
}

function makeToken(after: string): string {
  return Buffer.from(tokenMark + after).toString('base64');
}

function readToken(token: string): string {
  const text = Buffer.from(token, 'base64').toString();
  if (text.startsWith(tokenMark)) return text.slice(tokenMark.length);
  const message = 'The continuation token provided is incorrect';
  throw new S3Error(400, 'InvalidArgument', message, { ArgumentName: 'continuation-token' });
}

function isAfter(key: string, after: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0;
}
