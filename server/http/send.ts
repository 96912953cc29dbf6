import { Readable } from 'node:stream';

import type { HttpResponse } from 'uWebSockets.js';

import { answerLimits } from '../model/limits.ts';
import type { OpenAnswer } from './answers.ts';
import type { Reply } from './route.ts';

/** A finished answer. Header values have been checked; `body` is whole or comes in pieces. */
export interface Outgoing {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | AsyncIterable<Uint8Array> | undefined;
  /** HEAD: the head of what GET would have answered. */
  readonly headOnly: boolean;
  readonly closesConnection: boolean;
}

/** An answer that is ready to be sent, and its share of memory. */
export interface ReadyAnswer {
  readonly reply: Reply;
  readonly outgoing: Outgoing;
  readonly answer: OpenAnswer;
}

/** The connection of an exchange. Once it is aborted, the response must not be touched. */
export interface Connection {
  readonly res: HttpResponse;
  isAborted(): boolean;
  whenAborted(action: () => void): void;
}

/** Bytes sent at once; what the client does not take stays in a buffer of uWebSockets.js. */
const wholeBytesMost = 64 * 1024;

/** Writes the answer; resolves when the last byte is handed over or the client has gone. */
export async function send(
  connection: Connection,
  outgoing: Outgoing,
  answer: OpenAnswer,
): Promise<void> {
  if (connection.isAborted()) return;
  const { body, closesConnection } = outgoing;
  if (body === undefined || outgoing.headOnly) {
    sendHead(connection, outgoing);
  } else if (!Buffer.isBuffer(body)) {
    await sendPieces(connection, { outgoing, answer }, body);
  } else if (body.length <= wholeBytesMost) {
    connection.res.cork(() => {
      writeHead(connection.res, outgoing);
      connection.res.end(body, closesConnection);
    });
  } else {
    await sendLarge(connection, { outgoing, answer }, body);
  }
}

/** Bytes that an answer holds until it is sent; small ones fit the buffer of the socket. */
export function weightOf({ cells = 0 }: Reply, { body, headOnly }: Outgoing): number {
  if (body === undefined || headOnly) return 0;
  if (Buffer.isBuffer(body)) return body.length <= wholeBytesMost ? 0 : body.length;
  return wholeBytesMost + cells * answerLimits.bytesPerCell;
}

/** Closes the stream of an answer, even if nothing of it was sent. */
export async function letGo({ body }: Outgoing): Promise<void> {
  if (body === undefined || Buffer.isBuffer(body)) return;
  // An iterator of a stream that was not begun would leave the stream as it is.
  if (body instanceof Readable) body.destroy();
  else await body[Symbol.asyncIterator]().return?.();
}

function writeHead(res: HttpResponse, outgoing: Outgoing): void {
  res.writeStatus(`${outgoing.status} ${reasons[outgoing.status] ?? 'Status'}`);
  for (const [name, value] of outgoing.headers) res.writeHeader(name, value);
}

function sendHead({ res }: Connection, outgoing: Outgoing): void {
  const { body, status, closesConnection } = outgoing;
  res.cork(() => {
    writeHead(res, outgoing);
    if (Buffer.isBuffer(body)) res.endWithoutBody(body.length, closesConnection);
    // Called with undefined, it would announce a random length.
    else if (status === 204 || status === 304 || outgoing.headOnly) res.endWithoutBody();
    else res.endWithoutBody(0, closesConnection);
  });
}

interface Sending {
  readonly outgoing: Outgoing;
  readonly answer: OpenAnswer;
}

/** Sends as much as the socket's buffer takes, and the rest when there is room. */
function sendLarge(
  connection: Connection,
  { outgoing, answer }: Sending,
  body: Buffer,
): Promise<void> {
  const { res } = connection;
  let sentBytes = 0;
  return new Promise((resolve) => {
    connection.whenAborted(resolve);
    res.onWritable((offset) => {
      answer.moved(offset - sentBytes);
      sentBytes = offset;
      const [ok, done] = res.tryEnd(body.subarray(offset), body.length);
      if (done) resolve();
      return ok;
    });
    res.cork(() => {
      writeHead(res, outgoing);
      const [, done] = res.tryEnd(body, body.length);
      if (done) resolve();
      else answer.wait();
    });
  });
}

async function sendPieces(
  connection: Connection,
  { outgoing, answer }: Sending,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { res } = connection;
  let drained: (() => void) | undefined;
  const wakeUp = (): boolean => {
    drained?.();
    return true;
  };
  res.onWritable(wakeUp);
  connection.whenAborted(wakeUp);
  let headSent = false;
  for await (const piece of pieces) {
    if (connection.isAborted()) return;
    const hasRoom = writePiece(res, piece, headSent ? undefined : outgoing);
    headSent = true;
    if (hasRoom) continue;
    answer.wait();
    await new Promise<void>((resume) => (drained = resume));
    answer.resume();
    if (connection.isAborted()) return;
  }
  if (connection.isAborted()) return;
  res.cork(() => {
    if (!headSent) writeHead(res, outgoing);
    res.end(undefined, outgoing.closesConnection);
  });
}

/** Writes a piece; returns false when it waits in a buffer that should drain first. */
function writePiece(res: HttpResponse, piece: Uint8Array, head: Outgoing | undefined): boolean {
  const written: boolean[] = [];
  res.cork(() => {
    if (head !== undefined) writeHead(res, head);
    written.push(res.write(piece));
  });
  return written[0] === true;
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
