import type { BodySpool, SpooledBody, SpoolWriter } from '../model/body-spool.ts';
import { bodyLimits } from '../model/limits.ts';
import { freeBytes } from '../../workers/freed-bytes.ts';
import type { BodyLimit } from './body.ts';
import type { HeldBytes } from './byte-budget.ts';
import type { ByteBlocks } from './byte-blocks.ts';
import type { Route } from './route.ts';

type Headers = ReadonlyMap<string, string>;

const mebibyte = 1024 * 1024;
/** Bytes held of a body that goes to the spool anyway. */
const leastBytes = mebibyte;
/** A body that does not say how long it is may be very long. */
const unknownBytes = 16 * mebibyte;
/** Packed bytes of about as much as is read in the pool. */
const leastPackedBytes = 64 * 1024;
/** Packed bytes that unpack to no more than memory may hold of a body. */
const packedBytes = 4 * mebibyte;

interface BodyParts {
  readonly bodyDeadlineMilliseconds: number;
  readonly spool: BodySpool | undefined;
}

/** The most that a body may be, and from where on it goes to the spool. */
export function bodyLimitOf(route: Route, headers: Headers, parts: BodyParts): BodyLimit {
  const { bodyDeadlineMilliseconds: deadlineMilliseconds, spool } = parts;
  const { bodyLimitBytes: bytes = bodyLimits.defaultBytes, spoolLimitBytes } = route;
  if (!spool || spoolLimitBytes === undefined) return { bytes, deadlineMilliseconds };
  const spooling = { spool, fromBytes: spoolsFrom(headers, bytes) };
  return { bytes: spoolLimitBytes, deadlineMilliseconds, spooling };
}

/** Returns the bytes of a body that are held before it goes to the spool. */
function spoolsFrom(headers: Headers, mostBytes: number): number {
  const mayWait = /(?:^|[,;\s])(?:wait\s*=|respond-async)/iu;
  const isPacked = headers.has('content-encoding');
  if (mayWait.test(headers.get('prefer') ?? '')) {
    return isPacked ? leastPackedBytes : bodyLimits.wholeBytes;
  }
  const length = headers.get('content-length');
  if (length !== undefined && Number(length) > mostBytes) return leastBytes;
  if (isPacked) return packedBytes;
  return length === undefined ? unknownBytes : mostBytes;
}

/** The part of a body that is in the spool already. */
export class Spooling {
  readonly #writer: SpoolWriter;
  readonly #held: HeldBytes;
  #isKept = false;
  #spilledBytes = 0;

  constructor(spool: BodySpool, held: HeldBytes) {
    this.#writer = spool.open();
    this.#held = held;
  }

  get spilledBytes(): number {
    return this.#spilledBytes;
  }

  /** Writes what is held, and lets go of its memory. */
  async spill(blocks: ByteBlocks): Promise<void> {
    const { byteCount } = blocks;
    this.#spilledBytes += byteCount;
    await this.#writer.write(blocks.chunks);
    for (const chunk of blocks.chunks) freeBytes(chunk);
    this.#held.give(byteCount);
  }

  async end(): Promise<Omit<SpooledBody, 'isPacked'>> {
    const keep = (): void => {
      this.#isKept = true;
    };
    return { ...(await this.#writer.end()), keep };
  }

  /** Drops it, unless somebody has taken it over. */
  async close(): Promise<void> {
    if (!this.#isKept) await this.#writer.drop();
  }
}
