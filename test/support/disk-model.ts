import fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, relative, sep } from 'node:path';

interface FileNode {
  readonly kind: 'file';
  /** True when the bytes that it has now are on disk. */
  isSynced: boolean;
}

interface FolderNode {
  readonly kind: 'folder';
  readonly entries: Map<string, DiskNode>;
  /** Content at the last sync, which is all that survives a power cut. */
  synced: ReadonlyMap<string, DiskNode>;
  syncedAt: number;
}

type DiskNode = FileNode | FolderNode;

const watched = ['open', 'rename', 'link', 'mkdir', 'rm', 'rmdir'] as const;

/**
 * Watches the file operations of this process below a folder, and knows what a power cut would
 * leave. A name survives after a later sync of its folder, bytes after a sync of the file.
 */
export class DiskModel {
  /** Faults so far, such as a name for bytes that are not on disk. */
  readonly faults: string[] = [];
  readonly #root: string;
  readonly #top: FolderNode = newFolder();
  readonly #real = { ...fs };
  #clock = 0;
  #last: Promise<void> = Promise.resolve();

  /** Takes over an empty folder: until `stop`, it replaces functions of node:fs/promises. */
  constructor(root: string) {
    this.#root = root;
    Object.assign(fs, {
      open: this.#open.bind(this),
      rename: this.#rename.bind(this),
      link: this.#link.bind(this),
      mkdir: this.#mkdir.bind(this),
      rm: this.#rm.bind(this),
      rmdir: this.#rmdir.bind(this),
    });
    syncBuiltinESMExports();
  }

  stop(): void {
    for (const name of watched) Object.assign(fs, { [name]: this.#real[name] });
    syncBuiltinESMExports();
  }

  /** Returns whether the file would be complete after a power cut now. */
  survives(path: string): boolean {
    let node: DiskNode | undefined = this.#top;
    for (const name of this.#names(path)) {
      node = node?.kind === 'folder' ? node.synced.get(name) : undefined;
    }
    return node?.kind === 'file' && node.isSynced;
  }

  #open(path: string, flags: string): Promise<FileHandle> {
    return this.#inTurn(async () => {
      const handle = await this.#real.open(path, flags);
      if (flags === 'wx') this.#give(path, { kind: 'file', isSynced: false });
      this.#watch(handle, this.#find(path));
      return handle;
    });
  }

  #watch(handle: FileHandle, node: DiskNode | undefined): void {
    const sync = handle.sync.bind(handle);
    const writeFile = handle.writeFile.bind(handle);
    Object.assign(handle, {
      writeFile: async (bytes: Uint8Array) => {
        await writeFile(bytes);
        if (node?.kind === 'file') node.isSynced = false;
      },
      sync: async () => {
        const startedAt = ++this.#clock;
        const entries = node?.kind === 'folder' ? new Map(node.entries) : undefined;
        await sync();
        if (node?.kind === 'file') node.isSynced = true;
        if (node?.kind !== 'folder' || entries === undefined) return;
        if (node.syncedAt > startedAt) return;
        node.synced = entries;
        node.syncedAt = startedAt;
      },
    });
  }

  #rename(from: string, to: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#real.rename(from, to);
      const node = this.#find(from);
      this.#take(from);
      this.#give(to, node);
    });
  }

  #link(from: string, to: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#real.link(from, to);
      this.#give(to, this.#find(from));
    });
  }

  #mkdir(path: string, options?: { recursive: boolean }): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const made = await this.#real.mkdir(path, options);
      let folder = this.#top;
      for (const name of this.#names(path)) {
        const found: DiskNode = folder.entries.get(name) ?? newFolder();
        folder.entries.set(name, found);
        if (found.kind === 'folder') folder = found;
      }
      return made;
    });
  }

  #rm(path: string, options: { force: boolean }): Promise<void> {
    return this.#inTurn(async () => {
      await this.#real.rm(path, options);
      this.#take(path);
    });
  }

  #rmdir(path: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#real.rmdir(path);
      this.#take(path);
    });
  }

  /** Changes of names run one after the other, so that answers have the order of effects. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  #give(path: string, node: DiskNode | undefined): void {
    const parent = this.#find(dirname(path));
    if (node === undefined || parent?.kind !== 'folder') {
      this.faults.push(`${path} was given a name that the model does not know`);
      return;
    }
    const isStaged = basename(dirname(path)).startsWith('.');
    if (!isStaged && node.kind === 'file' && !node.isSynced) {
      this.faults.push(`${path} is the name of bytes that are not on disk`);
    }
    parent.entries.set(basename(path), node);
  }

  #take(path: string): void {
    const parent = this.#find(dirname(path));
    if (parent?.kind === 'folder') parent.entries.delete(basename(path));
  }

  #find(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.#top;
    for (const name of this.#names(path)) {
      node = node?.kind === 'folder' ? node.entries.get(name) : undefined;
    }
    return node;
  }

  #names(path: string): string[] {
    const below = relative(this.#root, path);
    if (below.startsWith('..')) return ['..'];
    return below === '' ? [] : below.split(sep);
  }
}

function newFolder(): FolderNode {
  return { kind: 'folder', entries: new Map(), synced: new Map(), syncedAt: 0 };
}
