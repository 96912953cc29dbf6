import { setTimeout as sleep } from 'node:timers/promises';

import { closeCodes } from '../../server/collaboration/close-codes.ts';
import { Book } from '../support/book.ts';
import { faultsAfter, runSchedule } from '../support/live-schedule.ts';
import { quietPort } from '../support/quiet-port.ts';
import { ReplicaClient } from '../support/replica-client.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import type { Cleanup } from './crash-loop.ts';

export interface LiveCrashOptions {
  readonly cleanup: Cleanup;
  /** Both processes have the database, the objects and the keys that they name. */
  readonly settings: Readonly<Record<string, string>>;
  /** A folder that each process may write to. */
  readonly folder: string;
  /** Pauses may last so long that the others take the process for dead. */
  readonly hasLongPauses?: boolean;
}

export interface LiveReport {
  operations: number;
  connections: number;
  gaps: number;
  kills: number;
  pauses: number;
  readonly faults: string[];
}

const clientCount = 8;
const stepCount = 40;
const killsMost = 2;
/** A process that was silent for ten seconds is taken for dead. */
const longMilliseconds = 11_000;
/** A killed process says nothing, a stopped one says goodbye. */
const expectedEnds = [1006, closeCodes.draining, closeCodes.overload];

/** One process of the service at an address that it keeps, however often it dies. */
class Standing {
  readonly door: ServiceDoor;
  readonly #begin: () => Promise<ServiceProcess>;
  #running: ServiceProcess | undefined;

  constructor(port: number, begin: () => Promise<ServiceProcess>) {
    this.door = new ServiceDoor(`http://127.0.0.1:${port}`);
    this.#begin = begin;
  }

  async start(): Promise<void> {
    this.#running = await this.#begin();
  }

  async killAndStart(): Promise<void> {
    await this.#running?.kill();
    await this.start();
  }

  async pause(milliseconds: number): Promise<void> {
    const child = this.#running?.child;
    child?.kill('SIGSTOP');
    await sleep(milliseconds);
    child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }
}

/** Eight clients of two processes, which are killed and paused while they edit one branch. */
export class LiveCrash {
  readonly report: LiveReport = emptyReport();
  readonly #options: LiveCrashOptions;
  readonly #processes: readonly Standing[];

  private constructor(options: LiveCrashOptions, processes: readonly Standing[]) {
    this.#options = options;
    this.#processes = processes;
  }

  static async start(options: LiveCrashOptions): Promise<LiveCrash> {
    const { cleanup, folder, settings } = options;
    const processes: Standing[] = [];
    for (const name of ['a', 'b']) {
      const port = await quietPort();
      const own = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', ...settings, PORT: String(port) };
      const begin = (): Promise<ServiceProcess> =>
        ServiceProcess.start(cleanup, `${folder}/${name}`, own, doubleProgram);
      processes.push(new Standing(port, begin));
    }
    await Promise.all(processes.map((process) => process.start()));
    return new LiveCrash(options, processes);
  }

  /** Schedules of several workbooks at once, which share what happens to the processes. */
  async round(seed: number, together = 1): Promise<void> {
    const random = new SeededRandom(seed);
    const over = new AbortController();
    const schedules = Array.from({ length: together }, (_, at) => this.#schedule(seed + at));
    const disturbing = this.#disturb(random, over.signal);
    const edited = await Promise.all(schedules);
    over.abort();
    await disturbing;
    for (const { seed: own, book, clients } of edited) {
      const faults = await faultsAfter(book, clients);
      this.report.faults.push(...faults.map((fault) => `seed ${own}: ${fault}`));
      this.report.operations += clients[0]?.appliedSeq ?? 0;
      for (const client of clients) {
        this.report.connections += client.reconnectCount;
        this.report.gaps += client.gapCount;
        client.drop();
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
  }

  async #schedule(seed: number) {
    const random = new SeededRandom(seed);
    const doors = this.#processes.map(({ door }) => door);
    const book = await this.#createBook(doors);
    const books = doors.map((door) => book.at(door));
    const anyBook = (): Book<ServiceDoor> => books[random.between(0, books.length - 1)] ?? book;
    const names = Array.from({ length: clientCount }, (_, at) => `c${at}`);
    const clients = names.map((name) => new ReplicaClient(anyBook, name, { ends: expectedEnds }));
    await runSchedule({ clients, random, stepCount });
    return { seed, book, clients };
  }

  async #createBook(doors: readonly ServiceDoor[]): Promise<Book<ServiceDoor>> {
    for (let tries = 0; ; tries++) {
      const door = doors[tries % doors.length];
      if (!door) throw new Error('there is no process');
      try {
        return await Book.create(door);
      } catch (error) {
        // The process may be dead at the moment.
        if (tries === 100) throw error;
        await sleep(100);
      }
    }
  }

  async #disturb(random: SeededRandom, over: AbortSignal): Promise<void> {
    let killCount = 0;
    while (!over.aborted) {
      await sleep(random.between(50, 500));
      const process = this.#processes[random.between(0, this.#processes.length - 1)];
      const kind = random.between(0, 9);
      if (kind <= 3 && killCount < killsMost) {
        killCount++;
        this.report.kills++;
        await process?.killAndStart();
      } else if (kind <= 7) {
        this.report.pauses++;
        const isLong = this.#options.hasLongPauses === true && kind === 7;
        await process?.pause(isLong ? longMilliseconds : random.between(20, 1_500));
      }
    }
  }
}

function emptyReport(): LiveReport {
  return { operations: 0, connections: 0, gaps: 0, kills: 0, pauses: 0, faults: [] };
}
