import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { realEnvironment } from '../../server/foundation.ts';
import { stopPostgres } from '../../server/storage/embedded/launch.ts';
import { programPath } from './programs.ts';

/** Settings of the machine that programs need; all others come from the test. */
const programEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin' };

export const mainProgram = programPath(new URL('../../server/main.js', import.meta.url));

/** The same as `npm start` runs it, of many modules, whatever a run of tests has made of it. */
export const builtProgram = fileURLToPath(new URL('../../server/main.js', import.meta.url));

/** The service without a kernel: formulas are checked by the double, and nothing is calculated. */
export const doubleProgram = programPath(new URL('./double-service.js', import.meta.url));

/** The service with a clock that SIGUSR2 moves eight seconds forward. */
export const clockProgram = programPath(new URL('./clock-service.js', import.meta.url));

/** The test that ends the process, and that tells of its log when it fails. */
type OwnTest = Pick<Test, 'teardown'> & Partial<Pick<Test, 'passing'>>;

export interface BegunService {
  readonly child: ChildProcess;
  /** JSON log lines so far. */
  readonly logLines: readonly string[];
  /** Rejects if the process ends before it is ready. */
  readonly started: Promise<ServiceProcess>;
  /** Its exit code, once it has ended. */
  ended(): Promise<number | null>;
}

/** The real program in a process of its own, to be killed and started again on one DATA_DIR. */
export class ServiceProcess {
  readonly child: ChildProcess;
  /** Address of the ready line. */
  readonly url: string;
  /** Where it listens; that of the address, unless the program says otherwise. */
  readonly port: number;
  /** JSON log lines so far. */
  readonly logLines: readonly string[];

  private constructor(child: ChildProcess, ready: Ready, logLines: readonly string[]) {
    this.child = child;
    this.url = ready.url;
    this.port = ready.port ?? Number(new URL(ready.url).port);
    this.logLines = logLines;
  }

  static async start(
    t: OwnTest,
    dataDirectory: string,
    settings: Readonly<Record<string, string>> = {},
    program = mainProgram,
  ): Promise<ServiceProcess> {
    return ServiceProcess.begin(t, dataDirectory, settings, program).started;
  }

  /** Starts it without waiting until it is ready. */
  static begin(
    t: OwnTest,
    dataDirectory: string,
    settings: Readonly<Record<string, string>> = {},
    program = mainProgram,
  ): BegunService {
    const child = spawnProgram(program, dataDirectory, settings);
    const logLines = collectLines(child);
    t.teardown(async () => {
      const end = child.signalCode ?? child.exitCode;
      await endAll(child, dataDirectory);
      if (t.passing?.() === false) tell(end, logLines);
    });
    const started = readReadyLine(child).then((ready) => {
      if (ready !== undefined) return new ServiceProcess(child, ready, logLines);
      throw new Error(`the service did not start: ${logLines.join('\n')}`);
    });
    return { child, logLines, started, ended: () => ended(child) };
  }

  /** Starts a process that should refuse; resolves with its exit code and output. */
  static async refuse(
    dataDirectory: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number | null; output: string }> {
    const child = spawnProgram(mainProgram, dataDirectory, settings);
    const logLines = collectLines(child);
    const code = await ended(child);
    return { code, output: logLines.join('\n') };
  }

  /** Ends the process by a signal; resolves with the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const code = ended(this.child);
    this.child.kill(signal);
    return code;
  }

  /** Kills the process, as a power cut would. */
  async kill(): Promise<void> {
    const code = ended(this.child);
    this.child.kill('SIGKILL');
    await code;
  }
}

function spawnProgram(
  program: string,
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(process.execPath, [program], {
    env: { ...programEnvironment, PORT: '0', DATA_DIR: dataDirectory, WORKERS: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collectLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  }
  return lines;
}

interface Ready {
  readonly url: string;
  readonly port: number | undefined;
}

async function readReadyLine(child: ChildProcess): Promise<Ready | undefined> {
  if (child.stdout === null) return undefined;
  let port: number | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const listening = /^Quire listens: (\d+)$/.exec(line)?.[1];
    if (listening !== undefined) port = Number(listening);
    const url = /^Quire is ready: (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, port };
  }
  return undefined;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  await once(child, 'close');
  return child.exitCode;
}

/** Fails with what is known of a process whose test failed. */
function tell(end: NodeJS.Signals | number | null, log: readonly string[]): void {
  const state = end === null ? 'ran' : `had ended (${end})`;
  throw new Error(`the service ${state}; its log:\n${log.slice(-20).join('\n')}`);
}

async function endAll(child: ChildProcess, dataDirectory: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
  }
  await stopPostgres(`${dataDirectory}/postgres`, realEnvironment);
}
