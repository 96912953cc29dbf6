import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

import { realEnvironment } from '../../server/foundation.ts';
import { LayeredJournal } from '../../server/branches/layered-journal.ts';
import { upkeepSettings } from '../../server/branches/keeper/keeper.ts';
import { KeeperTable } from '../../server/branches/keeper/sql.ts';
import { PostgresJournal } from '../../server/branches/sql.ts';
import { DamageList } from '../../server/history/damage.ts';
import { SealedLog } from '../../server/history/sealed-log-store.ts';
import { Snapshots } from '../../server/history/snapshots.ts';
import { HistoryTable } from '../../server/history/sql.ts';
import { openObjects, type Objects } from '../../server/storage/objects.ts';
import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { findFaults, replayWhole } from '../support/branch-checks.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import type { Cleanup } from './crash-loop.ts';
import { ask, databaseUrl, get, post, type Answer } from './requests.ts';
import { CrashWriter } from './writer.ts';

const sealing = ['seal.stored', 'seal.noted'] as const;
const storing = ['snapshot.packed', 'snapshot.stored', 'snapshot.noted'] as const;

/** Where the process ends while a request is under way; what flush has, the others have too. */
export const requestPlaces = {
  flush: sealing,
  checkpoint: ['checkpoint.flushed', ...storing],
  commit: ['commit.reserved', 'commit.appended', 'commit.flushed', 'commit.hashed'],
} as const;

/** Where it ends while the keeper works behind the writers. */
export const keeperPlaces = [
  ...sealing,
  'keeper.sealed',
  ...storing,
  'keeper.stored',
  'keeper.confirmed',
  'keeper.trimmed',
] as const;

export type RequestKind = keyof typeof requestPlaces;
export type RequestPlace = (typeof requestPlaces)[RequestKind][number];
type Place = RequestPlace | (typeof keeperPlaces)[number];

export interface HistoryCrashOptions {
  readonly dataDirectory: string;
  readonly random: SeededRandom;
  readonly cleanup: Cleanup;
}

/** Database and object store of the service, read without it. */
interface Stores {
  readonly sql: Sql;
  readonly objects: Objects;
}

interface Book {
  readonly workbookId: string;
  readonly writers: readonly CrashWriter[];
}

type Fault = (what: string) => void;

const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
const keeperAsleep = { SEAL_OPERATIONS: '1000000', SEAL_IDLE_SECONDS: '1000000' };
const keeper = { sealOperations: 60, idleMilliseconds: 1_000, hotOperations: 20 };
const keeperAwake = {
  SEAL_OPERATIONS: String(keeper.sealOperations),
  SEAL_IDLE_SECONDS: String(keeper.idleMilliseconds / 1000),
  HOT_OPERATIONS: String(keeper.hotOperations),
};
const writerCount = 3;
const writtenBefore = 80;
const waitMilliseconds = 20_000;

/** Kills the service at named places of sealing, storing, trimming, and looks what a start finds. */
export class HistoryCrash {
  readonly faults: string[] = [];
  readonly #options: HistoryCrashOptions;
  readonly #stores: Stores;
  /** Books that were left in a good state, to be checked again. */
  readonly #done: { book: Book; place: string; hash: string }[] = [];
  readonly #credential: string;
  #service: ServiceProcess;

  private constructor(
    options: HistoryCrashOptions,
    service: ServiceProcess,
    { stores, credential }: { stores: Stores; credential: string },
  ) {
    this.#options = options;
    this.#service = service;
    this.#stores = stores;
    this.#credential = credential;
  }

  static async start(options: HistoryCrashOptions): Promise<HistoryCrash> {
    const { cleanup, dataDirectory } = options;
    const all = { ...settings, ...keeperAsleep, QUIRE_CRASH_FILE: crashFile(dataDirectory) };
    const service = await ServiceProcess.start(cleanup, dataDirectory, all, doubleProgram);
    const answer = await post(`${service.url}/agent/auth`, { type: 'anonymous' });
    const { credential } = (answer as { data: { credential: string } }).data;
    const url = await databaseUrl(dataDirectory);
    const sql = openPostgres({ url, applicationName: 'quire-crash', connectionCount: 1 });
    cleanup.teardown(() => sql.end({ timeout: 1 }));
    const objectsUrl = pathToFileURL(join(dataDirectory, 'objects')).href;
    const objects = await openObjects(objectsUrl, realEnvironment);
    return new HistoryCrash(options, service, { stores: { sql, objects }, credential });
  }

  async stop(): Promise<void> {
    await this.#service.stop();
  }

  /** Dies at the place of a request, which is then sent again. */
  async requestAt(kind: RequestKind, place: Place): Promise<void> {
    const fault = this.#faultAt(`${kind} at ${place}`);
    const book = await this.#begin();
    await this.#writeUntil(book, writtenBefore);
    const before = await this.#hash(book);
    await writeFile(crashFile(this.#options.dataDirectory), place);
    const tag = `tag-${place}`;
    const answer = await this.#request(book, kind, tag);
    if (answer !== undefined) fault(`the service lived on and answered ${answer.status}`);

    await this.#restart(keeperAsleep);
    if ((await this.#hash(book)) !== before) fault('the state is another one');
    await this.#checkJournal(book, fault);
    if (kind === 'commit') await this.#checkCommit(book, { place, tag }, fault);
    else {
      const again = await this.#request(book, kind, tag);
      if (again?.status !== 200) fault(`the same again answers ${again?.status}`);
      const { flushedSeq } = (again?.json ?? {}) as { flushedSeq?: number };
      if (flushedSeq !== (await this.#row(book)).head) fault('not all of it is sealed');
    }
    if ((await this.#hash(book)) !== before) fault('asking again changed the state');
    this.#done.push({ book, place: `${kind} at ${place}`, hash: before });
  }

  /** From now on the keeper works; it finds what was left so far. */
  async wakeKeeper(): Promise<void> {
    await this.#sql`update branch set updated_at = updated_at - interval '1 minute'`;
    await this.#restart(keeperAwake);
    for (const { book, place, hash } of this.#done) {
      const fault = this.#faultAt(`${place}, kept`);
      await this.#settle(book, fault);
      if ((await this.#hash(book)) !== hash) fault('the keeper changed the state');
    }
  }

  /** Dies at a place of the keeper while others write, which then goes on by itself. */
  async keepAt(place: Place): Promise<void> {
    const fault = this.#faultAt(`keeper at ${place}`);
    const book = await this.#begin();
    await writeFile(crashFile(this.#options.dataDirectory), place);
    const deadline = performance.now() + waitMilliseconds;
    await this.#write(book, () => performance.now() > deadline);
    if (performance.now() > deadline) fault('the service lived on');

    await this.#restart(keeperAwake);
    await this.#checkJournal(book, fault);
    const hash = await this.#hash(book);
    await this.#settle(book, fault);
    if ((await this.#hash(book)) !== hash) fault('the keeper changed the state');
    this.#done.push({ book, place: `keeper at ${place}`, hash });
  }

  /** Looks at all workbooks again in a process that saw none of them, and writes to them. */
  async checkAll(): Promise<void> {
    await this.#restart(keeperAsleep);
    for (const { book, place, hash } of this.#done) {
      const fault = this.#faultAt(`${place}, later`);
      if ((await this.#hash(book)) !== hash) fault('the state is another one');
      await this.#checkRepeat(book, fault);
      await this.#writeUntil(book, writerCount);
      await this.#checkJournal(book, fault);
    }
  }

  get #sql(): Sql {
    return this.#stores.sql;
  }

  #faultAt(place: string): Fault {
    return (what) => void this.faults.push(`${place}: ${what}`);
  }

  #url({ workbookId }: Book, rest = ''): string {
    return `${this.#service.url}/v1/workbooks/${workbookId}${rest}`;
  }

  async #restart(more: Readonly<Record<string, string>>): Promise<void> {
    await this.#service.kill();
    const { cleanup, dataDirectory } = this.#options;
    await rm(crashFile(dataDirectory), { force: true });
    const all = { ...settings, ...more, QUIRE_CRASH_FILE: crashFile(dataDirectory) };
    this.#service = await ServiceProcess.start(cleanup, dataDirectory, all, doubleProgram);
  }

  async #begin(): Promise<Book> {
    const made = await post(`${this.#service.url}/v1/workbooks`, {}, this.#credential);
    const { id: workbookId } = made as { id: string };
    const { random } = this.#options;
    const writers = Array.from({ length: writerCount }, (_, index) => {
      return new CrashWriter({ name: `w${index}`, credential: this.#credential, random });
    });
    return { workbookId, writers };
  }

  /** So many operations more, and nothing left unanswered. */
  async #writeUntil(book: Book, count: number): Promise<void> {
    const written = () => book.writers.reduce((sum, one) => sum + one.acknowledged.length, 0);
    const enough = written() + count;
    await this.#write(book, () => written() >= enough);
  }

  async #write(book: Book, isOver: () => boolean): Promise<void> {
    const ops = this.#url(book, '/branches/main/ops');
    await Promise.all(book.writers.map((writer) => writer.run(ops, isOver)));
  }

  #request(book: Book, kind: RequestKind, tag: string): Promise<Answer | undefined> {
    const body = kind === 'commit' ? { message: 'as approved', tag } : {};
    const options = { method: 'POST', credential: this.#credential, body };
    return ask(this.#url(book, `/branches/main/${kind}`), options);
  }

  async #hash(book: Book): Promise<string> {
    const state = await get(this.#url(book, '/branches/main/state'), this.#credential);
    return (state as { stateHash: string }).stateHash;
  }

  async #row({ workbookId }: Book) {
    const [row] = await this.#sql<{ head: number; sealedSeq: number; rows: number }[]>`
      select head, sealed_seq as "sealedSeq",
             (select count(*) from segment s
               where s.workbook_id = b.workbook_id and s.branch_no = b.branch_no) as rows
        from branch b where workbook_id = ${workbookId} and branch_no = 1`;
    if (!row) throw new Error(`${workbookId} has no branch`);
    return row;
  }

  /** Once its append is durable the commit is there, and its hashes come by themselves. */
  async #checkCommit(
    book: Book,
    { place, tag }: { place: Place; tag: string },
    fault: Fault,
  ): Promise<void> {
    const isThere = place !== 'commit.reserved';
    const found = await ask(this.#url(book, `/slice?ref=commit:${tag}&range=A1:B2`), {
      credential: this.#credential,
    });
    if (found?.status !== (isThere ? 200 : 404)) fault(`the tag answers ${found?.status}`);
    const taken = await this.#request(book, 'commit', tag);
    if (taken?.status !== 409) fault(`the same tag at once answers ${taken?.status}`);
    if (isThere) return;
    // A tag that was taken for a commit which never came is free after a minute.
    await this.#sql`
      update commit_tag set reserved_at = reserved_at - interval '2 minutes'
       where workbook_id = ${book.workbookId}`;
    const again = await this.#request(book, 'commit', tag);
    if (again?.status !== 201) fault(`the same tag later answers ${again?.status}`);
  }

  /** Everything acknowledged is there, from the rows or from the objects, and the state is its. */
  async #checkJournal(book: Book, fault: Fault): Promise<void> {
    const { workbookId, writers } = book;
    const ops = this.#url(book, '/branches/main/ops');
    await Promise.all(writers.map((writer) => writer.finish(ops)));
    const { sealed, snapshots, table } = this.#history();
    const journal = new LayeredJournal(new PostgresJournal(this.#sql), sealed);
    const address = { workbookId, branchNo: 1 };
    const { records, stateHash } = await replayWhole(journal, address, {
      formulas: new FormulaDouble(),
    });
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    for (const found of findFaults(records, acknowledged)) fault(found);
    if (records.length !== (await this.#row(book)).head) fault('the journal ends early');
    if ((await this.#hash(book)) !== stateHash) fault('the state is not that of the journal');
    for (const { objectKey } of await table.sealedRows(address)) await sealed.read(objectKey);
    for (const { seq } of await table.snapshotRows(address)) await snapshots.confirm(address, seq);
  }

  #history() {
    const table = new HistoryTable(this.#sql);
    const { objects } = this.#stores;
    const parts = { objects, table, damage: new DamageList() };
    return { sealed: new SealedLog(parts), snapshots: new Snapshots(parts), table };
  }

  /** Waits until the keeper has done all there is to do, by itself. */
  async #settle(book: Book, fault: Fault): Promise<void> {
    const deadline = performance.now() + waitMilliseconds;
    const table = new KeeperTable(this.#sql);
    const page = { after: undefined, limit: 10_000, ...keeper, ...upkeepSettings(keeper) };
    for (;;) {
      const due = await table.due({ ...page, idleMilliseconds: 0 });
      if (due.every(({ workbookId }) => workbookId !== book.workbookId)) break;
      if (performance.now() > deadline) {
        fault(`is never done: ${JSON.stringify(await this.#row(book))}`);
        break;
      }
      await sleep(20);
    }
    const { head, sealedSeq, rows } = await this.#row(book);
    const open = await this.#sql`
      select from branch_commit where workbook_id = ${book.workbookId} and state_hash is null`;
    if (sealedSeq !== head || open.length > 0) fault('the keeper left something');
    if (rows > keeper.sealOperations + keeper.hotOperations) fault(`${rows} rows are left`);
    await this.#checkJournal(book, fault);
  }

  /** Checks that an operation which was written long ago and is sent again is known. */
  async #checkRepeat(book: Book, fault: Fault): Promise<void> {
    const first = book.writers[0]?.acknowledged[0];
    if (!first) throw new Error('nothing was written');
    const { writer, id, seq } = first;
    const cells = [{ a1: 'Z9', input: 'twice' }];
    const body = { writer, ops: [{ id, kind: 'cells.set', payload: { cells } }] };
    const options = { method: 'POST', credential: this.#credential, body };
    const answer = await ask(this.#url(book, '/branches/main/ops'), options);
    const { results } = (answer?.json ?? { results: [] }) as {
      results: { status: string; seq: number }[];
    };
    const [result] = results;
    if (result?.status !== 'duplicate' || result.seq !== seq) {
      fault(`${id} of ${seq}, sent again, is ${JSON.stringify(result)}`);
    }
  }
}

function crashFile(dataDirectory: string): string {
  return join(dataDirectory, 'crash-at');
}
