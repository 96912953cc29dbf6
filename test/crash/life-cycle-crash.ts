import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { PostgresJournal } from '../../server/branches/sql.ts';
import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { findFaults, replayWhole } from '../support/branch-checks.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import { workbookRows } from '../support/workbook-rows.ts';
import type { Cleanup } from './crash-loop.ts';
import { ask, databaseUrl, get, post, type Answer } from './requests.ts';
import { CrashWriter } from './writer.ts';

/** Where the process ends while it archives. `archive.any` is at a random moment under load. */
export const archivePlaces = ['archive.begin', 'archive.committed', 'archive.any'] as const;

/** Where it ends while it purges. `purge.deleting` is when a part of the objects is gone. */
export const purgePlaces = [
  'purge.begin',
  'purge.recorded',
  'purge.deleting',
  'purge.objects',
  'purge.rows',
] as const;

export type ArchivePlace = (typeof archivePlaces)[number];
export type PurgePlace = (typeof purgePlaces)[number];

export interface LifeCycleCrashOptions {
  readonly dataDirectory: string;
  readonly random: SeededRandom;
  readonly cleanup: Cleanup;
}

interface Place {
  readonly workbookId: string;
  readonly writers: readonly CrashWriter[];
}

const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
const writerCount = 3;
const objectCount = 20;
/** So many that a kill can hit the middle of their deletion. */
const manyObjectsCount = 4_000;
const filesPerFolder = 100;

/** Kills the service at named places of archiving and purging, and looks what a start makes of it. */
export class LifeCycleCrash {
  readonly faults: string[] = [];
  readonly #options: LifeCycleCrashOptions;
  readonly #sql: Sql;
  readonly #credential: string;
  #service: ServiceProcess;

  private constructor(
    options: LifeCycleCrashOptions,
    service: ServiceProcess,
    { sql, credential }: { sql: Sql; credential: string },
  ) {
    this.#options = options;
    this.#service = service;
    this.#sql = sql;
    this.#credential = credential;
  }

  static async start(options: LifeCycleCrashOptions): Promise<LifeCycleCrash> {
    const { cleanup, dataDirectory } = options;
    const service = await startService(options);
    const { credential } = await claimedAgent(service.url);
    const url = await databaseUrl(dataDirectory);
    const sql = openPostgres({ url, applicationName: 'quire-crash', connectionCount: 1 });
    cleanup.teardown(() => sql.end({ timeout: 1 }));
    return new LifeCycleCrash(options, service, { sql, credential });
  }

  async stop(): Promise<void> {
    await this.#service.stop();
  }

  /** Archives under load and dies at the place. */
  async archiveAt(place: ArchivePlace): Promise<void> {
    const fault = this.#faultAt(place);
    const { workbookId, writers } = await this.#begin(0);
    await this.#crashAt(place);
    let isOver = false;
    const ops = this.#url(workbookId, '/branches/main/ops');
    const writing = writers.map((writer) => writer.run(ops, () => isOver));
    await sleep(this.#options.random.between(20, 80));
    const asked = ask(this.#url(workbookId), { ...this.#as, method: 'DELETE' });
    if (place === 'archive.any') await sleep(this.#options.random.between(0, 12));
    if (place === 'archive.any') await this.#service.kill();
    const answer = await asked;
    isOver = true;
    await Promise.all(writing);
    await this.#restart();

    const book = (await get(this.#url(workbookId), this.#credential)) as { state: string };
    if (answer !== undefined && book.state !== 'archived') fault('was answered and is not so');
    if (place === 'archive.begin' && book.state !== 'active') fault('has happened by itself');
    if (place === 'archive.committed' && book.state !== 'archived') fault('is lost');
    await this.#checkArchived(workbookId, book.state, answer, fault);
    const again = this.#url(workbookId, '/branches/main/ops');
    await Promise.all(writers.map((writer) => writer.finish(again)));
    await this.#checkJournal({ workbookId, writers }, fault);
  }

  /** Purges what is archived and dies at the place. */
  async purgeAt(place: PurgePlace): Promise<void> {
    const fault = this.#faultAt(place);
    const neighbour = await this.#begin(objectCount);
    const count = place === 'purge.deleting' ? manyObjectsCount : objectCount;
    const book = await this.#begin(count);
    const { workbookId } = book;
    const confirm = await this.#archive(workbookId);
    await this.#crashAt(place);
    const path = this.#url(workbookId, `?purge=true&confirm=${confirm}`);
    const asked = ask(path, { ...this.#as, method: 'DELETE' });
    if (place === 'purge.deleting') await this.#killWithin(workbookId, count, fault);
    const answer = await asked;
    if (answer !== undefined) fault(`the service lived on and answered ${answer.status}`);
    await this.#restart();

    if (place === 'purge.begin') {
      const found = (await get(this.#url(workbookId), this.#credential)) as { state: string };
      if (found.state !== 'archived') fault(`the workbook is ${found.state}`);
      if ((await this.#countObjects(workbookId)) !== count) {
        fault('objects are gone before anything was noted');
      }
      await this.#checkJournal(book, fault);
    } else {
      await this.#checkGone(workbookId, fault);
      await this.#settle(workbookId);
    }
    const repeat = await ask(this.#url(workbookId, `?purge=true&confirm=${confirm}`), {
      ...this.#as,
      method: 'DELETE',
    });
    if (repeat?.status !== 200) fault(`the same purge again answers ${repeat?.status}`);
    await this.#checkRemoved(workbookId, fault);
    await this.#checkJournal(neighbour, fault);
    if ((await this.#countObjects(neighbour.workbookId)) !== objectCount) {
      fault('objects of another workbook are gone');
    }
  }

  get #as(): { credential: string } {
    return { credential: this.#credential };
  }

  #faultAt(place: string): (what: string) => void {
    return (what) => void this.faults.push(`${place}: ${what}`);
  }

  #url(workbookId: string, rest = ''): string {
    return `${this.#service.url}/v1/workbooks/${workbookId}${rest}`;
  }

  /** The place where the service ends from now on. */
  #crashAt(place: string): Promise<void> {
    return writeFile(crashFile(this.#options.dataDirectory), place);
  }

  async #restart(): Promise<void> {
    await this.#service.kill();
    const { dataDirectory } = this.#options;
    await rm(crashFile(dataDirectory), { force: true });
    this.#service = await startService(this.#options);
  }

  /** A workbook with some operations and this many objects of its own. */
  async #begin(count: number): Promise<Place> {
    const { random, dataDirectory } = this.#options;
    const made = await post(`${this.#service.url}/v1/workbooks`, {}, this.#credential);
    const { id: workbookId } = made as { id: string };
    const writers = Array.from({ length: writerCount }, (_, index) => {
      return new CrashWriter({ name: `w${index}`, credential: this.#credential, random });
    });
    const ops = this.#url(workbookId, '/branches/main/ops');
    const written = () => writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    await Promise.all(writers.map((writer) => writer.run(ops, () => written() > 20)));
    for (let object = 0; object < count; object++) {
      const folder = `log/${Math.floor(object / filesPerFolder)}`;
      const path = join(dataDirectory, 'objects/wb', workbookId, folder);
      if (object % filesPerFolder === 0) await mkdir(path, { recursive: true });
      await writeFile(join(path, `${object}`), 'x');
    }
    return { workbookId, writers };
  }

  async #archive(workbookId: string): Promise<string> {
    const answer = await ask(this.#url(workbookId), { ...this.#as, method: 'DELETE' });
    if (answer?.status !== 200) throw new Error(`archiving answered ${answer?.status}`);
    return (answer.json as { confirm: string }).confirm;
  }

  async #countObjects(workbookId: string): Promise<number> {
    const folder = join(this.#options.dataDirectory, 'objects/wb', workbookId);
    try {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).length;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
      throw error;
    }
  }

  /** Kills the service when some of the objects are gone and some are not. */
  async #killWithin(workbookId: string, all: number, fault: (what: string) => void): Promise<void> {
    while ((await this.#countObjects(workbookId)) === all);
    await this.#service.kill();
    const left = await this.#countObjects(workbookId);
    if (left === 0 || left === all) fault(`was not hit: ${left} of ${all} objects are left`);
  }

  /** Branches and workbook agree, and so do what is shown and what can be written. */
  async #checkArchived(
    workbookId: string,
    state: string,
    answer: Answer | undefined,
    fault: (what: string) => void,
  ): Promise<void> {
    const rows = await this.#sql<{ archived: boolean }[]>`
      select archived from branch where workbook_id = ${workbookId}`;
    const isArchived = state === 'archived';
    if (rows.some(({ archived }) => archived !== isArchived)) fault('branches differ');
    const set = { kind: 'cells.set', payload: { cells: [{ a1: 'Z1', input: 1 }] } };
    const write = { ...this.#as, method: 'POST', body: { ops: [set], writer: 'after' } };
    const ops = this.#url(workbookId, '/branches/main/ops');
    const status = (await ask(ops, write))?.status;
    if (status !== (isArchived ? 409 : 200)) fault(`a write to it answers ${status}`);
    const token = (answer?.json as { confirm: string } | undefined)?.confirm;
    if (isArchived && token !== undefined && (await this.#archive(workbookId)) !== token) {
      fault('the token is another one');
    }
    await post(this.#url(workbookId, '/restore'), {}, this.#credential);
    if ((await ask(ops, write))?.status !== 200) fault('it cannot be written to again');
  }

  async #checkJournal({ workbookId, writers }: Place, fault: (what: string) => void) {
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    const journal = new PostgresJournal(this.#sql);
    const address = { workbookId, branchNo: 1 };
    const { records, stateHash } = await replayWhole(journal, address, {
      formulas: new FormulaDouble(),
    });
    const owned = records.filter(({ writer }) => writer.startsWith('w'));
    if (owned.length < acknowledged.length) fault('operations are lost');
    for (const found of findFaults(records, acknowledged)) fault(found);
    const state = await get(this.#url(workbookId, '/branches/main/state'), this.#credential);
    if ((state as { stateHash: string }).stateHash !== stateHash) fault('the state is another one');
  }

  /** Nothing of it is shown, from the first moment on. */
  async #checkGone(workbookId: string, fault: (what: string) => void): Promise<void> {
    for (const rest of ['', '/branches/main/state', '/branches/main/ops', '/settings']) {
      const status = (await ask(this.#url(workbookId, rest), this.#as))?.status;
      if (status !== 404) fault(`GET ${rest} answers ${status}`);
    }
    const list = await get(
      `${this.#service.url}/v1/workbooks?include=archived&limit=500`,
      this.#credential,
    );
    const { workbooks } = list as { workbooks: { id: string }[] };
    if (workbooks.some(({ id }) => id === workbookId)) fault('it is listed');
  }

  /** Waits for what the start goes on with by itself. */
  async #settle(workbookId: string): Promise<void> {
    for (let count = 0; count < 200; count++) {
      const [row] = await this.#sql`
        select from purge where workbook_id = ${workbookId} and removed_at is not null`;
      if (row) return;
      await sleep(50);
    }
    this.faults.push(`the purge of ${workbookId} is not finished by the start`);
  }

  async #checkRemoved(workbookId: string, fault: (what: string) => void): Promise<void> {
    const rows = Object.entries(await workbookRows(this.#sql, workbookId));
    for (const [table, count] of rows) fault(`${count} rows of ${table} are left`);
    const left = await this.#countObjects(workbookId);
    if (left > 0) fault(`${left} objects are left`);
    await this.#checkGone(workbookId, fault);
  }
}

function startService({ cleanup, dataDirectory }: LifeCycleCrashOptions): Promise<ServiceProcess> {
  const all = { ...settings, QUIRE_CRASH_FILE: crashFile(dataDirectory) };
  return ServiceProcess.start(cleanup, dataDirectory, all, doubleProgram);
}

function crashFile(dataDirectory: string): string {
  return join(dataDirectory, 'crash-at');
}
