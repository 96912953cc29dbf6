import type { HttpRequest, HttpResponse } from 'uWebSockets.js';

import { Failure } from '../model/failure.ts';
import { clientAddress } from './client-address.ts';

/** Headers that mean something different, or nothing, when they come twice. */
const singleHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'content-length',
  'host',
  'idempotency-key',
  'if-match',
]);

/** The head of a request, copied out while uWebSockets.js still allows it. */
export interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly queryText: string;
  readonly headers: ReadonlyMap<string, string>;
  /** The header that was sent twice although it must not be. */
  readonly repeatedHeader: string | undefined;
  readonly address: string;
}

export function readIncoming(
  res: HttpResponse,
  req: HttpRequest,
  trustedProxies: ReadonlySet<string>,
): Incoming {
  const headers = new Map<string, string>();
  let repeatedHeader: string | undefined;
  req.forEach((name, value) => {
    const earlier = headers.get(name);
    if (earlier === undefined) headers.set(name, value);
    else if (singleHeaders.has(name)) repeatedHeader = name;
    else headers.set(name, `${earlier}, ${value}`);
  });
  return {
    method: req.getCaseSensitiveMethod().toUpperCase(),
    path: req.getUrl(),
    queryText: queryOf(req) ?? '',
    headers,
    repeatedHeader,
    address: clientAddress(
      addressText(res.getRemoteAddress()),
      headers.get('x-forwarded-for'),
      trustedProxies,
    ),
  };
}

/**
 * Returns whether all that read the request agree on where it ends: uWebSockets.js takes any
 * Transfer-Encoding for `chunked`, and a proxy before it may not.
 */
export function isPlainlyFramed(headers: ReadonlyMap<string, string>): boolean {
  return (headers.get('transfer-encoding') ?? 'chunked').toLowerCase() === 'chunked';
}

/** Returns whether a body follows the head. */
export function hasBody({ headers, method }: Pick<Incoming, 'headers' | 'method'>): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const length = headers.get('content-length');
  return headers.has('transfer-encoding') || (length !== undefined && length !== '0');
}

/** Returns undefined without a question mark, whatever the types of uWebSockets.js say. */
function queryOf(req: HttpRequest): string | undefined {
  return req.getQuery();
}

/** IPv4 and IPv4-in-IPv6 as dotted numbers, IPv6 as eight groups without compression. */
function addressText(address: ArrayBuffer): string {
  const view = new Uint8Array(address);
  if (view.length === 4) return `${view[0]}.${view[1]}.${view[2]}.${view[3]}`;
  const bytes = Buffer.from(address);
  const mapped = bytes.length === 16 && bytes.subarray(0, 12).equals(mappedPrefix);
  if (mapped) return bytes.subarray(-4).join('.');
  const groups: string[] = [];
  for (let offset = 0; offset + 1 < bytes.length; offset += 2) {
    groups.push(bytes.readUInt16BE(offset).toString(16));
  }
  return groups.join(':');
}

const mappedPrefix = Buffer.from('00000000000000000000ffff', 'hex');

/** The query as names with all their values. Percent escapes must be UTF-8; `+` is a space. */
export function readQuery(queryText: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  if (queryText === '') return query;
  for (const pair of queryText.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decodeText(pair.slice(equals + 1));
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

function decodeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  const decoded = decodeEscapes(spaced);
  if (!decoded.includes('\u0000')) return decoded;
  throw new Failure('invalidRequest', {
    detail: 'The query has the character U+0000, which no text may have.',
    hint: 'Take %00 out of the query.',
  });
}

function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Failure('invalidRequest', {
      detail: 'The query has a percent sign that is not followed by UTF-8 in hexadecimal.',
      cause,
    });
  }
}
