import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { noMoreFiles, type FileToRun, type TimeOfFile } from './file-to-run.ts';

/** Result of one file of tests. */
export interface Outcome {
  readonly file: string;
  readonly seconds: number;
  /** Seconds of these in which it was calculating, with the processes it started; 0 where it did not end well. */
  readonly busySeconds: number;
  readonly passed: number;
  /** At least 1 where the file as a whole did not end well. */
  readonly failed: number;
  /** Everything that it printed. */
  readonly output: string;
  /** Points that failed, or else the end of the output. */
  readonly complaint: string;
}

export interface ProcessSettings {
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Draws every random case of a file from one seed. What a test makes is soon garbage, which a
 * larger young generation forgets without looking at it again and again.
 */
const flags = ['--import=./build/test/support/test-seed.js', '--max-semi-space-size=64'];
const program = './build/test/run/run-files.js';
const tailLines = 60;
/** For tap to say what was still under way. */
const lastWordsMilliseconds = 5000;
/** For a process to end by itself when its last file has been run. */
const endMilliseconds = 20_000;
/** As the command of tap has it with the settings of .taprc; each file has a time of its own. */
const tapEnvironment = { TAP: '1', TAP_TIMEOUT: '0', TAP_FAIL_SKIP: '1', TAP_FAIL_ONLY: '1' };

/** A process that runs files of tests, in a group of its own, so that nothing of it stays behind. */
export class TestProcess {
  readonly #child: ChildProcess;
  readonly #timeoutMilliseconds: number;
  readonly #exited: Promise<unknown>;
  #output = '';
  #onOutput: () => void = () => undefined;
  #filesCount = 0;

  constructor({ timeoutSeconds, environment }: ProcessSettings) {
    this.#timeoutMilliseconds = timeoutSeconds * 1000;
    this.#child = spawn(process.execPath, [...flags, program], {
      detached: true,
      env: { ...process.env, ...tapEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    // Services that a failed test has left hold the same pipes.
    this.#child.once('exit', () => this.kill());
    this.#exited = once(this.#child, 'close');
  }

  /** How many files it has begun. */
  get filesCount(): number {
    return this.#filesCount;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Runs one file; no other may be under way. */
  async run(file: string): Promise<Outcome> {
    this.#output = '';
    this.#filesCount += 1;
    const began = performance.now();
    const message: FileToRun = {
      module: pathToFileURL(resolve(file)).href,
      name: file,
      timeoutMilliseconds: this.#timeoutMilliseconds,
    };
    this.#child.send(message);
    const time = this.#timeOf(file);
    const ended = await this.#endOf(file);
    const seconds = (performance.now() - began) / 1000;
    const said = await Promise.race([time, this.#exited.then(() => undefined)]);
    return outcomeOf({
      file,
      seconds,
      busySeconds: said?.busySeconds ?? 0,
      ended,
      output: this.#output,
    });
  }

  /** Lets the process end; resolves with what is wrong where something keeps it from it. */
  async end(): Promise<string | undefined> {
    this.#output = '';
    // Where the parent closes the channel, Node never tells that the child has ended.
    if (this.#child.connected) this.#child.send(noMoreFiles);
    const isLeft = await isLate(this.#exited, endMilliseconds);
    if (!isLeft) return undefined;
    this.kill();
    return `the process did not end ${endMilliseconds / 1000} s after its last file\n${this.#output}`;
  }

  /** Ends it and every process that it has started in its group. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  /** Resolves with how a file ended: by the last point of its subtest, or in another way. */
  async #endOf(file: string): Promise<Ended> {
    const late = new AbortController();
    const points: Promise<Ended>[] = [this.#lastPointOf(file), this.#exit()];
    if (this.#timeoutMilliseconds > 0) points.push(this.#tooLate(late.signal));
    try {
      return await Promise.race(points);
    } finally {
      late.abort();
      this.#onOutput = () => undefined;
    }
  }

  /** Resolves with what the process says when it has ended a file; tap sends messages of its own. */
  #timeOf(file: string): Promise<TimeOfFile> {
    return new Promise((resolve) => {
      const listen = (message: object): void => {
        if (!isTimeOf(message, file)) return;
        this.#child.off('message', listen);
        resolve(message);
      };
      this.#child.on('message', listen);
    });
  }

  #lastPointOf(file: string): Promise<Ended> {
    const count = this.#filesCount;
    const ends = [`    ok ${count} - ${file}`, `    not ok ${count} - ${file}`];
    return new Promise((resolve) => {
      this.#onOutput = () => {
        const found = ends.find((end) => this.#output.includes(`\n${end}`));
        if (found) resolve({ isWell: found === ends[0], why: 'it failed as a whole' });
      };
    });
  }

  async #exit(): Promise<Ended> {
    await this.#exited;
    const { exitCode, signalCode } = this.#child;
    return { isWell: false, why: `its process ended with ${exitCode ?? signalCode ?? 'nothing'}` };
  }

  /** Ends the process where a file takes so long that tap itself no longer ends it. */
  async #tooLate(signal: AbortSignal): Promise<Ended> {
    const milliseconds = this.#timeoutMilliseconds + lastWordsMilliseconds;
    await setTimeout(milliseconds, undefined, { signal }).catch(ignoreAbort);
    if (!signal.aborted) this.kill();
    return { isWell: false, why: 'it took too long' };
  }
}

function isTimeOf(message: object, file: string): message is TimeOfFile {
  return 'busySeconds' in message && 'name' in message && message.name === file;
}

interface Ended {
  readonly isWell: boolean;
  readonly why: string;
}

function outcomeOf({
  file,
  seconds,
  busySeconds,
  ended,
  output,
}: Omit<Outcome, 'passed' | 'failed' | 'complaint'> & { readonly ended: Ended }): Outcome {
  const points = [...output.matchAll(/^ {8,}(not )?ok \d+/gm)];
  const refused = points.filter(([, not]) => not !== undefined).length;
  const isWell = ended.isWell && points.length > 0;
  return {
    file,
    seconds,
    busySeconds,
    passed: points.length - refused,
    failed: Math.max(refused, isWell ? 0 : 1),
    output,
    complaint:
      refused > 0 ? failedPoints(output.replace(/^ {8}/gm, '')) : tailOf(output, ended.why),
  };
}

function tailOf(output: string, why: string): string {
  return [why, ...output.trimEnd().split('\n').slice(-tailLines)].join('\n');
}

async function isLate(done: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = setTimeout(milliseconds, true, { signal: timer.signal }).catch(ignoreAbort);
  const first = await Promise.race([done.then(() => false), late]);
  timer.abort();
  return first === true;
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
/** Each point that is not ok with its diagnosis, which ends with three dots at its depth. */
function failedPoints(output: string): string {
  const kept: string[] = [];
  let depth = -1;
  for (const line of output.split('\n')) {
    const [, indent] = /^( *)not ok \d+/.exec(line) ?? [];
    if (indent !== undefined) {
      depth = indent.length;
      kept.push(line);
      continue;
    }
    if (depth < 0) continue;
    if (line.trim() !== '' && !line.startsWith(' '.repeat(depth + 2))) {
      depth = -1;
      continue;
    }
    kept.push(line);
    if (line === `${' '.repeat(depth + 2)}...`) depth = -1;
  }
  return kept.join('\n');
}
