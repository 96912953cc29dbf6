import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { readAll } from './body.ts';
import { sha256Hex } from './checksums.ts';
import { S3Server } from './server.ts';
import { signedHeaders } from './signature.ts';
import type { Credentials } from './signature.ts';

export interface RawRequest {
  readonly method: string;
  /** Key of the object in the bucket, encoded; the bucket itself when left out. */
  readonly key?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** The name of a host that has the bucket in it, for the other style of addresses. */
  readonly host?: string;
  readonly credentials?: Credentials;
  readonly region?: string;
  readonly now?: Date;
  /** Takes headers away, or changes them, after they were signed. */
  readonly tamper?: (headers: Record<string, string>) => void;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Code of an error; undefined for an answer without one. */
  readonly code: string | undefined;
}

/** A request that the SDK would not send. */
export async function sendRaw(server: S3Server, raw: RawRequest): Promise<RawAnswer> {
  const body = Buffer.from(raw.body ?? '');
  const { path, headers } = sign(server, raw, body);
  raw.tamper?.(headers);
  const url = raw.query === undefined ? path : `${path}?${raw.query}`;
  const { port } = new URL(server.endpoint);
  const sent = request({ host: '127.0.0.1', port, method: raw.method, path: url, headers });
  sent.end(body);
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await readAll(incoming)).toString();
  const code = /<Error><Code>(\w+)</.exec(text)?.[1];
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, code };
}

function sign(
  server: S3Server,
  raw: RawRequest,
  body: Buffer,
): { path: string; headers: Record<string, string> } {
  const { credentials } = S3Server;
  const object = raw.key === undefined ? '' : `/${raw.key}`;
  const path = raw.host === undefined ? `/bucket${object}` : object || '/';
  const host = raw.host ?? new URL(server.endpoint).host;
  const plain = { host, 'x-amz-content-sha256': sha256Hex(body), ...raw.headers };
  const asked = { method: raw.method, path, query: raw.query ?? '', headers: plain };
  const facts = { credentials, region: 'us-east-1', now: new Date(), ...raw };
  return { path, headers: signedHeaders(asked, facts) };
}
