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
  /** Milliseconds for all of it, or, in the spool, for each stretch that is held in memory. */
  readonly deadlineMilliseconds: number;
  /** Set where a body may go to the spool: when more than so much of it is there. */
  readonly spooling?: { readonly spool: BodySpool; readonly fromBytes: number };
}

/** Bytes of a body that are read before it is known whether its sender may send it. */
const unknownSenderBytes = 64 * 1024;
/** Smaller pieces come from slow lines; of a fast one they are few. */
const slowChunkBytes = 16 * 1024;
/** Bytes that go to the spool in one go. */
const spilledAtOnce = 1024 * 1024;

const waitSeconds = 2;

/** A body of which all has come. */
export type Received = ByteBlocks | Omit<SpooledBody, 'isPacked'>;

/**
 * The body of one request while it comes. Must be made before the request handler of
 * uWebSockets.js returns. What arrives is counted: Content-Length is a claim, and a chunked body
 * has none. More than a little is read only once the sender's rights have been looked at.
 */
export class IncomingBody {
  /** Does not reject, because nobody may be listening yet: what is wrong is the result. */
  readonly received: Promise<Received | Failure>;
  readonly #source: BodySource;
  readonly #limit: BodyLimit;
  readonly #held: HeldBytes;
  #blocks = new ByteBlocks();
  #isAdmitted = false;
  #isPaused = false;
  /** Set with the result; what comes afterwards is thrown away. */
  #isSettled = false;
  #isLastIn = false;
  #settle: (result: Received | Failure) => void = () => undefined;
  /** Starts the time that there is for the next stretch. */
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

  /** Reads the rest, because the sender may send it; it counts as theirs. */
  admit(key: string): void {
    this.#isAdmitted = true;
    this.#held.moveTo(key);
    if (this.#isDueToSpill && !this.#isSettled) this.#spill();
    else this.#resume();
  }

  /** The client is gone; the response must not be touched any more. */
  abort(): void {
    this.#isLastIn = true;
    this.#settle(new Failure('bodyTimeout', { detail: 'The client went away.' }));
  }

  /** Lets the rest go by unread, so that the next request can follow. */
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

  /** Counts more bytes; returns why there may not be so many. */
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

  /** Writes what is held to the spool, which takes its time: nothing more is read meanwhile. */
  #spill(): void {
    const { spooling } = this.#limit;
    if (!spooling) return;
    // Nothing of somebody who may not send it is kept.
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

  /** Lets go of what is in the spool, unless somebody has taken it over. */
  async close(): Promise<void> {
    await this.#spooling?.close();
  }

  /**
   * Starts the time anew in which uWebSockets.js cuts off, without an answer, a client that sends
   * less than 16 KiB a second: how long a body may take is for the deadline to say.
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

/** Fails before anything is read when the announced length is over the limit already. */
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
  /** Times its size that a body may unpack to. */
  readonly ratio: number;
  readonly held: HeldBytes;
}

/** The bodies under way fill the memory that there is for them. */
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

/** Undoes Content-Encoding. A body that unpacks to too many times its size is refused. */
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
