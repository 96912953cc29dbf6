import { setTimeout as sleep } from 'node:timers/promises';

import { PostgresJournal } from '../../server/branches/sql.ts';
import type { FormulaService } from '../../server/model/formula-service.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { findFaults, replayWhole } from '../support/branch-checks.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { databaseUrl, get, post } from './requests.ts';
import { CrashWriter } from './writer.ts';

/** Things to be ended after the loop, last first. */
export interface Cleanup {
  teardown(action: () => unknown): void;
}

export interface CrashOptions {
  readonly dataDirectory: string;
  readonly program: string;
  /** The language of the program: what the journal is replayed with. */
  readonly formulas: FormulaService;
  readonly random: SeededRandom;
  readonly writerCount: number;
  readonly cleanup: Cleanup;
}

export interface CrashReport {
  readonly roundCount: number;
  readonly acknowledgedCount: number;
  /** Operations that a killed service had written without answering. */
  readonly repeatCount: number;
  readonly faults: readonly string[];
}

/** Rounds after which a new workbook begins, so that checking one stays quick. */
const roundsPerWorkbook = 10;
const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error' };

/** Kills the service under load, starts it again, and looks whether anything it promised is gone. */
export class CrashLoop {
  readonly #options: CrashOptions;
  readonly #writers: CrashWriter[];
  readonly #faults: string[] = [];
  #credential = '';
  #workbookId = '';
  #service: ServiceProcess;
  #acknowledgedCount = 0;

  private constructor(options: CrashOptions, service: ServiceProcess, credential: string) {
    this.#options = options;
    this.#service = service;
    this.#credential = credential;
    const { random, writerCount } = options;
    this.#writers = Array.from(
      { length: writerCount },
      (_, index) => new CrashWriter({ name: `w${index}`, credential, random }),
    );
  }

  static async run(
    options: CrashOptions,
    roundCount: number,
    onRound: (round: number) => void = () => undefined,
  ): Promise<CrashReport> {
    const service = await startService(options);
    const answer = await post(`${service.url}/agent/auth`, { type: 'anonymous' });
    const { credential } = (answer as { data: { credential: string } }).data;
    const loop = new CrashLoop(options, service, credential);
    for (let round = 1; round <= roundCount && loop.#faults.length === 0; round++) {
      if (round % roundsPerWorkbook === 1) await loop.#beginWorkbook();
      await loop.#round();
      onRound(round);
    }
    await loop.#service.stop();
    return loop.#report(roundCount);
  }

  #report(roundCount: number): CrashReport {
    const repeatCount = this.#writers.reduce((sum, writer) => sum + writer.repeatCount, 0);
    const { length } = this.#writers.flatMap(({ acknowledged }) => acknowledged);
    const acknowledgedCount = this.#acknowledgedCount + length;
    return { roundCount, acknowledgedCount, repeatCount, faults: this.#faults };
  }

  async #beginWorkbook(): Promise<void> {
    const answer = await post(`${this.#service.url}/v1/workbooks`, {}, this.#credential);
    this.#workbookId = (answer as { id: string }).id;
    for (const writer of this.#writers) {
      this.#acknowledgedCount += writer.acknowledged.length;
      writer.reset();
    }
  }

  async #round(): Promise<void> {
    const { random } = this.#options;
    let isOver = false;
    const url = this.#pathOf('ops');
    const writing = this.#writers.map((writer) => writer.run(url, () => isOver));
    await sleep(random.between(20, 500));
    await this.#service.kill();
    isOver = true;
    await Promise.all(writing);
    this.#service = await startService(this.#options);
    const again = this.#pathOf('ops');
    await Promise.all(this.#writers.map((writer) => writer.finish(again)));
    await this.#check();
  }

  #pathOf(what: 'ops' | 'state'): string {
    return `${this.#service.url}/v1/workbooks/${this.#workbookId}/branches/main/${what}`;
  }

  /** Compares the journal as it is in PostgreSQL with what was acknowledged and what is shown. */
  async #check(): Promise<void> {
    const { formulas, dataDirectory } = this.#options;
    const sql = openPostgres({
      url: await databaseUrl(dataDirectory),
      applicationName: 'quire-crash',
      connectionCount: 1,
    });
    try {
      const address = { workbookId: this.#workbookId, branchNo: 1 };
      const replayed = await replayWhole(new PostgresJournal(sql), address, { formulas });
      const acknowledged = this.#writers.flatMap((writer) => writer.acknowledged);
      this.#faults.push(...findFaults(replayed.records, acknowledged));
      const shown = await get(this.#pathOf('state'), this.#credential);
      const { head, stateHash } = shown as { head: number; stateHash: string };
      if (head !== replayed.records.length) {
        this.#faults.push(`the head is ${head} of ${replayed.records.length} operations`);
      }
      if (stateHash !== replayed.stateHash) this.#faults.push('the state is not its replay');
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}

function startService({ cleanup, dataDirectory, program }: CrashOptions): Promise<ServiceProcess> {
  return ServiceProcess.start(cleanup, dataDirectory, settings, program);
}
