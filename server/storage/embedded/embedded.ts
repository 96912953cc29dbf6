import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../model/environment.ts';
import { openPostgres } from '../postgres.ts';
import { isRunning } from '../process-table.ts';
import { chooseAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { clusterUser, openCluster } from './cluster.ts';
import type { Cluster } from './cluster.ts';
import { launchMark, launchPostgres, pause, stopPostgres, waitUntilReady } from './launch.ts';
import type { Launch } from './launch.ts';
import { findRunningPostmaster } from './postmaster-file.ts';
import type { Postmaster } from './postmaster-file.ts';

export interface EmbeddedOptions {
  /** Made and locked by the caller: two processes must not start one cluster. */
  readonly dataDirectory: string;
  readonly environment: Environment;
  readonly onEvent: (message: string) => void;
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
  #stopping = false;
  #cancelWatch: () => void = () => undefined;
  /** The restart under way, so that stop does not run beside it. */
  #restart: Promise<void> = Promise.resolve();

  private constructor(
    launch: Launch,
    postmaster: Postmaster,
    url: string,
    onEvent: (message: string) => void,
  ) {
    this.#launch = launch;
    this.#postmaster = postmaster;
    this.url = url;
    this.#onEvent = onEvent;
    this.#watch();
  }

  static async start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
    const dataDirectory = await realpath(options.dataDirectory);
    const binaries = await findBinaries();
    const account = await chooseAccount([binaries.folder, dataDirectory]);
    const cluster = await openCluster(dataDirectory, binaries, account, options.environment);
    const launch: Launch = {
      binaries,
      account,
      folder: cluster.folder,
      logFile: join(dataDirectory, 'postgres.log'),
      environment: options.environment,
    };
    const adopted = await adoptRunning(launch, cluster);
    if (adopted !== undefined) options.onEvent(`adopted the PostgreSQL with pid ${adopted.pid}`);
    const postmaster = adopted ?? (await launchPostgres(launch));
    try {
      await createDatabase(urlOf(cluster, postmaster, 'postgres'));
    } catch (error) {
      await stopPostgres(postmaster.pid, options.environment);
      throw error;
    }
    const url = urlOf(cluster, postmaster, databaseName);
    return new EmbeddedPostgres(launch, postmaster, url, options.onEvent);
  }

  get pid(): number {
    return this.#postmaster.pid;
  }

  /** Close the pools first: what is still connected is cut off. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelWatch();
    await this.#restart;
    await stopPostgres(this.#postmaster.pid, this.#launch.environment);
  }

  #watch(): void {
    if (this.#stopping) return;
    this.#cancelWatch = this.#launch.environment.after(watchMilliseconds, () => {
      this.#restart = this.#restartIfGone().finally(() => this.#watch());
    });
  }

  async #restartIfGone(): Promise<void> {
    if (await isRunning(this.#postmaster.pid)) return;
    if (this.#stopping) return;
    this.#onEvent(`PostgreSQL (pid ${this.#postmaster.pid}) is gone: starting it again`);
    try {
      this.#postmaster = await launchPostgres(this.#launch, this.#postmaster.port);
    } catch (error) {
      // Tried again at the next look; meanwhile /ready says that the database is away.
      this.#onEvent(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Takes over a healthy PostgreSQL that a killed Quire left; stops one that is not as we want it. */
async function adoptRunning(launch: Launch, cluster: Cluster): Promise<Postmaster | undefined> {
  const found = await findRunningPostmaster(launch.folder);
  if (found === undefined) return undefined;
  if (found.status !== 'stopping') {
    const ready = await waitUntilReady(launch, found.pid);
    if (await isOurs(launch, cluster, ready)) return ready;
  }
  await stopPostgres(found.pid, launch.environment);
  await pause(launch.environment, 0);
  return undefined;
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
