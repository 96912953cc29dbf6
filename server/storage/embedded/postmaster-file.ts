import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { commandOf, isRunning } from '../process-table.ts';

/** What PostgreSQL writes about itself into postmaster.pid of its data folder. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';
}

/** No process has this pid on any system: Linux ends at 2^22. */
const nobodysPid = 999_999_999;

const statuses = ['starting', 'stopping', 'ready', 'standby'] as const;

export async function readPostmasterFile(cluster: string): Promise<Postmaster | undefined> {
  let text: string;
  try {
    text = await readFile(join(cluster, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  const status = statuses.find((word) => word === lines[7]) ?? 'unknown';
  return { pid: Math.abs(pid), port: Number(lines[3] ?? 0), status };
}

/**
 * The PostgreSQL that runs on this data folder, if one does. If the pid in the file now belongs to
 * another program, PostgreSQL itself would refuse to start, so the pid is replaced by one that
 * nobody has. The file stays: its shared memory key is how PostgreSQL notices children of a killed
 * postmaster that are still at work.
 */
export async function findRunningPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const postmaster = await readPostmasterFile(cluster);
  if (postmaster === undefined || !(await isRunning(postmaster.pid))) return undefined;
  if (isPostgres(await commandOf(postmaster.pid))) return postmaster;
  const path = join(cluster, 'postmaster.pid');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/^-?\d+/, String(nobodysPid)));
  return undefined;
}

function isPostgres(command: readonly string[] | undefined): boolean {
  // Without /proc we cannot tell; then the file is believed.
  return command === undefined || basename(command[0] ?? '') === 'postgres';
}
