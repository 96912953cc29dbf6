import { createHash } from 'node:crypto';
import { zipSync, type Zippable } from 'fflate';
import type { KeptManifest } from './kept-manifest.ts';
import { ZipEntries } from './zip-entries.ts';

/** Kept parts of a file as one object, named by the SHA-256 of its bytes. */
export interface KeptArchive {
  /** Name: 64 hexadecimal digits. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface KeptContent {
  readonly bytes: Uint8Array;
  readonly links: Uint8Array | undefined;
}

const manifestName = 'manifest.json';
// Fixed time, so that equal parts make equal bytes.
const entryTime = new Date('1980-01-02T00:00:00Z');

export function packKept(manifest: KeptManifest, contents: readonly KeptContent[]): KeptArchive {
  const files: Zippable = { [manifestName]: Buffer.from(JSON.stringify(manifest)) };
  for (const [index, { bytes, links }] of contents.entries()) {
    files[`parts/${index}`] = bytes;
    if (links) files[`links/${index}`] = links;
  }
  const bytes = zipSync(files, { mtime: entryTime, level: 4 });
  return { name: nameOf(bytes), bytes };
}

export function nameOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads an archive of `packKept`, whose name has proved its bytes. */
export class OpenArchive {
  readonly manifest: KeptManifest;
  readonly #zip: ZipEntries;

  constructor(bytes: Uint8Array) {
    this.#zip = new ZipEntries(bytes);
    this.manifest = JSON.parse(Buffer.from(this.#read(manifestName)).toString()) as KeptManifest;
  }

  content(index: number): KeptContent {
    const links = `links/${index}`;
    return {
      bytes: this.#read(`parts/${index}`),
      links: this.#zip.has(links) ? this.#read(links) : undefined,
    };
  }

  #read(name: string): Uint8Array {
    return readEntry(this.#zip, name);
  }
}

/** Returns one entry of an archive. */
export function readEntry(zip: ZipEntries, name: string): Uint8Array {
  const chunks: Uint8Array[] = [];
  // The reader reuses the chunk after the call.
  zip.read(name, (chunk) => chunks.push(chunk.slice()));
  return Buffer.concat(chunks);
}
