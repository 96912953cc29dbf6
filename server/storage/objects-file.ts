import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../model/environment.ts';
import { checkObjectKey, checkObjectPrefix } from './object-key.ts';
import type { ObjectHead, Objects, PutOptions } from './objects.ts';

/** Half-written files live here. Keys cannot begin with a dot, so no key names this folder. */
const stagingFolder = '.staging';

/** Nodes may share the store, so only what no put can still be writing is swept away. */
const abandonedMilliseconds = 24 * 60 * 60 * 1000;
const nameBytes = 16;

export async function openFileObjects(root: string, environment: Environment): Promise<Objects> {
  const staging = join(root, stagingFolder);
  await mkdir(staging, { recursive: true });
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

  constructor(root: string, environment: Environment) {
    this.#root = root;
    this.#environment = environment;
  }

  async put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<'written' | 'exists'> {
    const path = this.#path(key);
    const name = Buffer.from(this.#environment.random(nameBytes)).toString('hex');
    const staged = join(this.#root, stagingFolder, name);
    try {
      await writeDurably(staged, bytes);
      await makeFolderDurably(dirname(path));
      if (options?.ifNoneMatch === undefined) {
        await rename(staged, path);
      } else if (!(await linkIfAbsent(staged, path))) {
        // The winner may have linked but not yet synced; what we report as existing must stay.
        await syncFolder(dirname(path));
        return 'exists';
      }
      // The bytes are on disk before the name is, so a power cut here leaves the old object.
      await syncFolder(dirname(path));
      return 'written';
    } finally {
      await rm(staged, { force: true });
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return unlessAbsent(readFile(this.#path(key)));
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const found = await unlessAbsent(stat(this.#path(key)));
    return found?.isFile() === true ? { byteCount: found.size } : undefined;
  }

  async *list(prefix: string): AsyncGenerator<string> {
    checkObjectPrefix(prefix);
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    for await (const key of this.#walk(folder)) {
      if (key.startsWith(prefix)) yield key;
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    await rm(path, { force: true });
    await unlessAbsent(syncFolder(dirname(path)));
  }

  async deletePrefix(prefix: string): Promise<number> {
    const folders = new Set<string>();
    let count = 0;
    for await (const key of this.list(prefix)) {
      const path = this.#path(key);
      await rm(path, { force: true });
      folders.add(dirname(path));
      count++;
    }
    for (const folder of folders) await unlessAbsent(syncFolder(folder));
    for (const folder of folders) await this.#removeEmpty(folder);
    return count;
  }

  async check(): Promise<void> {
    await stat(join(this.#root, stagingFolder));
  }

  close(): void {
    // Nothing is held open between calls.
  }

  #path(key: string): string {
    checkObjectKey(key);
    return join(this.#root, key);
  }

  /** Depth first, in the byte order of whole keys: a folder sorts as its name with the slash. */
  async *#walk(folder: string): AsyncGenerator<string> {
    const found = await unlessAbsent(readdir(join(this.#root, folder), { withFileTypes: true }));
    const names = (found ?? [])
      .filter((entry) => !entry.name.startsWith('.'))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort((left, right) => (left < right ? -1 : 1));
    for (const name of names) {
      if (name.endsWith('/')) yield* this.#walk(folder + name);
      else yield folder + name;
    }
  }

  /** Removes the folder and those above it as long as they are empty. */
  async #removeEmpty(folder: string): Promise<void> {
    for (let path = folder; path !== this.#root; path = dirname(path)) {
      try {
        await rmdir(path);
      } catch (error) {
        if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return;
        throw error;
      }
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

/** A new folder is a new name in its parent, so the parents are synced down from the oldest. */
async function makeFolderDurably(folder: string): Promise<void> {
  const oldestMade = await mkdir(folder, { recursive: true });
  if (oldestMade === undefined) return;
  const stop = dirname(resolve(oldestMade));
  for (let path = dirname(resolve(folder)); ; path = dirname(path)) {
    await syncFolder(path);
    if (path === stop) return;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
