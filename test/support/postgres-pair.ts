import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { realEnvironment } from '../../server/foundation.ts';
import { chooseAccount, type Account } from '../../server/storage/embedded/account.ts';
import { findBinaries, type Binaries } from '../../server/storage/embedded/binaries.ts';
import { clusterUser, openCluster } from '../../server/storage/embedded/cluster.ts';
import { stopPostgres } from '../../server/storage/embedded/launch.ts';
import { readPostmasterFile } from '../../server/storage/embedded/postmaster-file.ts';
import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { copyCluster } from './cluster-template.ts';
import { quietPort } from './quiet-port.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);
const database = 'quire';

/** Both play either role: `a` begins as the primary and `b` as its synchronous standby. */
export type PairMember = 'a' | 'b';

interface Member {
  readonly folder: string;
  readonly port: number;
  child: ChildProcess | undefined;
}

interface Shared {
  readonly account: Account;
  readonly binaries: Binaries;
  readonly password: string;
}

/** Two real PostgreSQL servers with synchronous replication from one to the other. */
export class PostgresPair {
  readonly #shared: Shared;
  readonly #members: Readonly<Record<PairMember, Member>>;

  private constructor(shared: Shared, members: Readonly<Record<PairMember, Member>>) {
    this.#shared = shared;
    this.#members = members;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<PostgresPair> {
    const folder = await makeTemporaryFolder(t);
    await copyCluster(folder);
    const binaries = await findBinaries();
    const account = await chooseAccount([binaries.folder, folder]);
    const { password, ...cluster } = await openCluster(folder, binaries, account, realEnvironment);
    const copy = join(folder, 'copy');
    await run('cp', ['-a', cluster.folder, copy]);
    const members = {
      a: { folder: cluster.folder, port: await quietPort(), child: undefined },
      b: { folder: copy, port: await quietPort(), child: undefined },
    };
    const pair = new PostgresPair({ account, binaries, password }, members);
    t.teardown(() => pair.#stop());
    await pair.#follow('b', 'a');
    await pair.begin('a');
    await pair.begin('b');
    await pair.#createDatabase();
    return pair;
  }

  /** The URL of one, or of both for whoever looks for the primary. */
  url(...names: readonly PairMember[]): string {
    const hosts = names.map((name) => `127.0.0.1:${this.#members[name].port}`).join(',');
    const target = names.length > 1 ? '?target_session_attrs=primary' : '';
    return `postgres://${clusterUser}:${this.#shared.password}@${hosts}/${database}${target}`;
  }

  /** Asks one of them something, beside everybody else. */
  async ask<Row extends object>(
    name: PairMember,
    statement: (sql: Sql) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    const url = this.url(name);
    const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
    try {
      return await statement(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Kills a server as a power cut would, without a last message. */
  async kill(name: PairMember): Promise<void> {
    const { child, folder } = this.#members[name];
    const gone = child && once(child, 'exit');
    child?.kill('SIGKILL');
    await gone;
    await stopPostgres(folder, realEnvironment);
  }

  async begin(name: PairMember): Promise<void> {
    const { account, binaries } = this.#shared;
    const member = this.#members[name];
    const log = await open(`${member.folder}.log`, 'a');
    const settings = {
      port: String(member.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      synchronous_standby_names: name === 'a' ? 'ANY 1 (b)' : '',
      wal_receiver_timeout: '5s',
      wal_retrieve_retry_interval: '100ms',
      io_method: 'sync',
    };
    const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    member.child = account.spawn(binaries.postgres, ['-D', member.folder, ...flags], {
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    await this.#untilReady(name);
  }

  async promote(name: PairMember): Promise<void> {
    await this.ask(name, (sql) => sql`select pg_promote()`);
  }

  async #untilReady(name: PairMember): Promise<void> {
    const { folder, child } = this.#members[name];
    for (;;) {
      if (child?.exitCode !== null) throw new Error(`PostgreSQL ended: see ${folder}.log`);
      const postmaster = await readPostmasterFile(folder);
      if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #follow(name: PairMember, leader: PairMember): Promise<void> {
    const { account, password } = this.#shared;
    const { folder } = this.#members[name];
    const { port } = this.#members[leader];
    const source = `host=127.0.0.1 port=${port} user=${clusterUser} password=${password} application_name=${name}`;
    await appendFile(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    const signal = join(folder, 'standby.signal');
    await writeFile(signal, '');
    if (account.owner) await chown(signal, account.owner.uid, account.owner.gid);
  }

  async #createDatabase(): Promise<void> {
    const url = new URL(this.url('a'));
    url.pathname = '/postgres';
    const sql = openPostgres({ url: url.href, applicationName: 'test', connectionCount: 1 });
    await sql`create database ${sql(database)}`;
    await sql.end();
  }

  async #stop(): Promise<void> {
    for (const { folder } of Object.values(this.#members)) {
      await stopPostgres(folder, realEnvironment, { milliseconds: 1_200 });
    }
  }
}
