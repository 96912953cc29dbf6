import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, programOf } from '../process-table.ts';
import { readTextIfThere } from '../text-file.ts';
import { findFolderProcesses } from './folder-processes.ts';

/** PostgreSQL's own entries in postmaster.pid of its data folder. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';
}

/** Pid that no process has on any system: Linux ends at 2^22. */
const nobodysPid = 999_999_999;

/** The line with the key of the shared memory, by which PostgreSQL finds children still at work. */
const sharedMemoryLine = 6;
const statusLine = 7;

const statuses = ['starting', 'stopping', 'ready', 'standby'] as const;

export async function readPostmasterFile(cluster: string): Promise<Postmaster | undefined> {
  const lines = await readLines(cluster);
  const pid = Number(lines?.[0]);
  if (lines === undefined || !Number.isInteger(pid) || pid === 0) return undefined;
  const status = statuses.find((word) => word === lines[statusLine]) ?? 'unknown';
  return { pid: Math.abs(pid), port: Number(lines[3] ?? 0), status };
}

/**
 * The PostgreSQL that runs on this data folder, if one does. It is found by what it works on, as
 * the pid in the file may be anybody's by now. Where the system does not tell what a process works
 * on, the file is believed as long as the pid runs; `isProven` is false then.
 */
export async function findRunningPostmaster(
  cluster: string,
): Promise<(Postmaster & { readonly isProven: boolean }) | undefined> {
  const noted = await readPostmasterFile(cluster);
  const processes = await findFolderProcesses(cluster);
  if (processes === undefined) {
    if (noted === undefined || !(await isRunning(noted.pid))) return undefined;
    return { ...noted, isProven: false };
  }
  const found = processes.find(({ isPostmaster }) => isPostmaster);
  if (found === undefined) return undefined;
  if (noted?.pid === found.pid) return { ...noted, isProven: true };
  return { pid: found.pid, port: 0, status: 'unknown', isProven: true };
}

/**
 * Makes way for a start after a kill, a power cut or a full disk. To be called once nothing works
 * on the folder any more. PostgreSQL would refuse to start over an empty or cut file, and over one
 * whose pid now belongs to another program. A whole file stays, with a pid that nobody has: its
 * shared memory key is how PostgreSQL notices children of a killed postmaster by itself.
 */
export async function clearPostmasterFile(cluster: string): Promise<void> {
  const lines = await readLines(cluster);
  if (lines === undefined) return;
  const path = join(cluster, 'postmaster.pid');
  const isWhole =
    /^-?\d+$/.test(lines[0] ?? '') && /^\d+\s+\d+$/.test(lines[sharedMemoryLine] ?? '');
  // Nothing is removed if it is unknown which processes work on the folder.
  const processes = await findFolderProcesses(cluster);
  if (processes === undefined || processes.length > 0) return;
  if (!isWhole) {
    await rm(path, { force: true });
    return;
  }
  const pid = Math.abs(Number(lines[0]));
  if ((await programOf(pid)) === undefined) return;
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/^-?\d+/, String(nobodysPid)));
}

async function readLines(cluster: string): Promise<string[] | undefined> {
  const text = await readTextIfThere(join(cluster, 'postmaster.pid'));
  return text?.split('\n').map((line) => line.trim());
}
