import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../model/environment.ts';
import { openPostgres } from '../postgres.ts';
import { chooseAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { clusterUser, openCluster } from './cluster.ts';
import type { Cluster } from './cluster.ts';
import { findFolderProcesses, resumeFrozen } from './folder-processes.ts';
import { isAtWork, launchMark, launchPostgres, stopPostgres, waitUntilReady } from './launch.ts';
import type { Launch } from './launch.ts';
import { clearPostmasterFile, findRunningPostmaster } from './postmaster-file.ts';
import type { Postmaster } from './postmaster-file.ts';

export interface EmbeddedOptions {
  /** Directory made and locked by the caller: two processes must not start one cluster. */
  readonly dataDirectory: string;
  readonly environment: Environment;
  readonly onEvent: (message: string) => void;
  /** Settings of PostgreSQL that differ from the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

const databaseName = 'quire';
const watchMilliseconds = 500;

/**
 * A PostgreSQL of our own in the data directory. It outlives a kill -9 of this process; the next
 * start adopts it. If it dies while we run, it is started again on the same port.
 */
export class EmbeddedPostgres {
  readonly url: string;
  readonly #launch: Launch;
  readonly #onEvent: (message: string) => void;
  /** Changed only by the watch, after a restart. */
  #postmaster: Postmaster;
  readonly #stopping: AbortController;
  #cancelWatch: () => void = () => undefined;
  /** The restart under way, so that stop does not run beside it. */
  #restart: Promise<void> = Promise.resolve();

  private constructor(
    launch: Launch,
    { postmaster, url }: { postmaster: Postmaster; url: string },
    stopping: AbortController,
    onEvent: (message: string) => void,
  ) {
    this.#launch = launch;
    this.#postmaster = postmaster;
    this.url = url;
    this.#stopping = stopping;
    this.#onEvent = onEvent;
    this.#watch();
  }

  static async start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
    const dataDirectory = await realpath(options.dataDirectory);
    const stopping = new AbortController();
    const binaries = await findBinaries();
    const account = await chooseAccount([binaries.folder, dataDirectory]);
    const cluster = await openCluster(dataDirectory, binaries, account, options.environment);
    const launch: Launch = {
      binaries,
      account,
      folder: cluster.folder,
      logFile: join(dataDirectory, 'postgres.log'),
      environment: options.environment,
      signal: stopping.signal,
      settings: options.settings,
    };
    const adopted = await adoptRunning(launch, cluster);
    if (adopted !== undefined) options.onEvent(`adopted the PostgreSQL with pid ${adopted.pid}`);
    const postmaster = adopted ?? (await launchPostgres(launch));
    try {
      await createDatabase(urlOf(cluster, postmaster, 'postgres'));
    } catch (error) {
      await stopPostgres(cluster.folder, options.environment);
      throw error;
    }
    const url = urlOf(cluster, postmaster, databaseName);
    return new EmbeddedPostgres(launch, { postmaster, url }, stopping, options.onEvent);
  }

  get pid(): number {
    return this.#postmaster.pid;
  }

  /** Stops PostgreSQL and cuts off open connections, so close the pools first. */
  async stop({ milliseconds = Infinity }: { milliseconds?: number } = {}): Promise<void> {
    this.#stopping.abort();
    this.#cancelWatch();
    await this.#restart;
    const { folder, environment } = this.#launch;
    await stopPostgres(folder, environment, { milliseconds });
  }

  #watch(): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancelWatch = this.#launch.environment.after(watchMilliseconds, () => {
      this.#restart = this.#restartIfGone().finally(() => this.#watch());
    });
  }

  /** A start that was given up for a stop is no news. */
  #tellUnlessStopping(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.#onEvent(error instanceof Error ? error.message : String(error));
  }

  async #restartIfGone(): Promise<void> {
    if (await isAtWork(this.#postmaster.pid, this.#launch.folder)) return;
    if (this.#stopping.signal.aborted) return;
    this.#onEvent(`PostgreSQL (pid ${this.#postmaster.pid}) is gone: starting it again`);
    try {
      await makeWay(this.#launch);
      this.#postmaster = await launchPostgres(this.#launch, this.#postmaster.port);
    } catch (error) {
      // Tried again at the next look; meanwhile /ready says that the database is away.
      this.#tellUnlessStopping(error);
    }
  }
}

/** Adopts a healthy PostgreSQL that a killed Quire left; stops one with other settings. */
async function adoptRunning(launch: Launch, cluster: Cluster): Promise<Postmaster | undefined> {
  await resumeFrozen((await findFolderProcesses(launch.folder)) ?? []);
  const found = await findRunningPostmaster(launch.folder);
  if (found !== undefined && found.port !== 0 && found.status !== 'stopping') {
    const ready = await waitUntilReady(launch, found.pid);
    if (await isOurs(launch, cluster, ready)) return ready;
    if (!found.isProven) throw new Error(unprovenMessage(launch.folder, found.pid));
  }
  await stopPostgres(launch.folder, launch.environment);
  await makeWay(launch);
  return undefined;
}

/**
 * Ends the remaining processes of a killed PostgreSQL, and removes files that would stop a new one.
 */
async function makeWay(launch: Launch): Promise<void> {
  if ((await findFolderProcesses(launch.folder)) === undefined) return;
  await stopPostgres(launch.folder, launch.environment);
  await clearPostmasterFile(launch.folder);
}

function unprovenMessage(folder: string, pid: number): string {
  return `${folder}/postmaster.pid names the process ${pid}, which does not answer as the PostgreSQL of this folder: if it is not, delete the file; if it is, end it`;
}

async function isOurs(launch: Launch, cluster: Cluster, postmaster: Postmaster): Promise<boolean> {
  const sql = openPostgres({
    url: urlOf(cluster, postmaster, 'postgres'),
    applicationName: 'quire-adopt',
    connectionCount: 1,
  });
  try {
    const [found] = await sql<{ folder: string; mark: string | null }[]>`
      select current_setting('data_directory') as folder,
             current_setting('quire.launch', true) as mark`;
    return found?.folder === launch.folder && found.mark === launchMark(launch);
  } catch {
    return false; // does not answer, or does not know our password: not one to rely on
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function createDatabase(adminUrl: string): Promise<void> {
  const sql = openPostgres({ url: adminUrl, applicationName: 'quire-start', connectionCount: 1 });
  try {
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`;
    if (found.length === 0) await sql`create database ${sql(databaseName)}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function urlOf(cluster: Cluster, postmaster: Postmaster, database: string): string {
  return `postgres://${clusterUser}:${cluster.password}@127.0.0.1:${postmaster.port}/${database}`;
}
