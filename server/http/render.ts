import type { StoredAnswer } from '../model/idempotency.ts';
import { compress, compressFromBytes, compressPieces, isCompressible } from './compress.ts';
import { matchesTag } from './conditional.ts';
import { encodeLists } from './encode-lists.ts';
import { encodeRows, encodeValue } from './encode.ts';
import type { Encoded } from './encode.ts';
import { negotiateEncoding } from './negotiate.ts';
import type { Negotiated } from './negotiate.ts';
import type { Host, Reply } from './route.ts';
import type { Outgoing } from './send.ts';

/** Facts beside the reply that the head of an answer depends on. */
export interface RenderContext {
  readonly method: string;
  readonly host: Host;
  readonly requestId: string;
  readonly hasScope: boolean;
  readonly headers: ReadonlyMap<string, string>;
  /** Value of the header `RateLimit`. */
  readonly rateLimit: string | undefined;
  readonly closesConnection: boolean;
}

/** The bytes of a reply before compression. */
export function encodeReply(reply: Reply, negotiated: Negotiated): Encoded | undefined {
  if (reply.rows !== undefined) return encodeRows(reply.rows, negotiated);
  if (reply.lists !== undefined) return encodeLists(reply.lists, negotiated);
  if (reply.stream !== undefined) return { pieces: reply.stream, type: typeOf(reply) };
  if (typeof reply.bytes === 'string') {
    return { whole: Buffer.from(reply.bytes), type: typeOf(reply) };
  }
  if (reply.bytes !== undefined) {
    const { buffer, byteOffset, byteLength } = reply.bytes;
    return { whole: Buffer.from(buffer, byteOffset, byteLength), type: typeOf(reply) };
  }
  if (reply.value === undefined) return undefined;
  const encoded = encodeValue(reply.value, negotiated);
  const override = negotiated.representation === 'json' ? reply.type : undefined;
  return override === undefined ? encoded : { ...encoded, type: override };
}

function typeOf(reply: Reply): string {
  if (reply.type === undefined) throw new Error('a reply of ready bytes needs its type');
  return reply.type;
}

/** An answer as stored under its Idempotency-Key. */
export function storable(reply: Reply, encoded: Encoded | undefined): StoredAnswer {
  if (encoded !== undefined && 'pieces' in encoded) throw new Error('a stream cannot be kept');
  const tag = reply.etag === undefined ? {} : { ETag: `"${reply.etag}"` };
  const headers = { ...reply.headers, ...tag, ...(encoded && { 'Content-Type': encoded.type }) };
  return { status: reply.status ?? 200, headers, body: encoded?.whole ?? noBytes };
}

const noBytes = Buffer.alloc(0);

export function encodeStored(answer: StoredAnswer): Encoded {
  const type = answer.headers['Content-Type'] ?? 'application/json';
  return { whole: Buffer.from(answer.body), type };
}

/** Finishes an answer: conditional requests, compression, and the headers of every answer. */
export async function finish(
  reply: Reply,
  encoded: Encoded | undefined,
  context: RenderContext,
): Promise<Outgoing> {
  const status = reply.status ?? (encoded === undefined ? 204 : 200);
  const isGet = context.method === 'GET' || context.method === 'HEAD';
  const headers: [string, string][] = standingHeaders(reply, context);
  if (reply.etag !== undefined) headers.push(['ETag', `"${reply.etag}"`]);
  const seq = positionOf(reply.etag);
  if (seq !== undefined) headers.push(['Quire-Seq', seq]);
  const headOnly = context.method === 'HEAD';
  const base = { headOnly, closesConnection: context.closesConnection };
  const unchanged =
    isGet &&
    status === 200 &&
    reply.etag !== undefined &&
    matchesTag(context.headers.get('if-none-match'), reply.etag);
  if (unchanged) return { ...base, status: 304, headers, body: undefined };
  headers.push(...ownHeaders(reply));
  if (encoded === undefined) return { ...base, status, headers, body: undefined };
  headers.push(['Content-Type', encoded.type]);
  const body = await pack(encoded, context, headers);
  return { ...base, status, headers, body };
}

async function pack(
  encoded: Encoded,
  context: RenderContext,
  headers: [string, string][],
): Promise<Buffer | AsyncIterable<Uint8Array>> {
  const pieces = 'pieces' in encoded ? encoded.pieces : undefined;
  const isSmall = 'whole' in encoded && encoded.whole.length <= compressFromBytes;
  const encoding = negotiateEncoding(context.headers.get('accept-encoding'));
  if (encoding === undefined || isSmall || !isCompressible(encoded.type)) {
    return 'whole' in encoded ? encoded.whole : encoded.pieces;
  }
  headers.push(['Content-Encoding', encoding]);
  if (pieces !== undefined) return compressPieces(pieces, encoding);
  return 'whole' in encoded ? compress(encoded.whole, encoding) : encoded.pieces;
}

/**
 * Returns the position that an answer shows, from an entity tag such as `main@42` or `main@42:…`.
 */
function positionOf(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : /@(\d{1,15})(?::[\w-]*)?$/u.exec(tag)?.[1];
}

const apiPolicy = "default-src 'none'; frame-ancestors 'none'";
const exposed =
  'ETag, Quire-Seq, Link, Location, Content-Disposition, Dropped, Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, WWW-Authenticate, Idempotency-Replayed, Preference-Applied';

function standingHeaders(reply: Reply, context: RenderContext): [string, string][] {
  const own = reply.headers ?? {};
  const cache = reply.cacheControl ?? (context.hasScope ? 'private, no-cache' : 'no-store');
  const headers: [string, string][] = [
    ['X-Request-Id', context.requestId],
    ['Cache-Control', cache],
    ['Vary', 'Accept, Accept-Encoding'],
    ['X-Content-Type-Options', 'nosniff'],
  ];
  if (own['Referrer-Policy'] === undefined) headers.push(['Referrer-Policy', 'no-referrer']);
  if (context.rateLimit !== undefined && own['RateLimit'] === undefined) {
    headers.push(['RateLimit', context.rateLimit]);
  }
  if (own['Content-Security-Policy'] === undefined) {
    headers.push(['Content-Security-Policy', apiPolicy]);
  }
  // The site uses cookies, so other origins are not allowed; bearer keys are always sent on
  // purpose.
  if (context.host !== 'site') headers.push(['Access-Control-Allow-Origin', '*']);
  if (context.host !== 'site' && context.headers.has('origin')) {
    headers.push(['Access-Control-Expose-Headers', exposed]);
  }
  return headers;
}

const outsideHeader = /[^\x20-\x7e]/g;

function ownHeaders({ headers = {}, cookies = [] }: Reply): [string, string][] {
  const given = Object.entries(headers).map(([name, value]) => [name, value] as const);
  const set = cookies.map((cookie) => ['Set-Cookie', cookie] as const);
  return [...given, ...set].map(([name, value]) => [name, printable(value)]);
}

/** A line break in a value would allow its author to add headers. */
function printable(value: string): string {
  return value.replace(outsideHeader, '?');
}
