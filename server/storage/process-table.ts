import { readdir, readFile, stat } from 'node:fs/promises';
import { hasCode } from '../model/error-code.ts';

/** Returns whether a process runs; a zombie, which still answers signal 0, does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, under another account.
    if (!hasCode(error, 'EPERM')) return false;
  }
  const fields = await readStatFields(pid);
  return fields === undefined || !['Z', 'X'].includes(fields[0] ?? '');
}

/** Tells two processes with one pid apart. Undefined where there is no /proc. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const startTimeIndex = 19;
  return (await readStatFields(pid))?.[startTimeIndex];
}

/** The argument list of a process; undefined where there is no /proc. */
export async function commandOf(pid: number): Promise<string[] | undefined> {
  const text = await readProcess(pid, 'cmdline');
  return text?.split('\0').slice(0, -1);
}

/** The name of its program, which no process of PostgreSQL changes; undefined without /proc. */
export async function programOf(pid: number): Promise<string | undefined> {
  return (await readProcess(pid, 'comm'))?.trimEnd();
}

/** Returns whether a process was stopped, by a SIGSTOP or by a tracer. */
export async function isFrozen(pid: number): Promise<boolean> {
  return ['T', 't'].includes((await readStatFields(pid))?.[0] ?? '');
}

/**
 * Returns whether the process works in this folder, by any path; returns false if that is unknown.
 */
export async function worksIn(pid: number, folder: string): Promise<boolean> {
  try {
    const [found, wanted] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(folder)]);
    return found.dev === wanted.dev && found.ino === wanted.ino;
  } catch (error) {
    // The process has ended, or belongs to another user and so is not ours.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** The pids of the whole system; undefined where there is no /proc. */
export async function listProcesses(): Promise<number[] | undefined> {
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Fields of /proc/PID/stat from the state on; the name before it may hold anything. */
async function readStatFields(pid: number): Promise<string[] | undefined> {
  const text = await readProcess(pid, 'stat');
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function readProcess(pid: number, file: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    // No /proc on this system, or the process ended while we looked.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
