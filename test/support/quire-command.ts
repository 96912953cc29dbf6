import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import type { Test } from 'tap';

import { root } from './sources.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, each line of it parsed. */
  readonly lines: unknown[];
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command as a process, with a home of its own and one service. */
export class QuireCommand {
  static readonly main = join(root, 'build/client/cli/main.js');
  readonly home: string;
  readonly url: string;

  readonly #more: Readonly<Record<string, string>>;

  private constructor(home: string, url: string, more: Readonly<Record<string, string>> = {}) {
    this.home = home;
    this.url = url;
    this.#more = more;
  }

  static async at(t: Pick<Test, 'teardown'>, url: string): Promise<QuireCommand> {
    return new QuireCommand(await makeTemporaryFolder(t), url);
  }

  /** The same home with more in its environment. */
  with(more: Readonly<Record<string, string>>): QuireCommand {
    return new QuireCommand(this.home, this.url, more);
  }

  get environment(): Record<string, string> {
    const { PATH = '' } = process.env;
    const own = { PATH, HOME: this.home, XDG_CONFIG_HOME: this.home, QUIRE_URL: this.url };
    return { ...own, ...this.#more };
  }

  async run(args: readonly string[], { input, env }: RunOptions = {}): Promise<Ran> {
    const child = spawn(process.execPath, [QuireCommand.main, ...args], {
      cwd: this.home,
      env: { ...this.environment, ...env },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    const stdout = Buffer.concat(out).toString('utf8');
    const stderr = Buffer.concat(err).toString('utf8');
    const lines = stdout.split('\n').filter((line) => /^[{["\d]/.test(line));
    return { code, stdout, stderr, lines: lines.map(parsed) };
  }

  /** The same, which has to succeed; resolves with what was printed, without the last line end. */
  async text(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`quire ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout.trimEnd();
  }

  /** The first value that a call with `--json` prints. */
  async json(...args: string[]): Promise<Record<string, unknown>> {
    const text = await this.text(...args, '--json');
    return JSON.parse(text.split('\n')[0] ?? '') as Record<string, unknown>;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
