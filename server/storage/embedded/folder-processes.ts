import { hasCode } from '../../model/error-code.ts';
import { commandOf, isFrozen, listProcesses, programOf, worksIn } from '../process-table.ts';

/**
 * A process of PostgreSQL that is at work on a data folder. Each of them changes into its data
 * folder at its start and stays there, so this proves more than a pid in a file: pids are given
 * again, after a reboot or in another container.
 */
export interface FolderProcess {
  readonly pid: number;
  /** True for a postmaster; returns false for a child of one, which may be dead. */
  readonly isPostmaster: boolean;
}

/** Finds all processes that work on a folder; undefined on a system that does not tell. */
export async function findFolderProcesses(folder: string): Promise<FolderProcess[] | undefined> {
  const pids = await listProcesses();
  if (pids === undefined) return undefined;
  const found: FolderProcess[] = [];
  for (const pid of pids) {
    if (!(await isFolderProcess(pid, folder))) continue;
    // A child writes what it does over its arguments, and zeros to their end; the postmaster keeps
    // them.
    const [, argument = ''] = (await commandOf(pid)) ?? [];
    const isPostmaster = argument !== '';
    found.push({ pid, isPostmaster });
  }
  return found;
}

export async function isFolderProcess(pid: number, folder: string): Promise<boolean> {
  return (await programOf(pid)) === 'postgres' && worksIn(pid, folder);
}

/** Continues frozen processes, so that they receive signals. */
export async function resumeFrozen(processes: readonly FolderProcess[]): Promise<number> {
  let count = 0;
  for (const { pid } of processes) {
    if (!(await isFrozen(pid))) continue;
    signalProcess(pid, 'SIGCONT');
    count++;
  }
  return count;
}

/** A process that has ended meanwhile needs no signal. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
