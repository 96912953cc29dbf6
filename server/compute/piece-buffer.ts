import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { freeBytes } from '../../workers/freed-bytes.ts';

/** The place of pieces that memory does not hold. */
export interface PieceFile {
  readonly waitingBytes: number;
  append(bytes: Uint8Array): Promise<boolean>;
  take(bytesMost: number): Promise<Uint8Array>;
  clear(): Promise<void>;
}

interface PieceBufferParts {
  readonly file: PieceFile;
  readonly environment: Environment;
  readonly limits?: PieceLimits;
}

interface PieceLimits {
  readonly memoryBytes: number;
  /** Time for which the maker waits for room, once there is none anywhere. */
  readonly patienceMilliseconds: number;
}

/** Bytes that are taken at a time from a file. */
const takenBytes = 256 * 1024;
/** Interval of the looks for room, beside news of the taker. */
const lookMilliseconds = 100;
export const pieceLimits: PieceLimits = {
  memoryBytes: 1024 * 1024,
  patienceMilliseconds: 5_000,
};

/** Pieces between a maker, who must not wait, and a taker, who may be slow. */
export class PieceBuffer {
  readonly #parts: PieceBufferParts;
  readonly #limits: PieceLimits;
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #isAppending = false;
  #isLeft = false;
  #end: { readonly error?: unknown } | undefined;
  #wakeTaker: () => void = noop;
  #wakeMaker: () => void = noop;

  constructor(parts: PieceBufferParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? pieceLimits;
  }

  /**
   * Adds a piece, whose bytes are taken over; resolves with false where nobody will take it. One
   * call after the other.
   */
  async add(piece: Uint8Array): Promise<boolean> {
    const { environment } = this.#parts;
    const { patienceMilliseconds } = this.#limits;
    const deadline = environment.elapsed() + patienceMilliseconds;
    while (!this.#isLeft && !(await this.#place(piece))) {
      const rest = deadline - environment.elapsed();
      if (rest <= 0) throw tooSlow();
      await this.#room(Math.min(rest, lookMilliseconds));
    }
    return !this.#isLeft;
  }

  /** Ends the pieces, with the error that the taker gets behind them. */
  end(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wakeTaker();
  }

  /** Yields the pieces in their order. Whoever ends early lets go of what is left. */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const piece = await this.#take();
        if (piece) yield piece;
        else if (this.#end) return failIf(this.#end);
        else await new Promise<void>((resolve) => (this.#wakeTaker = resolve));
      }
    } finally {
      await this.leave();
    }
  }

  /** Lets go of all pieces: nobody takes them any more. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    this.#held.length = 0;
    this.#wakeMaker();
    if (!this.#isAppending) await this.#parts.file.clear();
  }

  async #place(piece: Uint8Array): Promise<boolean> {
    const { file } = this.#parts;
    const hasRoom = this.#heldBytes + piece.length <= this.#limits.memoryBytes;
    // Bytes of the file are taken before whatever comes behind them.
    if (file.waitingBytes === 0 && (hasRoom || this.#held.length === 0)) {
      this.#held.push(piece);
      this.#heldBytes += piece.length;
      this.#wakeTaker();
      return true;
    }
    this.#isAppending = true;
    const isPlaced = await file.append(piece);
    this.#isAppending = false;
    // The bytes are on disk: a file of many megabytes is not left to the garbage collection.
    if (isPlaced) freeBytes(piece);
    if (this.#isLeft) await file.clear();
    this.#wakeTaker();
    return isPlaced;
  }

  /** Takes what is next; undefined where nothing is there. */
  async #take(): Promise<Uint8Array | undefined> {
    const held = this.#held.shift();
    this.#heldBytes -= held?.length ?? 0;
    const piece = held ?? (await this.#takeFromFile(this.#parts.file));
    if (piece) this.#wakeMaker();
    return piece;
  }

  async #takeFromFile(file: PieceFile): Promise<Uint8Array | undefined> {
    if (file.waitingBytes === 0) return undefined;
    const piece = await file.take(takenBytes);
    if (file.waitingBytes === 0 && !this.#isAppending) await file.clear();
    return piece;
  }

  /** Waits until something was taken. */
  async #room(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.environment.after(milliseconds, resolve);
      this.#wakeMaker = () => {
        cancel();
        resolve();
      };
    });
  }
}

function failIf(end: { readonly error?: unknown }): void {
  if ('error' in end) throw end.error;
}

function tooSlow(): Failure {
  return new Failure('unavailable', {
    detail: 'The file was read too slowly to be kept until the end.',
    hint: 'Send the same request again, and read faster or smaller parts.',
  });
}

function noop(): void {
  return undefined;
}
