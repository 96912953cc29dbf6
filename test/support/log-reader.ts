import { createHash, createPublicKey, verify } from 'node:crypto';

import { Rfc6962 } from './rfc6962.ts';

/** Reads the log over HTTP by the C2SP specifications, without any code of server/tlog. */

export interface SeenLog {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly entries: readonly Buffer[];
}

/** Reads a file below the prefix of the log; undefined if it does not exist. */
export type ReadLogFile = (path: string) => Promise<Buffer | undefined>;

export function readLogOver(prefix: string): ReadLogFile {
  return async (path) => {
    const answer = await fetch(`${prefix}/${path}`);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  };
}

function indexPath(index: number): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  }
  return groups.join('/');
}

async function fileOf(read: ReadLogFile, path: string): Promise<Buffer> {
  const bytes = await read(path);
  if (!bytes) throw new Error(`there is no ${path}`);
  return bytes;
}

/** Checks the signature of the key in a vkey, and takes the three lines apart. */
export function openCheckpoint(note: string, vkey: string) {
  const split = note.lastIndexOf('\n\n');
  const text = note.slice(0, split + 1);
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  if (rest.length !== 1) throw new Error('the checkpoint has more than three lines');
  const [name = '', id = ''] = vkey.split('+', 2);
  const key = Buffer.from(vkey.slice(name.length + id.length + 2), 'base64');
  const line = note
    .slice(split + 2)
    .split('\n')
    .find((candidate) => {
      const [dash, signer, blob = ''] = candidate.split(' ');
      const keyId = Buffer.from(blob, 'base64').subarray(0, 4).toString('hex');
      return dash === '\u2014' && signer === name && keyId === id;
    });
  if (line === undefined) throw new Error(`${name} has not signed`);
  const signature = Buffer.from(line.split(' ')[2] ?? '', 'base64').subarray(4);
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key.subarray(1)]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  if (!verify(null, Buffer.from(text), publicKey, signature)) throw new Error('a wrong signature');
  return { origin, size: Number(size), root };
}

function splitBundle(bytes: Buffer, count: number): Buffer[] {
  const entries: Buffer[] = [];
  let at = 0;
  while (entries.length < count) {
    const length = bytes.readUInt16BE(at);
    entries.push(bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  if (at !== bytes.length) throw new Error('a bundle has bytes behind its entries');
  return entries;
}

/** Reads and rebuilds the whole log; fails at the first fault. */
export async function readLog(read: ReadLogFile, vkey: string): Promise<SeenLog> {
  const note = (await fileOf(read, 'checkpoint')).toString('utf8');
  const { origin, size, root } = openCheckpoint(note, vkey);
  const entries: Buffer[] = [];
  for (let index = 0; index * 256 < size; index++) {
    const width = Math.min(256, size - index * 256);
    const path = `tile/entries/${indexPath(index)}${width < 256 ? `.p/${width}` : ''}`;
    entries.push(...splitBundle(await fileOf(read, path), width));
  }
  const tree = new Rfc6962(entries);
  if (tree.root(0, size).toString('base64') !== root) throw new Error('another root than signed');
  for (let level = 0; 256 ** level <= size; level++) {
    await checkLevel(read, { level, size, tree });
  }
  return { origin, size, root, note, entries };
}

async function checkLevel(
  read: ReadLogFile,
  { level, size, tree }: { level: number; size: number; tree: Rfc6962 },
): Promise<void> {
  const span = 256 ** level;
  const count = Math.floor(size / span);
  for (let index = 0; index * 256 < count; index++) {
    const width = Math.min(256, count - index * 256);
    const path = `tile/${level}/${indexPath(index)}${width < 256 ? `.p/${width}` : ''}`;
    const hashes = Array.from({ length: width }, (_, position) => {
      const first = (index * 256 + position) * span;
      return tree.root(first, first + span);
    });
    if (!(await fileOf(read, path)).equals(Buffer.concat(hashes))) {
      throw new Error(`${path} is not the tile of these entries`);
    }
  }
}

/** Fails unless a log is an extension of an earlier one. */
export function checkGrown(before: SeenLog, after: SeenLog): void {
  if (after.origin !== before.origin) throw new Error('another log');
  if (after.size < before.size) throw new Error(`shrunk from ${before.size} to ${after.size}`);
  for (const [index, entry] of before.entries.entries()) {
    if (after.entries[index]?.equals(entry) !== true) throw new Error(`entry ${index} changed`);
  }
}

export function leafHash(entry: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.concat([Buffer.of(0), entry]))
    .digest();
}
