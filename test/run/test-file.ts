import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Result of one file of tests. */
export interface Outcome {
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  /** At least 1 where the file as a whole did not end well. */
  readonly failed: number;
  /** Everything that it printed. */
  readonly output: string;
  /** Points that failed, or else the end of the output. */
  readonly complaint: string;
}

/** Draws every random case of a file from one seed. */
const seedModule = './build/test/support/test-seed.js';
const tailLines = 60;
/** For tap to say what was still under way. */
const lastWordsMilliseconds = 2000;

export interface FileSettings {
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** One file of tests in a process group of its own, so that nothing of it stays behind. */
export class TestFile {
  readonly #file: string;
  readonly #child: ChildProcess;
  readonly #began = performance.now();
  readonly #chunks: Buffer[] = [];
  #isLate = false;

  constructor(file: string, { timeoutSeconds, environment }: FileSettings) {
    this.#file = file;
    this.#child = spawn(process.execPath, [`--import=${seedModule}`, file], {
      detached: true,
      env: { ...process.env, ...tapEnvironment(timeoutSeconds), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    if (timeoutSeconds > 0) this.#endAfter(timeoutSeconds * 1000);
  }

  async outcome(): Promise<Outcome> {
    const closed = once(this.#child, 'close');
    // Services that a failed test has left hold the same pipes.
    this.#child.once('exit', () => this.kill());
    const [code] = (await closed) as [number | null];
    const output = Buffer.concat(this.#chunks).toString('utf8');
    const points = [...output.matchAll(/^ *(not )?ok \d+/gm)];
    const refused = points.filter(([, not]) => not !== undefined).length;
    const isWell = code === 0 && !this.#isLate && points.length > 0;
    return {
      file: this.#file,
      seconds: (performance.now() - this.#began) / 1000,
      passed: points.length - refused,
      failed: Math.max(refused, isWell ? 0 : 1),
      output,
      complaint: refused > 0 ? failedPoints(output) : this.#tail(output, code),
    };
  }

  /** Ends the file and every process that it has started in its group. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  #endAfter(milliseconds: number): void {
    const late = setTimeout(() => {
      this.#isLate = true;
      this.#child.kill('SIGALRM');
      const last = setTimeout(() => this.kill(), lastWordsMilliseconds);
      this.#child.once('exit', () => clearTimeout(last));
    }, milliseconds);
    this.#child.once('exit', () => clearTimeout(late));
  }

  #tail(output: string, code: number | null): string {
    const why = this.#isLate ? 'it took too long' : `it ended with ${code ?? 'a signal'}`;
    return [why, ...output.trimEnd().split('\n').slice(-tailLines)].join('\n');
  }
}

/** As the command of tap has it with the settings of .taprc. */
function tapEnvironment(timeoutSeconds: number): Record<string, string> {
  return {
    TAP: '1',
    TAP_TIMEOUT: String(timeoutSeconds),
    TAP_FAIL_SKIP: '1',
    TAP_FAIL_ONLY: '1',
  };
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
