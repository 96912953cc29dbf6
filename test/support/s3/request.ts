import type { IncomingMessage } from 'node:http';
import type { Conditions } from './bucket.ts';
import type { S3Operation } from './faults.ts';
import { S3Error } from './s3-error.ts';

/** Request for S3, before its body is read. */
export interface S3Request {
  readonly operation: S3Operation;
  readonly method: string;
  readonly bucketName: string;
  /** Empty for requests of the bucket. */
  readonly key: string;
  /** As sent. */
  readonly path: string;
  readonly query: string;
  readonly parameters: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly conditions: Conditions;
}

const keyBytesMost = 1024;

/** `domain`: below it, the bucket is in the name of the host; else it is the first of the path. */
export function readRequest(incoming: IncomingMessage, domain: string): S3Request {
  const [path = '/', query = ''] = (incoming.url ?? '/').split(/\?(.*)/s);
  const headers = plainHeaders(incoming);
  const { bucketName, key } = readAddress(path, headers['host'] ?? '', domain);
  if (Buffer.byteLength(key) > keyBytesMost) {
    throw new S3Error(400, 'KeyTooLongError', 'Your key is too long');
  }
  const method = incoming.method ?? '';
  // In the queries of S3 a plus is a plus.
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  const conditions = { ifNoneMatch: headers['if-none-match'], ifMatch: headers['if-match'] };
  const found = readOperation(method, key, parameters);
  const operation = found === 'get' && headers['range'] !== undefined ? 'getRange' : found;
  return { operation, method, bucketName, key, path, query, parameters, headers, conditions };
}

function plainHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = Array.isArray(value) ? value.join(',') : (value ?? '');
  }
  return headers;
}

function readAddress(
  path: string,
  host: string,
  domain: string,
): { bucketName: string; key: string } {
  const name = host.replace(/:\d+$/, '');
  const whole = decode(path.slice(1));
  if (name.endsWith(`.${domain}`)) {
    return { bucketName: name.slice(0, -domain.length - 1), key: whole };
  }
  const slash = whole.indexOf('/');
  if (slash < 0) return { bucketName: whole, key: '' };
  return { bucketName: whole.slice(0, slash), key: whole.slice(slash + 1) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error(400, 'InvalidURI', "Couldn't parse the specified URI.");
  }
}

function readOperation(method: string, key: string, parameters: URLSearchParams): S3Operation {
  if (key === '') {
    if (method === 'GET') return 'list';
    if (method === 'POST' && parameters.has('delete')) return 'deleteMany';
    throw notAllowed(method);
  }
  const ofObjects = { PUT: 'put', GET: 'get', HEAD: 'head', DELETE: 'delete' } as const;
  const known = Object.entries(ofObjects).find(([name]) => name === method);
  if (known === undefined) throw notAllowed(method);
  const odd = [...parameters.keys()].find((name) => name !== 'x-id');
  if (odd !== undefined) throw new S3Error(501, 'NotImplemented', `this server has no ?${odd}`);
  return known[1];
}

function notAllowed(method: string): S3Error {
  const message = 'The specified method is not allowed against this resource.';
  return new S3Error(405, 'MethodNotAllowed', message, { Method: method });
}
