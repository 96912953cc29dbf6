import { mkdir, open, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { hasCode } from '../model/error-code.ts';
import { makeFolders } from './folders.ts';

const knownMost = 10_000;
const triesMost = 10;

/**
 * Folders below a root that survive a power cut: a new folder is a new name in its parent, and
 * lasts once the parent is synced.
 */
export class DurableFolders {
  readonly #root: string;
  /**
   * Folders, with the sync that makes each last, for which concurrent users wait too. Emptied when
   * it grows too large.
   */
  readonly #known = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Does work that needs the folder; again, if another has removed it meanwhile as empty. */
  async within<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
    for (let count = 1; ; count++) {
      try {
        await this.#make(folder);
        return await work();
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || count === triesMost) throw error;
        this.#forget(folder);
      }
    }
  }

  /** Removes the folder and those above it as long as they are empty. */
  async removeEmpty(folder: string): Promise<void> {
    for (let path = folder; path !== this.#root; path = dirname(path)) {
      this.#forget(path);
      try {
        await rmdir(path);
      } catch (error) {
        if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return;
        throw error;
      }
    }
  }

  /**
   * Makes deletions of files last. Another process may have removed their empty folder, and made it
   * again, before it was synced: the old one is then on disk until the folder above is synced.
   */
  async syncAllAbove(paths: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    for (const path of paths) {
      for (let at = path; at !== this.#root && !folders.has(dirname(at));) {
        at = dirname(at);
        folders.add(at);
      }
    }
    const deepestFirst = [...folders].sort((left, right) => right.length - left.length);
    for (const folder of deepestFirst) await syncIfThere(folder);
  }

  async #make(folder: string): Promise<void> {
    let path = this.#root;
    for (const name of relative(this.#root, folder).split(sep)) {
      path = join(path, name);
      await this.#makeOne(path);
    }
  }

  #makeOne(path: string): Promise<void> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    if (this.#known.size >= knownMost) this.#known.clear();
    const made = makeFolder(path);
    this.#known.set(path, made);
    made.catch(() => this.#known.delete(path));
    return made;
  }

  /** Forgets the folder and all above it, which may be removed too. */
  #forget(folder: string): void {
    for (let path = folder; path !== this.#root; path = dirname(path)) this.#known.delete(path);
  }
}

/** Makes a folder, and those above it, that nobody removes. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const oldestMade = await makeFolders(folder);
  if (oldestMade === undefined) return;
  const stop = dirname(resolve(oldestMade));
  for (let path = dirname(resolve(folder)); ; path = dirname(path)) {
    await syncFolder(path);
    if (path === stop) return;
  }
}

/**
 * Makes a folder and syncs it, even if it exists: another process may have made it without a sync
 * yet.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  await syncFolder(dirname(path));
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncIfThere(folder: string): Promise<void> {
  try {
    await syncFolder(folder);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}
