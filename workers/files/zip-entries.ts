import { Inflate } from 'fflate';
import { crc32 } from './checksum.ts';
import { fileLimits } from './file-limits.ts';
import { brokenFile, FileProblem, tooLargeFile } from './file-problem.ts';

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  readonly checksum: number;
  readonly localOffset: number;
}

interface Directory {
  readonly offset: number;
  readonly count: number;
}

/** Bytes of one push: even a bomb (deflate reaches 1,032:1) makes little of so few. */
const inputChunkBytes = 16 * 1024;
const endRecordBytes = 22;
const unknown32 = 0xffffffff;

/**
 * Entries of a ZIP archive, by its central directory. Only entries that are read are inflated,
 * chunk by chunk, and checked against the limits meanwhile.
 */
export class ZipEntries {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Entries by name in lower case, because OPC compares part names without case. */
  readonly #entries = new Map<string, ZipEntry>();
  /** Bytes that all reads have inflated so far. */
  #inflatedBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const directory = this.#findDirectory();
    if (directory.count > fileLimits.entryCount) {
      throw tooLargeFile(`more than ${fileLimits.entryCount} parts`);
    }
    this.#readDirectory(directory);
  }

  names(): string[] {
    return [...this.#entries.values()].map((entry) => entry.name);
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** Inflates an entry into `consume`; a chunk is only valid during the call. */
  read(name: string, consume: (chunk: Uint8Array) => void): void {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw brokenFile(`the part ${name} is missing`);
    const packed = this.#packedBytes(entry);
    let checksum = 0;
    let inflatedBytes = 0;
    const take = (chunk: Uint8Array): void => {
      inflatedBytes += chunk.length;
      this.#count(entry, chunk.length, inflatedBytes);
      checksum = crc32(chunk, checksum);
      if (chunk.length > 0) consume(chunk);
    };
    if (entry.method === 0) take(packed);
    else inflateInto(packed, take, name);
    if (checksum !== entry.checksum) throw brokenFile(`the checksum of ${name} does not match`);
  }

  #count(entry: ZipEntry, chunkBytes: number, inflatedBytes: number): void {
    this.#inflatedBytes += chunkBytes;
    if (inflatedBytes > fileLimits.entryInflatedBytes) {
      throw tooLargeFile(`${entry.name} inflates to more than ${megabytes('entryInflatedBytes')}`);
    }
    if (this.#inflatedBytes > fileLimits.totalInflatedBytes) {
      throw tooLargeFile(`it inflates to more than ${megabytes('totalInflatedBytes')}`);
    }
    const suspicious = inflatedBytes > fileLimits.ratioFromBytes;
    if (suspicious && inflatedBytes > entry.compressedBytes * fileLimits.inflateRatio) {
      throw tooLargeFile(`${entry.name} inflates to more than ${fileLimits.inflateRatio} times`);
    }
  }

  #packedBytes(entry: ZipEntry): Uint8Array {
    const header = entry.localOffset;
    if (header + 30 > this.#bytes.length || this.#view.getUint32(header, true) !== 0x04034b50) {
      throw brokenFile(`the archive has no entry where ${entry.name} should be`);
    }
    const nameBytes = this.#view.getUint16(header + 26, true);
    const extraBytes = this.#view.getUint16(header + 28, true);
    const start = header + 30 + nameBytes + extraBytes;
    if (start + entry.compressedBytes > this.#bytes.length) {
      throw brokenFile(`${entry.name} ends past the end of the archive`);
    }
    return this.#bytes.subarray(start, start + entry.compressedBytes);
  }

  #findDirectory(): Directory {
    const last = this.#bytes.length - endRecordBytes;
    const first = Math.max(0, last - 0xffff);
    for (let at = last; at >= first; at--) {
      if (this.#bytes[at] !== 0x50 || this.#view.getUint32(at, true) !== 0x06054b50) continue;
      const count = this.#view.getUint16(at + 10, true);
      const offset = this.#view.getUint32(at + 16, true);
      if (count !== 0xffff && offset !== unknown32) return { offset, count };
      return this.#findDirectory64(at);
    }
    throw brokenFile('the archive has no directory; it may have been cut off');
  }

  #findDirectory64(endRecord: number): Directory {
    const locator = endRecord - 20;
    if (locator < 0 || this.#view.getUint32(locator, true) !== 0x07064b50) {
      throw brokenFile('the archive has no 64-bit directory');
    }
    const record = Number(this.#view.getBigUint64(locator + 8, true));
    if (record + 56 > this.#bytes.length || this.#view.getUint32(record, true) !== 0x06064b50) {
      throw brokenFile('the 64-bit directory is not where it should be');
    }
    return {
      count: Number(this.#view.getBigUint64(record + 32, true)),
      offset: Number(this.#view.getBigUint64(record + 48, true)),
    };
  }

  #readDirectory(directory: Directory): void {
    let at = directory.offset;
    for (let index = 0; index < directory.count; index++) {
      if (at + 46 > this.#bytes.length || this.#view.getUint32(at, true) !== 0x02014b50) {
        throw brokenFile('the directory of the archive is damaged');
      }
      const nameBytes = this.#view.getUint16(at + 28, true);
      const extraBytes = this.#view.getUint16(at + 30, true);
      const next = at + 46 + nameBytes + extraBytes + this.#view.getUint16(at + 32, true);
      if (next > this.#bytes.length) throw brokenFile('the directory of the archive is cut off');
      this.#addEntry(at, nameBytes, extraBytes);
      at = next;
    }
  }

  #addEntry(at: number, nameBytes: number, extraBytes: number): void {
    const nameStart = at + 46;
    const raw = this.#bytes.subarray(nameStart, nameStart + nameBytes);
    // Part names begin with a slash, which names of entries leave out; some programs write it.
    const name = new TextDecoder('utf-8').decode(raw).replaceAll('\\', '/').replace(/^\/+/u, '');
    if (name.endsWith('/')) return;
    checkName(name);
    const flags = this.#view.getUint16(at + 8, true);
    if ((flags & 0x41) !== 0) throw encryptedFile();
    const method = this.#view.getUint16(at + 10, true);
    if (method !== 0 && method !== 8) {
      throw brokenFile(`${name} is packed by method ${method}, which .xlsx does not allow`);
    }
    const extraStart = nameStart + nameBytes;
    const sizes = this.#sizes(at, extraStart, extraStart + extraBytes);
    if (this.has(name)) throw brokenFile(`the archive holds ${name} twice`);
    const checksum = this.#view.getUint32(at + 16, true);
    this.#entries.set(name.toLowerCase(), { name, method, checksum, ...sizes });
  }

  /** Returns compressed size and offset, from the 64-bit extra field if the short ones are full. */
  #sizes(at: number, extraStart: number, extraEnd: number) {
    let compressedBytes = this.#view.getUint32(at + 20, true);
    let localOffset = this.#view.getUint32(at + 42, true);
    const inflatedUnknown = this.#view.getUint32(at + 24, true) === unknown32;
    let field = extraStart;
    while (field + 4 <= extraEnd) {
      const end = field + 4 + this.#view.getUint16(field + 2, true);
      let value = field + 4 + (inflatedUnknown ? 8 : 0);
      if (this.#view.getUint16(field, true) === 1) {
        if (compressedBytes === unknown32 && value + 8 <= extraEnd) {
          compressedBytes = Number(this.#view.getBigUint64(value, true));
          value += 8;
        }
        if (localOffset === unknown32 && value + 8 <= extraEnd) {
          localOffset = Number(this.#view.getBigUint64(value, true));
        }
      }
      field = end;
    }
    return { compressedBytes, localOffset };
  }
}

function inflateInto(packed: Uint8Array, take: (chunk: Uint8Array) => void, name: string): void {
  const inflate = new Inflate(take);
  try {
    for (let start = 0; start === 0 || start < packed.length; start += inputChunkBytes) {
      const end = start + inputChunkBytes;
      inflate.push(packed.subarray(start, end), end >= packed.length);
    }
  } catch (cause) {
    // fflate marks its errors with a numeric code; other errors are the consumer's.
    if (!isInflateError(cause)) throw cause;
    throw brokenFile(`${name} cannot be unpacked`);
  }
}

function isInflateError(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'number';
}

function checkName(name: string): void {
  const escapes = name.split('/').includes('..');
  if (escapes || /^[a-z]:/i.test(name) || name.includes('\0')) {
    throw brokenFile('the archive holds a part whose name leads outside of it');
  }
}

function megabytes(limit: 'entryInflatedBytes' | 'totalInflatedBytes'): string {
  return `${fileLimits[limit] / 1024 / 1024} MiB`;
}

export function encryptedFile(): FileProblem {
  return new FileProblem(
    'file_encrypted',
    'The file is protected by a password.',
    'Remove the password in Excel (File, Info, Protect Workbook), save, and import again.',
  );
}
