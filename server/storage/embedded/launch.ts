import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, rename, stat } from 'node:fs/promises';
import { pause, type Environment } from '../../model/environment.ts';
import { hasCode } from '../../model/error-code.ts';
import { freePort } from '../free-port.ts';
import { isRunning, startTimeOf } from '../process-table.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import {
  findFolderProcesses,
  isFolderProcess,
  resumeFrozen,
  signalProcess,
  type FolderProcess,
} from './folder-processes.ts';
import { findRunningPostmaster, readPostmasterFile } from './postmaster-file.ts';
import type { Postmaster } from './postmaster-file.ts';

/** Settings of the embedded PostgreSQL. Durable first; the rest suits a small machine it shares. */
const usualSettings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // Full page images come after each checkpoint, so checkpoints are rare and images compressed.
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  wal_compression: 'on',
  wal_buffers: '16MB',
  max_connections: '100',
  shared_buffers: '128MB',
  work_mem: '16MB',
  maintenance_work_mem: '64MB',
  // Statements are short and many; parallel plans and compilation would only cost start-up time.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_checkpoints: 'off',
  log_min_messages: 'warning',
};

const readyPollMilliseconds = 20;
const retryMilliseconds = 500;
const attemptsMax = 20;
const logTailBytes = 2000;
const logBytesMax = 8 * 1024 * 1024;
const fastStopMilliseconds = 5000;
const immediateStopMilliseconds = 1000;
const killMilliseconds = 2000;

export interface Launch {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly folder: string;
  readonly logFile: string;
  readonly environment: Environment;
  /** Aborted when PostgreSQL is to be stopped: a start that is under way is given up. */
  readonly signal: AbortSignal;
  /** Settings of PostgreSQL that differ from the usual ones. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** Names these settings: a PostgreSQL started with others is restarted rather than adopted. */
export function launchMark(launch: Launch): string {
  const text = JSON.stringify([settingsOf(launch), launch.binaries.folder]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function settingsOf(launch: Launch): Readonly<Record<string, string>> {
  return { ...usualSettings, ...launch.settings };
}

/** Starts PostgreSQL and waits until it takes connections. Without `port`, on a free one. */
export async function launchPostgres(launch: Launch, port?: number): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await launchOnce(launch, port ?? (await freePort('127.0.0.1')));
    } catch (error) {
      if (attempt === attemptsMax || launch.signal.aborted || !isTransient(error)) throw error;
      await pause(launch.environment, retryMilliseconds);
    }
  }
}

/** A port can be taken between our look and the start; children of a killed one need a moment. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Address already in use|pre-existing shared memory|lock file .* already exists/.test(
      error.message,
    )
  );
}

async function launchOnce(launch: Launch, port: number): Promise<Postmaster> {
  await limitLog(launch.logFile);
  const log = await open(launch.logFile, 'a', 0o600);
  const logStart = (await log.stat()).size;
  try {
    const marked = {
      ...settingsOf(launch),
      port: String(port),
      'quire.launch': launchMark(launch),
    };
    const flags = Object.entries(marked).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = launch.account.spawn(launch.binaries.postgres, ['-D', launch.folder, ...flags], {
      // Its own process group: a Ctrl-C in the terminal is for Quire, which then stops PostgreSQL
      // after the last commit, not at the same time.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await once(child, 'spawn');
    child.unref();
    return await waitUntilReady(launch, child.pid ?? 0);
  } catch (cause) {
    const tail = await readTail(launch.logFile, logStart);
    throw new Error(`PostgreSQL did not start: ${tail}`, { cause });
  } finally {
    await log.close();
  }
}

/** Recovery after a crash may take its time; as long as the process lives, there is hope. */
export async function waitUntilReady(launch: Launch, pid: number): Promise<Postmaster> {
  while (await isRunning(pid)) {
    launch.signal.throwIfAborted();
    const postmaster = await readPostmasterFile(launch.folder);
    if (postmaster?.pid === pid && postmaster.status === 'ready') return postmaster;
    await pause(launch.environment, readyPollMilliseconds);
  }
  throw new Error('the process ended');
}

/**
 * Ends the PostgreSQL of a data folder with all its processes. First without waiting for clients;
 * if that takes too long, at once, leaving recovery to the next start; if it does not even hear
 * that, by SIGKILL. Resolves when the last of its processes has gone. Processes that work on
 * another folder are never touched.
 */
export async function stopPostgres(
  folder: string,
  environment: Environment,
  given: { milliseconds?: number } = {},
): Promise<void> {
  const fastMilliseconds = (given.milliseconds ?? Infinity) - immediateStopMilliseconds;
  const steps = [
    { name: 'SIGINT', milliseconds: Math.min(fastMilliseconds, fastStopMilliseconds) },
    { name: 'SIGQUIT', milliseconds: immediateStopMilliseconds },
    { name: 'SIGKILL', milliseconds: killMilliseconds },
  ] as const;
  for (const { name, milliseconds } of steps) {
    const processes = await processesOf(folder);
    if (processes.length === 0) return;
    const postmaster = processes.find(({ isPostmaster }) => isPostmaster);
    // Children obey their postmaster. Orphans obey nobody, and of one that is to be killed none may
    // remain.
    if (postmaster !== undefined) signalProcess(postmaster.pid, name);
    const isForAll = postmaster === undefined || name === 'SIGKILL';
    const children = isForAll ? processes.filter(({ isPostmaster }) => !isPostmaster) : [];
    // To a child SIGINT only means to end its statement.
    for (const { pid } of children) signalProcess(pid, name === 'SIGINT' ? 'SIGTERM' : name);
    await resumeFrozen(processes);
    await waitUntilGone(processes, environment, milliseconds);
  }
  const [left] = await processesOf(folder);
  if (left !== undefined) throw new Error(`PostgreSQL (pid ${left.pid}) does not stop`);
}

/**
 * Processes that work on a folder. Where the system does not tell, only the postmaster is known, by
 * its file.
 */
async function processesOf(folder: string): Promise<FolderProcess[]> {
  const processes = await findFolderProcesses(folder);
  if (processes !== undefined) return processes;
  const postmaster = await findRunningPostmaster(folder);
  return postmaster === undefined ? [] : [{ pid: postmaster.pid, isPostmaster: true }];
}

async function waitUntilGone(
  processes: readonly FolderProcess[],
  environment: Environment,
  limitMilliseconds: number,
): Promise<void> {
  const end = environment.elapsed() + limitMilliseconds;
  for (const { pid } of processes) {
    while (await isRunning(pid)) {
      if (environment.elapsed() > end) return;
      await pause(environment, readyPollMilliseconds);
    }
  }
}

/** Returns whether a process still works on the folder. */
export async function isAtWork(pid: number, folder: string): Promise<boolean> {
  if ((await startTimeOf(process.pid)) === undefined) return isRunning(pid);
  return isFolderProcess(pid, folder);
}

async function limitLog(logFile: string): Promise<void> {
  try {
    if ((await stat(logFile)).size > logBytesMax) await rename(logFile, `${logFile}.1`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

async function readTail(logFile: string, startByte: number): Promise<string> {
  const log = await open(logFile, 'r');
  try {
    const { size } = await log.stat();
    const position = Math.max(startByte, size - logTailBytes);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(logTailBytes), { position });
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await log.close();
  }
}
