import { link, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../model/environment.ts';
import { hasCode } from '../model/error-code.ts';
import { DurableFolders, makeFolderDurably, syncFolder } from './durable-folders.ts';
import { checkObjectKey, checkObjectPrefix, checkObjectRange, isObjectKey } from './object-key.ts';
import type { ObjectHead, Objects, PutOptions } from './objects.ts';

/** Half-written files live here. Keys cannot begin with a dot, so no key names this folder. */
const stagingFolder = '.staging';

/** Nodes may share the store, so only what no put can still be writing is swept away. */
const abandonedMilliseconds = 24 * 60 * 60 * 1000;
const nameBytes = 16;
const probeBytes = 4_096;

export async function openFileObjects(root: string, environment: Environment): Promise<Objects> {
  const staging = join(root, stagingFolder);
  await makeFolderDurably(staging);
  for (const name of await readdir(staging)) {
    const path = join(staging, name);
    const found = await unlessAbsent(stat(path));
    const age = environment.now() - (found?.mtimeMs ?? 0);
    if (age > abandonedMilliseconds) await rm(path, { force: true });
  }
  return new FileObjects(root, environment);
}

class FileObjects implements Objects {
  readonly #root: string;
  readonly #environment: Environment;
  readonly #folders: DurableFolders;

  constructor(root: string, environment: Environment) {
    this.#root = root;
    this.#environment = environment;
    this.#folders = new DurableFolders(root);
  }

  async put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<'written' | 'exists'> {
    const path = this.#path(key);
    const name = Buffer.from(this.#environment.random(nameBytes)).toString('hex');
    const staged = join(this.#root, stagingFolder, name);
    try {
      await writeDurably(staged, bytes);
      const answer = await this.#folders.within(dirname(path), async () => {
        if (options?.ifNoneMatch === undefined) await rename(staged, path);
        else if (!(await linkIfAbsent(staged, path))) return 'exists';
        return 'written';
      });
      // The bytes are on disk before the name is, so a power cut here leaves the old object. Of
      // what exists, the name may not be on disk yet: whoever gave it may be as far as this.
      await unlessAbsent(syncFolder(dirname(path)));
      return answer;
    } finally {
      await rm(staged, { force: true });
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return unlessAbsent(readFile(this.#path(key)));
  }

  async getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined> {
    checkObjectRange(start, length);
    const file = await unlessAbsent(open(this.#path(key), 'r'));
    if (file === undefined) return undefined;
    try {
      const found = await file.stat();
      if (!found.isFile()) return undefined;
      const { size } = found;
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - start)));
      let count = 0;
      while (count < bytes.length) {
        const { bytesRead } = await file.read(bytes, count, bytes.length - count, start + count);
        if (bytesRead === 0) throw new Error(`${key} ends before its size`);
        count += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const found = await unlessAbsent(stat(this.#path(key)));
    return found?.isFile() === true ? { byteCount: found.size } : undefined;
  }

  async *list(prefix: string): AsyncGenerator<string> {
    checkObjectPrefix(prefix);
    yield* this.#walk(prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    await rm(path, { force: true });
    await this.#folders.syncAllAbove([path]);
  }

  async deletePrefix(prefix: string): Promise<number> {
    const paths: string[] = [];
    for await (const key of this.list(prefix)) {
      const path = this.#path(key);
      await rm(path, { force: true });
      paths.push(path);
    }
    await this.#folders.syncAllAbove(paths);
    for (const folder of new Set(paths.map(dirname))) await this.#folders.removeEmpty(folder);
    return paths.length;
  }

  /** Writes a little: a disk that is full, or only read, answers all else. */
  async check(): Promise<void> {
    const name = Buffer.from(this.#environment.random(nameBytes)).toString('hex');
    const path = join(this.#root, stagingFolder, name);
    try {
      await writeFile(path, Buffer.alloc(probeBytes), { flag: 'wx' });
    } finally {
      await rm(path, { force: true });
    }
  }

  close(): void {
    // Nothing is held open between calls.
  }

  #path(key: string): string {
    checkObjectKey(key);
    return join(this.#root, key);
  }

  /** Depth first, in the byte order of whole keys: a folder sorts as its name with the slash. */
  async *#walk(folder: string, prefix: string): AsyncGenerator<string> {
    const found = await unlessAbsent(readdir(join(this.#root, folder), { withFileTypes: true }));
    const paths = (found ?? [])
      .filter(({ name }) => isObjectKey(name))
      .map((entry) => folder + (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((path) => path.startsWith(prefix))
      .sort((left, right) => (left < right ? -1 : 1));
    for (const path of paths) {
      if (path.endsWith('/')) yield* this.#walk(path, prefix);
      else yield path;
    }
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** link() fails if the name is taken, in one step; rename() would replace it. */
async function linkIfAbsent(staged: string, path: string): Promise<boolean> {
  try {
    await link(staged, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function unlessAbsent<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined;
    throw error;
  }
}
