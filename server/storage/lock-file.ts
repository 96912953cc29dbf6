import { link, rename, rm, writeFile } from 'node:fs/promises';

import { hasCode } from '../model/error-code.ts';
import { StartRefused } from '../model/start-refused.ts';
import { isRunning, startTimeOf } from './process-table.ts';
import { readTextIfThere } from './text-file.ts';

/** Held from start to stop; keeps a second Quire out of the same data directory. */
export interface LockFile {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  /** Empty where the system does not tell; then the pid alone decides. */
  readonly startTime: string;
}

const attemptsMax = 5;

/** Makes names that no other process and no other call of this one uses. */
let draftCount = 0;

/**
 * Takes the lock or throws with the pid of who has it. A lock whose holder is gone (kill -9, power
 * cut) is taken over.
 */
export async function takeLockFile(path: string): Promise<LockFile> {
  const own = `${process.pid} ${(await startTimeOf(process.pid)) ?? ''}\n`;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (await linkNew(path, own)) return { release: () => releaseLock(path, own) };
    const found = await readTextIfThere(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder !== undefined && (await isHeldBy(holder))) {
      throw new StartRefused(
        `another Quire (pid ${holder.pid}) uses this DATA_DIR: stop it or set another DATA_DIR (lock file ${path})`,
      );
    }
    await moveAside(path, found);
  }
  throw new Error(`could not take the lock file ${path}: other processes keep changing it`);
}

function draftName(path: string): string {
  draftCount++;
  return `${path}.${process.pid}.${draftCount}`;
}

/** Creates the file with its content in one step, so that no reader sees a partial lock. */
async function linkNew(path: string, content: string): Promise<boolean> {
  const draft = draftName(path);
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes a stale lock. Two processes may try at once, and the slower one would remove the lock
 * the faster one has just taken; so the file is moved, looked at and, if it is not the stale one,
 * put back.
 */
async function moveAside(path: string, stale: string): Promise<void> {
  const aside = draftName(path);
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readTextIfThere(aside)) === stale) await rm(aside, { force: true });
  else await rename(aside, path);
}

async function releaseLock(path: string, own: string): Promise<void> {
  if ((await readTextIfThere(path)) === own) await rm(path, { force: true });
}

function parseHolder(text: string): Holder | undefined {
  const [pid = '', startTime = ''] = text.trim().split(' ');
  return /^\d+$/.test(pid) ? { pid: Number(pid), startTime } : undefined;
}

async function isHeldBy(holder: Holder): Promise<boolean> {
  if (!(await isRunning(holder.pid))) return false;
  const startTime = await startTimeOf(holder.pid);
  return holder.startTime === '' || startTime === undefined || startTime === holder.startTime;
}
