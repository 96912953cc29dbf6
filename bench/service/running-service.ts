import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { endsWithUs } from '../child-ends.ts';

const mainProgram = fileURLToPath(new URL('../../server/main.js', import.meta.url));

const clockTicksPerSecond = 100;

/** A service in a process of its own, with its own PostgreSQL and a temporary folder. */
export class RunningService {
  readonly url: string;
  readonly credential: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(
    child: ChildProcess,
    at: { url: string; credential: string; folder: string },
  ) {
    this.#child = child;
    this.url = at.url;
    this.credential = at.credential;
    this.#folder = at.folder;
  }

  /** `program` and its options as node takes them; the service itself when left out. */
  static async start(
    program: readonly string[] = [mainProgram],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<RunningService> {
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'quire-bench-'));
    await chmod(folder, 0o711);
    const child = endsWithUs(
      spawn(process.execPath, program, {
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          PORT: '0',
          DATA_DIR: folder,
          RATE_LIMITS: 'off',
          LOG_LEVEL: 'error',
          ...settings,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const url = await readReadyLine(child);
    return new RunningService(child, { url, credential: await register(url), folder });
  }

  /** The credential of another agent, who shares nothing with the first. */
  registerOther(): Promise<string> {
    return register(this.url);
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends a request of the first agent; fails unless it succeeds. */
  async ask(path: string, body?: object): Promise<unknown> {
    const headers = {
      authorization: `Bearer ${this.credential}`,
      'content-type': 'application/json',
    };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${this.url}${path}`, { headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${text}`);
    return JSON.parse(text) as unknown;
  }

  /** Resident memory of the process, now and at its highest. */
  async residentMebibytes(): Promise<{ now: number; most: number }> {
    const status = await readFile(`/proc/${this.processId}/status`, 'utf8');
    const kibibytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    return { now: kibibytes('VmRSS') / 1024, most: kibibytes('VmHWM') / 1024 };
  }

  async createWorkbook(credential = this.credential): Promise<string> {
    const answer = await fetch(`${this.url}/v1/workbooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}` },
    });
    return ((await answer.json()) as { id: string }).id;
  }

  /** Returns the processor time of the service without PostgreSQL; NaN where there is no /proc. */
  async cpuSeconds(): Promise<number> {
    const path = `/proc/${this.#child.pid ?? 0}/stat`;
    const text = await readFile(path, 'utf8').catch(() => '');
    // The second field is the program's name in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond;
  }

  /**
   * Returns the p99 delay of the event loop in milliseconds since the last call, including a tick
   * of 10.
   */
  async loopDelay(): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const line = /^quire_nodejs_eventloop_lag_p99_seconds (?<seconds>\S+)/m.exec(text);
    return Number(line?.groups?.['seconds']) * 1_000;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await once(this.#child, 'close');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function register(url: string): Promise<string> {
  const answer = await fetch(`${url}/agent/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"anonymous"}',
  });
  const { data } = (await answer.json()) as { data: { credential: string } };
  return data.credential;
}

async function readReadyLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Quire is ready: (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the service ended before it was ready');
}
