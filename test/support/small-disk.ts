import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { makeTemporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

/** A file system of a few megabytes in memory, which can be filled. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined where this process may not mount one. */
  static async mount(
    t: Pick<Test, 'teardown'>,
    { mebibytes }: { mebibytes: number },
  ): Promise<SmallDisk | undefined> {
    const folder = await makeTemporaryFolder(t);
    const options = `size=${mebibytes}m,mode=711`;
    try {
      await run('mount', ['-t', 'tmpfs', '-o', options, 'quire-test', folder]);
    } catch {
      return undefined;
    }
    t.teardown(() => run('umount', ['-l', folder]));
    return new SmallDisk(folder);
  }

  /** Leaves no room at all. */
  async fill(): Promise<void> {
    const file = await open(this.#filler, 'w');
    try {
      for (const byteCount of [1 << 20, 1 << 12, 1]) await fillWith(file, Buffer.alloc(byteCount));
    } finally {
      await file.close();
    }
  }

  async makeRoom(): Promise<void> {
    await rm(this.#filler, { force: true });
  }

  /** From then on it takes no writes, or takes them again. */
  async remount(mode: 'ro' | 'rw'): Promise<void> {
    await run('mount', ['-o', `remount,${mode}`, this.folder]);
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }
}

async function fillWith(file: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<void> {
  for (;;) {
    try {
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten < bytes.length) return;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
      throw error;
    }
  }
}
