import { createHmac, timingSafeEqual } from 'node:crypto';
import { S3Error } from './s3-error.ts';
import { sha256Hex } from './checksums.ts';

/** Signature version 4 in the Authorization header, as S3 takes it. */

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface SignedRequest {
  readonly method: string;
  /** As sent: S3 signs the path once encoded, unlike other services. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Expectation {
  readonly credentials: Credentials;
  readonly region: string;
  readonly nowMilliseconds: number;
}

const algorithm = 'AWS4-HMAC-SHA256';
const skewMostMilliseconds = 15 * 60 * 1000;
const authorization =
  /^AWS4-HMAC-SHA256 +Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, *SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})$/;

export function verifySignature(request: SignedRequest, expected: Expectation): void {
  const { headers } = request;
  if (headers['authorization'] === undefined) {
    throw new S3Error(403, 'AccessDenied', 'Access Denied');
  }
  const match = authorization.exec(headers['authorization']);
  if (match === null) {
    throw new S3Error(
      400,
      'AuthorizationHeaderMalformed',
      'The authorization header is malformed.',
    );
  }
  const [, accessKeyId = '', day = '', region = '', service = '', names = '', given = ''] = match;
  if (accessKeyId !== expected.credentials.accessKeyId) {
    throw new S3Error(403, 'InvalidAccessKeyId', 'The access key you provided does not exist.');
  }
  checkScope({ region, service, due: expected.region });
  const date = headers['x-amz-date'] ?? '';
  checkDate(date, day, expected.nowMilliseconds);
  const signedNames = names.split(';');
  checkSigned(headers, signedNames);
  const due = signatureOf(request, {
    credentials: expected.credentials,
    region,
    date,
    signedNames,
  });
  if (!timingSafeEqual(Buffer.from(due), Buffer.from(given))) {
    const message = 'The request signature we calculated does not match the one you provided.';
    throw new S3Error(403, 'SignatureDoesNotMatch', message);
  }
}

function checkScope({ region, service, due }: Record<'region' | 'service' | 'due', string>): void {
  if (service !== 's3') {
    const message = 'The authorization header is malformed; the service must be "s3".';
    throw new S3Error(400, 'AuthorizationHeaderMalformed', message);
  }
  if (region === due) return;
  const message = `The authorization header is malformed; the region '${region}' is wrong`;
  throw new S3Error(400, 'AuthorizationHeaderMalformed', message, { Region: due });
}

function checkDate(date: string, day: string, nowMilliseconds: number): void {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date);
  if (parts === null || !date.startsWith(day)) {
    throw new S3Error(403, 'AccessDenied', 'AWS authentication requires a valid x-amz-date header');
  }
  const [, year, month, dayOfMonth, hour, minute, second] = parts.map(Number);
  const sent = Date.UTC(year ?? 0, (month ?? 1) - 1, dayOfMonth, hour, minute, second);
  if (Math.abs(sent - nowMilliseconds) <= skewMostMilliseconds) return;
  const message = "The difference between the request time and the server's time is too large.";
  throw new S3Error(403, 'RequestTimeTooSkewed', message, {
    RequestTime: date,
    ServerTime: new Date(nowMilliseconds).toISOString(),
    MaxAllowedSkewMilliseconds: String(skewMostMilliseconds),
  });
}

function checkSigned(
  headers: Readonly<Record<string, string>>,
  signedNames: readonly string[],
): void {
  const needed = Object.keys(headers).filter(
    (name) => name === 'host' || name === 'content-md5' || name.startsWith('x-amz-'),
  );
  const unsigned = needed.filter((name) => !signedNames.includes(name));
  if (unsigned.length > 0) {
    const message = 'There were headers present in the request which were not signed';
    throw new S3Error(403, 'AccessDenied', message, { HeadersNotSigned: unsigned.join(', ') });
  }
}

interface SigningFacts {
  readonly credentials: Credentials;
  readonly region: string;
  readonly date: string;
  readonly signedNames: readonly string[];
}

export function signatureOf(request: SignedRequest, facts: SigningFacts): string {
  const { credentials, region, date, signedNames } = facts;
  const day = date.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = [algorithm, date, scope, sha256Hex(canonicalRequest(request, signedNames))];
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(
    (previous, part) => hmac(previous, part),
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  );
  return hmac(key, toSign.join('\n')).toString('hex');
}

/** The headers that make a request valid: for clients of the tests that are not the SDK. */
export function signedHeaders(
  request: SignedRequest,
  { credentials, region, now }: { credentials: Credentials; region: string; now: Date },
): Record<string, string> {
  const date = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = { ...request.headers, 'x-amz-date': date };
  const signedNames = Object.keys(headers).toSorted();
  const facts = { credentials, region, date, signedNames };
  const signature = signatureOf({ ...request, headers }, facts);
  const credential = `${credentials.accessKeyId}/${date.slice(0, 8)}/${region}/s3/aws4_request`;
  headers['authorization'] =
    `${algorithm} Credential=${credential}, SignedHeaders=${signedNames.join(';')}, Signature=${signature}`;
  return headers;
}

function canonicalRequest(request: SignedRequest, signedNames: readonly string[]): string {
  const { method, path, query, headers } = request;
  const lines = signedNames.map((name) => {
    return `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`;
  });
  const payload = headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD';
  const parts = [method, path, canonicalQuery(query), lines.join(''), signedNames.join(';')];
  return [...parts, payload].join('\n');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')].map((text) => encode(decodeURIComponent(text))).join('=');
    })
    .sort((left, right) => (left < right ? -1 : 1))
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
