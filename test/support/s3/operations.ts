import type { Bucket, StoredObject } from './bucket.ts';
import { checkRead } from './bucket.ts';
import type { S3Body } from './body.ts';
import { checkBody } from './checksums.ts';
import type { Fault } from './faults.ts';
import { listObjects } from './listing.ts';
import type { S3Request } from './request.ts';
import { S3Error } from './s3-error.ts';
import { unescapeXml, xmlDocument } from './xml.ts';

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export interface Setting {
  readonly bucket: Bucket;
  readonly body: S3Body;
  readonly now: Date;
  readonly pageSizeMost: number;
  readonly knowsRanges: boolean;
  readonly fault: Fault | undefined;
}

const deletesMost = 1000;
const metadataBytesMost = 2048;

export function perform(request: S3Request, setting: Setting): S3Answer {
  const { bucket } = setting;
  switch (request.operation) {
    case 'put':
      return put(request, setting);
    case 'get':
    case 'getRange':
    case 'head':
      return read(request, bucket.get(request.key), setting.knowsRanges);
    case 'delete':
      bucket.delete(request.key);
      return { status: 204 };
    case 'deleteMany':
      return deleteMany(request, setting);
    case 'list':
      return xml(list(request, setting));
  }
}

function list(request: S3Request, { bucket, pageSizeMost, fault }: Setting): string {
  const parameters = new URLSearchParams(request.parameters);
  if (fault?.kind === 'firstPage') parameters.delete('start-after');
  return listObjects(bucket, parameters, {
    bucketName: request.bucketName,
    pageSizeMost,
    changesBehind: fault?.kind === 'staleList' ? fault.changes : 0,
    emptyPage: fault?.kind === 'emptyPage',
  });
}

function put(request: S3Request, { bucket, body, now }: Setting): S3Answer {
  const { headers, key, conditions } = request;
  if (headers['x-amz-copy-source'] !== undefined) {
    throw new S3Error(501, 'NotImplemented', 'this server does not copy');
  }
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw new S3Error(411, 'MissingContentLength', 'You must provide the Content-Length.');
  }
  const checksum = checkBody(body.bytes, headers, body.trailers);
  const kept = keptHeaders(headers);
  const stored = bucket.put(key, { bytes: body.bytes, checksum, headers: kept, now }, conditions);
  const sum = checksum === undefined ? {} : { [checksum.header]: checksum.value };
  return { status: 200, headers: { etag: stored.etag, ...sum } };
}

function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => name === 'content-type' || name.startsWith('x-amz-meta-'),
  );
  const size = kept.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > metadataBytesMost) {
    throw new S3Error(400, 'MetadataTooLarge', 'Your metadata headers exceed the maximum.');
  }
  return Object.fromEntries(kept);
}

function read(request: S3Request, stored: StoredObject, knowsRanges: boolean): S3Answer {
  const common = {
    etag: stored.etag,
    'last-modified': stored.modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
    ...stored.headers,
  };
  if (checkRead(stored, request.conditions) === 'same') return { status: 304, headers: common };
  const asked = knowsRanges ? request.headers['range'] : undefined;
  const range = readRange(asked, stored.bytes.length);
  if (range !== undefined) {
    const [start, end] = range;
    const total = stored.bytes.length;
    const headers = { ...common, 'content-range': `bytes ${start}-${end - 1}/${total}` };
    return { status: 206, headers, body: stored.bytes.subarray(start, end) };
  }
  const isSumAsked = request.headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED';
  const { checksum } = stored;
  const sum = isSumAsked && checksum !== undefined ? { [checksum.header]: checksum.value } : {};
  return { status: 200, headers: { ...common, ...sum }, body: stored.bytes };
}

/** Start and end of a single range; as S3 does, several or unreadable ones are ignored. */
function readRange(header: string | undefined, size: number): [number, number] | undefined {
  const [whole, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (whole === undefined || whole === 'bytes=-') return undefined;
  if (first === '') return satisfiable(Math.max(0, size - Number(last)), size, size);
  if (last === '') return satisfiable(Number(first), size, size);
  if (Number(last) < Number(first)) return undefined;
  return satisfiable(Number(first), Math.min(size, Number(last) + 1), size);
}

function satisfiable(start: number, end: number, size: number): [number, number] {
  if (start < end) return [start, end];
  const message = 'The requested range is not satisfiable';
  throw new S3Error(416, 'InvalidRange', message, { ActualObjectSize: String(size) });
}

function deleteMany(request: S3Request, { bucket, body, fault }: Setting): S3Answer {
  const { headers } = request;
  const checksum = checkBody(body.bytes, headers, body.trailers);
  if (checksum === undefined && headers['content-md5'] === undefined) {
    const message = 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*';
    throw new S3Error(400, 'InvalidRequest', message);
  }
  const text = body.bytes.toString();
  const keys = [...text.matchAll(/<Object>.*?<Key>([^<]*)<\/Key>.*?<\/Object>/gs)].map((match) =>
    unescapeXml(match[1] ?? ''),
  );
  if (keys.length === 0 || keys.length > deletesMost) {
    throw new S3Error(400, 'MalformedXML', 'The XML you provided was not well-formed');
  }
  const isQuiet = /<Quiet>true<\/Quiet>/i.test(text);
  const failing = (index: number): boolean => fault?.kind === 'partialDelete' && index % 2 === 0;
  const deleted = keys.filter((_, index) => !failing(index));
  for (const key of deleted) bucket.delete(key);
  const errors = keys
    .filter((_, index) => failing(index))
    .map((Key) => ({ Key, Code: 'InternalError', Message: 'We encountered an internal error.' }));
  const shown = isQuiet ? [] : deleted.map((Key) => ({ Key }));
  return xml(xmlDocument('DeleteResult', { Deleted: shown, Error: errors }));
}

function xml(body: string): S3Answer {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}
