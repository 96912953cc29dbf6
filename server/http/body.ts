import { createGunzip } from 'node:zlib';
import type { HttpResponse } from 'uWebSockets.js';

import type { BodySpool, SpooledBody } from '../model/body-spool.ts';
import { Failure } from '../model/failure.ts';
import { limitReached } from '../model/limit-reached.ts';
import { bodyLimits } from '../model/limits.ts';
import type { HeldBytes, Overrun } from './byte-budget.ts';
import { ByteBlocks } from './byte-blocks.ts';
import { Spooling } from './spooling.ts';

/** The part of a uWebSockets.js response that a body needs. */
export type BodySource = Pick<HttpResponse, 'onData' | 'pause' | 'resume'>;

export interface BodyLimit {
  readonly bytes: number;
  /** Milliseconds for the whole body or, when it is spooled, for each stretch held in memory. */
  readonly deadlineMilliseconds: number;
  /** Set when a body may be spooled: bytes from which on it is. */
  readonly spooling?: { readonly spool: BodySpool; readonly fromBytes: number };
}

/** Bytes that are read before it is known whether the sender is allowed to send them. */
const unknownSenderBytes = 64 * 1024;
/** Smaller pieces come from slow lines; fast ones send few of them. */
const slowChunkBytes = 16 * 1024;
/** Bytes written to the spool at a time. */
const spilledAtOnce = 1024 * 1024;

const waitSeconds = 2;

/** A complete body. */
export type Received = ByteBlocks | Omit<SpooledBody, 'isPacked'>;

/**
 * The body of a request while it arrives. Must be made before the request handler of uWebSockets.js
 * returns. Bytes are counted as they arrive, because Content-Length may be wrong and chunked bodies
 * have none. Only a little is read before the rights of the sender are known.
 */
export class IncomingBody {
  /** Never rejects, because nobody may be listening yet: a failure is the result. */
  readonly received: Promise<Received | Failure>;
  readonly #source: BodySource;
  readonly #limit: BodyLimit;
  readonly #held: HeldBytes;
  #blocks = new ByteBlocks();
  #isAdmitted = false;
  #isPaused = false;
  /** True once there is a result; later bytes are dropped. */
  #isSettled = false;
  #isLastIn = false;
  #settle: (result: Received | Failure) => void = () => undefined;
  /** Starts the time limit of the next stretch. */
  #extend: () => void = () => undefined;
  #spooling: Spooling | undefined;
  #isSpilling = false;

  constructor(source: BodySource, limit: BodyLimit, held: HeldBytes) {
    this.#source = source;
    this.#limit = limit;
    this.#held = held;
    this.received = new Promise((resolve) => {
      const late = (): void => this.#settle(tooSlow(limit));
      let deadline = setTimeout(late, limit.deadlineMilliseconds);
      this.#extend = () => {
        clearTimeout(deadline);
        if (!this.#isSettled) deadline = setTimeout(late, limit.deadlineMilliseconds);
      };
      this.#settle = (result) => {
        clearTimeout(deadline);
        if (this.#isSettled) return;
        this.#isSettled = true;
        if (result instanceof Failure) this.#drop();
        resolve(result);
      };
    });
    source.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  /** Reads the rest, after the sender was admitted; it counts against the sender's share. */
  admit(key: string): void {
    this.#isAdmitted = true;
    this.#held.moveTo(key);
    if (this.#isDueToSpill && !this.#isSettled) this.#spill();
    else this.#resume();
  }

  /** Notes that the client is gone; the response must not be touched any more. */
  abort(): void {
    this.#isLastIn = true;
    this.#settle(new Failure('bodyTimeout', { detail: 'The client went away.' }));
  }

  /** Drops the rest of the body, so that the next request can follow. */
  discard(): void {
    if (!this.#isSettled) {
      this.#settle(new Failure('bodyTimeout', { detail: 'The body is not read.' }));
    }
    this.#resume();
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    this.#isLastIn ||= isLast;
    if (this.#isSettled) return;
    const refusal = this.#hold(chunk.byteLength);
    if (refusal) return this.#settle(refusal);
    this.#blocks.add(chunk);
    if (this.#isSpilling) return;
    if (this.#isDueToSpill || (isLast && this.#spooling)) this.#spill();
    else if (isLast) this.#settle(this.#blocks);
    else if (!this.#isAdmitted && this.#blocks.byteCount >= unknownSenderBytes) this.#pause();
    else if (chunk.byteLength < slowChunkBytes) this.#waitOn();
  }

  /** Counts more bytes; returns the failure when there are too many. */
  #hold(byteCount: number): Failure | undefined {
    const before = (this.#spooling?.spilledBytes ?? 0) + this.#blocks.byteCount;
    if (before + byteCount > this.#limit.bytes) return tooLarge(this.#limit.bytes);
    const overrun = this.#held.add(byteCount);
    return overrun === undefined ? undefined : noRoom(overrun);
  }

  get #isDueToSpill(): boolean {
    const { spooling } = this.#limit;
    if (!spooling) return false;
    const { byteCount } = this.#blocks;
    return byteCount > (this.#spooling ? spilledAtOnce : spooling.fromBytes);
  }

  /** Writes held bytes to the spool; nothing more is read meanwhile. */
  #spill(): void {
    const { spooling } = this.#limit;
    if (!spooling) return;
    // Bytes of a sender who was not admitted are never spooled.
    if (!this.#isAdmitted) return this.#isLastIn ? undefined : this.#pause();
    this.#spooling ??= new Spooling(spooling.spool, this.#held);
    this.#isSpilling = true;
    if (!this.#isLastIn) this.#pause();
    void this.#spillAll(this.#spooling);
  }

  async #spillAll(spooling: Spooling): Promise<void> {
    try {
      await this.#spillHeld(spooling);
      this.#isSpilling = false;
      this.#extend();
      this.#resume();
    } catch (error) {
      this.#settle(noSpool(error));
    }
  }

  async #spillHeld(spooling: Spooling): Promise<void> {
    while (!this.#isSettled && (this.#isDueToSpill || this.#isLastIn)) {
      const isLast = this.#isLastIn;
      const blocks = this.#blocks;
      this.#blocks = new ByteBlocks();
      await spooling.spill(blocks);
      if (isLast) return this.#settle(await spooling.end());
    }
  }

  /** Drops the spooled bytes, unless a handler has taken them over. */
  async close(): Promise<void> {
    await this.#spooling?.close();
  }

  /**
   * Restarts the timeout of uWebSockets.js, which cuts off clients slower than 16 KiB a second
   * without an answer. Our own deadline decides how long a body may take.
   */
  #waitOn(): void {
    if (this.#isPaused) return;
    this.#source.pause();
    this.#source.resume();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  #resume(): void {
    if (!this.#isPaused || this.#isLastIn) return;
    this.#isPaused = false;
    this.#source.resume();
  }

  #drop(): void {
    this.#blocks = new ByteBlocks();
    this.#held.close();
  }
}

function noSpool(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure('unavailable', {
    detail: 'The body could not be stored.',
    hint: `Wait ${waitSeconds} s and send the same request again.`,
    headers: { 'Retry-After': String(waitSeconds) },
    cause,
  });
}

function tooSlow(limit: BodyLimit): Failure {
  const seconds = limit.deadlineMilliseconds / 1000;
  return new Failure('bodyTimeout', {
    detail: `The body was not complete after ${seconds} seconds.`,
    hint: 'Send it faster, or in several smaller requests.',
  });
}

/** Fails before anything is read when the announced length is over the limit. */
export function checkAnnouncedLength(length: string | undefined, limitBytes: number): void {
  if (length !== undefined && Number(length) > limitBytes) throw tooLarge(limitBytes);
}

function tooLarge(limitBytes: number): Failure {
  return new Failure('payloadTooLarge', {
    detail: `This route takes at most ${limitBytes} bytes.`,
    hint: 'Send it in several requests.',
    extra: { limitBytes },
  });
}

function swollen(limitBytes: number, ratio: number): Failure {
  return new Failure('payloadTooLarge', {
    detail: `The body unpacks to more than ${ratio} times its size.`,
    hint: 'Send it as it is, without Content-Encoding, or in several requests.',
    extra: { limitBytes },
  });
}

interface Unpacking {
  readonly encoding: string | undefined;
  readonly limitBytes: number;
  /** Factor by which a body may grow when it is unpacked. */
  readonly ratio: number;
  readonly held: HeldBytes;
}

/** Returns the failure when memory for bodies is full. */
export function noRoom(overrun: Overrun): Failure {
  const hint = `Wait ${waitSeconds} s and send the same request again.`;
  if (overrun.of === 'key') {
    return limitReached('tooManyConcurrent', {
      detail: 'Your requests that are under way have as many bytes as they may have together.',
      hint,
      quota: { name: 'bytes', most: overrun.mostBytes, unit: 'content-bytes' },
      waitSeconds,
    });
  }
  return new Failure('unavailable', {
    detail: 'The requests that are under way have as many bytes as the service can take on.',
    hint,
    headers: { 'Retry-After': String(waitSeconds) },
  });
}

/** Unpacks a body by its Content-Encoding; fails when it grows by too large a factor. */
export async function inflateBody(
  packed: ByteBlocks,
  { encoding, limitBytes, ratio, held }: Unpacking,
): Promise<ByteBlocks> {
  if (!isPacked(encoding)) return packed;
  const ratioBytes = Math.max(bodyLimits.inflateFloorBytes, packed.byteCount * ratio);
  const mostBytes = Math.min(limitBytes, ratioBytes);
  const plain = new ByteBlocks();
  const unpacker = createGunzip({ chunkSize: 64 * 1024 });
  for (const chunk of packed.chunks) unpacker.write(chunk);
  unpacker.end();
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      if (plain.byteCount + chunk.length > mostBytes) {
        throw mostBytes < limitBytes ? swollen(mostBytes, ratio) : tooLarge(mostBytes);
      }
      const overrun = held.add(chunk.length);
      if (overrun !== undefined) throw noRoom(overrun);
      plain.add(chunk);
    }
  } catch (cause) {
    unpacker.destroy();
    if (cause instanceof Failure) throw cause;
    throw new Failure('invalidRequest', {
      detail: 'The body is not valid gzip.',
      hint: 'Send it as it is, without Content-Encoding, or pack it again.',
      cause,
    });
  }
  held.give(packed.byteCount);
  return plain;
}

export function isPacked(encoding: string | undefined): boolean {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new Failure('unsupportedMediaType', {
    detail: 'The Content-Encoding of a request may be gzip or identity.',
    hint: 'Send it as it is, or packed with gzip.',
    headers: { 'Accept-Encoding': 'gzip' },
  });
}
