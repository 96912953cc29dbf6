import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import postgres from 'postgres';

import { endsWithUs } from '../child-ends.ts';
import { BenchConnection, rawRead, rawRequest } from '../service/connection.ts';

const program = fileURLToPath(new URL('serve.js', import.meta.url));
const millisecondsPerTick = 10;
const memoryFile = 'bench-memory.json';
const credentialFile = 'bench-credential.json';

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/**
 * Stretches for which the event loop was blocked, in milliseconds of processor time, which other
 * load does not lengthen.
 */
export interface Holds {
  readonly longestMilliseconds: number;
  readonly usedMilliseconds: number;
}

export interface Answer {
  readonly milliseconds: number;
  readonly json: unknown;
}

/** A service on a data folder, which can be killed and started again there. */
export class MeasuredService {
  readonly folder: string;
  #child: ChildProcess | undefined;
  #connection: BenchConnection | undefined;
  #host = '';
  #credential = '';

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Its address. */
  get url(): string {
    return `http://${this.#host}`;
  }

  /**
   * Returns the processor time of the service without PostgreSQL, which other load does not change.
   */
  async cpuMilliseconds(): Promise<number> {
    const text = await readFile(`/proc/${this.#child?.pid ?? 0}/stat`, 'utf8').catch(() => '');
    // The second field is the program's name in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
  }

  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await chmod(this.folder, 0o711);
    const profile = process.env['QUIRE_BENCH_NODE_OPTIONS']?.split(' ') ?? [];
    const child = endsWithUs(
      spawn(process.execPath, ['--expose-gc', ...profile, program], {
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          PORT: '0',
          DATA_DIR: this.folder,
          RATE_LIMITS: 'off',
          LOG_LEVEL: 'error',
        },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      }),
    );
    this.#child = child;
    const url = await readyUrl(child);
    this.#host = new URL(url).host;
    this.#credential = await this.#readCredential(url);
    this.#connection = await BenchConnection.open(url);
  }

  /** Kills the process and starts another one, which takes over the running PostgreSQL. */
  async restart(): Promise<void> {
    this.#connection?.close();
    const child = this.#child;
    if (child) {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    }
    await this.start();
  }

  async stop(): Promise<void> {
    this.#connection?.close();
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async get(path: string): Promise<Answer> {
    return this.#send(rawRead(path, { host: this.#host, credential: this.#credential }));
  }

  async post(path: string, body: object, method = 'POST'): Promise<Answer> {
    const at = { host: this.#host, credential: this.#credential, body: JSON.stringify(body) };
    const request = rawRequest(path, at);
    if (method === 'POST') return this.#send(request);
    return this.#send(Buffer.concat([Buffer.from(method), request.subarray('POST'.length)]));
  }

  /** Returns the stretches for which the serving thread was blocked since the last call. */
  async holds(): Promise<Holds> {
    const child = this.#child;
    if (!child) throw new Error('the service is not started');
    child.send('holds');
    const [held] = (await once(child, 'message')) as [Holds];
    return held;
  }

  /** Reads a path repeatedly on its own connection; returns the milliseconds of each read. */
  async reader(path: string): Promise<() => Promise<number>> {
    const connection = await BenchConnection.open(this.url);
    const request = rawRead(path, { host: this.#host, credential: this.#credential });
    return async () => {
      const started = performance.now();
      const { status, body } = await connection.send(request);
      if (status !== 200) throw new Error(`${status}: ${body.toString().slice(0, 500)}`);
      return performance.now() - started;
    };
  }

  /** Returns the memory that the process holds after its garbage was collected. */
  async memory(): Promise<Memory> {
    const path = join(this.folder, memoryFile);
    await rm(path, { force: true });
    this.#child?.kill('SIGUSR2');
    for (;;) {
      await delay(100);
      const text = await readFile(path, 'utf8').catch(() => '');
      if (text.endsWith('}')) return JSON.parse(text) as Memory;
    }
  }

  /** Bytes of the database and of all objects. */
  async diskBytes(): Promise<{ database: number; objects: number }> {
    return this.sql(async (sql) => {
      await sql`vacuum`;
      const [row] = await sql<{ size: string }[]>`
        select pg_database_size(current_database()) as size`;
      const objects = await folderBytes(join(this.folder, 'objects'));
      return { database: Number(row?.size ?? 0), objects };
    });
  }

  /** Drops everything that the process has in memory of a workbook. */
  async forget(workbookId: string): Promise<void> {
    await this.post(`/v1/workbooks/${workbookId}`, {}, 'DELETE');
    await this.post(`/v1/workbooks/${workbookId}/restore`, {});
  }

  async sql<Result>(use: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
    const password = (await readFile(join(this.folder, 'postgres.password'), 'utf8')).trim();
    const lines = await readFile(join(this.folder, 'postgres', 'postmaster.pid'), 'utf8');
    const port = Number(lines.split('\n')[3]);
    const at = { host: '127.0.0.1', port, username: 'quire', password, database: 'quire' };
    const sql = postgres({ ...at, max: 1, onnotice: () => undefined });
    try {
      return await use(sql);
    } finally {
      await sql.end();
    }
  }

  async #send(request: Buffer): Promise<Answer> {
    if (!this.#connection) throw new Error('the service is not started');
    const started = performance.now();
    const { status, body } = await this.#connection.send(request);
    const milliseconds = performance.now() - started;
    const text = body.toString();
    if (status >= 300) throw new Error(`${status}: ${text.slice(0, 500)}`);
    return { milliseconds, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  async #readCredential(url: string): Promise<string> {
    const path = join(this.folder, credentialFile);
    const isKnown = await access(path).then(
      () => true,
      () => false,
    );
    if (isKnown)
      return (JSON.parse(await readFile(path, 'utf8')) as { credential: string }).credential;
    const answer = await fetch(`${url}/agent/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"anonymous"}',
    });
    const { data } = (await answer.json()) as { data: { credential: string } };
    await writeFile(path, JSON.stringify({ credential: data.credential }));
    return data.credential;
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Quire is ready: (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the service ended before it was ready');
}

async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const entry of entries) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
