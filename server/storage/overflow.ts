import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from './folders.ts';

interface OverflowParts {
  readonly directory: string;
  /** Called with an error of the disk, after which the bytes are refused. */
  readonly report: (step: string, error: unknown) => void;
  readonly limits?: OverflowLimits;
}

interface OverflowLimits {
  readonly fileBytes: number;
  readonly keyBytes: number;
  readonly allBytes: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: OverflowLimits = {
  fileBytes: 256 * mebibyte,
  keyBytes: 512 * mebibyte,
  allBytes: 2048 * mebibyte,
};

/** Files for bytes that wait for a slow taker. They have no name, so that a crash leaves none. */
export class Overflow {
  readonly #parts: OverflowParts;
  readonly #limits: OverflowLimits;
  readonly #keyBytes = new Map<string, number>();
  #bytes = 0;
  #fileCount = 0;

  constructor(parts: OverflowParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? defaultLimits;
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A file whose bytes count for a key; it is made with the first of them. */
  file(key: string): OverflowFile {
    return new OverflowFile({
      open: () => this.#open(),
      hasRoom: (held, more) => this.#hasRoom(key, held, more),
      count: (bytes) => this.#count(key, bytes),
      refused: (error) => this.#parts.report('keep bytes for a slow reader on disk', error),
    });
  }

  async #open(): Promise<FileHandle> {
    const { directory } = this.#parts;
    await makeFolders(directory, 0o700);
    const path = join(directory, String(this.#fileCount++));
    const handle = await open(path, 'w+', 0o600);
    try {
      await unlink(path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return handle;
  }

  #hasRoom(key: string, held: number, more: number): boolean {
    const { fileBytes, keyBytes, allBytes } = this.#limits;
    const ofKey = this.#keyBytes.get(key) ?? 0;
    return held + more <= fileBytes && ofKey + more <= keyBytes && this.#bytes + more <= allBytes;
  }

  #count(key: string, bytes: number): void {
    this.#bytes += bytes;
    const left = (this.#keyBytes.get(key) ?? 0) + bytes;
    if (left > 0) this.#keyBytes.set(key, left);
    else this.#keyBytes.delete(key);
  }
}

interface FileParts {
  readonly open: () => Promise<FileHandle>;
  readonly hasRoom: (held: number, more: number) => boolean;
  readonly count: (bytes: number) => void;
  readonly refused: (error: unknown) => void;
}

/** Bytes that are appended at the end and taken from the beginning. */
export class OverflowFile {
  readonly #parts: FileParts;
  #handle: FileHandle | undefined;
  #appended = 0;
  #taken = 0;

  constructor(parts: FileParts) {
    this.#parts = parts;
  }

  /** Bytes that were appended and not yet taken. */
  get waitingBytes(): number {
    return this.#appended - this.#taken;
  }

  /** Appends bytes; returns false where there is no room, or the disk takes none. */
  async append(bytes: Uint8Array): Promise<boolean> {
    if (!this.#parts.hasRoom(this.#appended, bytes.length)) return false;
    // Counted before it is written, as several files are written to at a time.
    this.#parts.count(bytes.length);
    try {
      this.#handle ??= await this.#parts.open();
      let at = 0;
      while (at < bytes.length) {
        const rest = bytes.length - at;
        at += (await this.#handle.write(bytes, at, rest, this.#appended + at)).bytesWritten;
      }
    } catch (error) {
      this.#parts.count(-bytes.length);
      this.#parts.refused(error);
      return false;
    }
    this.#appended += bytes.length;
    return true;
  }

  /** Takes up to a number of bytes; none where all were taken. */
  async take(bytesMost: number): Promise<Uint8Array> {
    const count = Math.min(bytesMost, this.waitingBytes);
    const bytes = new Uint8Array(count);
    let at = 0;
    while (at < count) {
      const read = await this.#handle?.read(bytes, at, count - at, this.#taken + at);
      if (!read || read.bytesRead === 0) throw new Error('a file lacks bytes that were appended');
      at += read.bytesRead;
    }
    this.#taken += count;
    return bytes;
  }

  /** Lets go of all bytes; the next one begins a new file. No append may be under way. */
  async clear(): Promise<void> {
    const handle = this.#handle;
    this.#parts.count(-this.#appended);
    [this.#handle, this.#appended, this.#taken] = [undefined, 0, 0];
    await handle?.close();
  }
}
