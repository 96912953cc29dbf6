import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { PostgresJournal } from '../../server/branches/sql.ts';
import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { replayWhole, type Acknowledged } from '../support/branch-checks.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { doubleProgram, ServiceProcess } from '../support/service-process.ts';
import type { Cleanup } from './crash-loop.ts';
import { ask, databaseUrl, get, post, type Answer } from './requests.ts';
import { CrashWriter } from './writer.ts';

/** Where the process ends while a merge is applied, and whether the target has it by then. */
export const applyPlaces = {
  'merge.begin': 'old',
  'append.begin': 'old',
  'append.written': 'new',
  'merge.appended': 'new',
  'merge.forked': 'new',
  'merge.deferred': 'new',
  'merge.closed': 'new',
} as const;

export type ApplyPlace = keyof typeof applyPlaces;
/** `create` proposes a merge that is applied at once, `defer` approves one that keeps a part back. */
export type ApplyRequest = 'approve' | 'create' | 'defer';

const allPlaces = Object.keys(applyPlaces) as ApplyPlace[];

/** Where a request of each kind passes. */
export const placesOf: Readonly<Record<ApplyRequest, readonly ApplyPlace[]>> = {
  approve: allPlaces.filter((place) => place !== 'merge.forked'),
  create: ['merge.begin', 'append.written'],
  defer: allPlaces,
};

export interface MergesCrashOptions {
  readonly dataDirectory: string;
  readonly random: SeededRandom;
  readonly cleanup: Cleanup;
}

interface Merge {
  readonly id: string;
  readonly state: string;
  readonly digest?: string;
  readonly stateHash?: string;
  readonly result: { readonly seq: number; readonly stateHash: string } | null;
  readonly timeline: readonly { readonly event: string }[];
}

interface Position {
  readonly head: number;
  readonly stateHash: string;
}

type Fault = (what: string) => void;

const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
const rowCount = 40;
const triesMost = 20;

/** Kills the service while it applies merges, and looks what a start makes of them. */
export class MergesCrash {
  readonly faults: string[] = [];
  readonly #options: MergesCrashOptions;
  readonly #sql: Sql;
  readonly #credential: string;
  #service: ServiceProcess;
  #bookCount = 0;

  private constructor(
    options: MergesCrashOptions,
    service: ServiceProcess,
    { sql, credential }: { sql: Sql; credential: string },
  ) {
    this.#options = options;
    this.#service = service;
    this.#sql = sql;
    this.#credential = credential;
  }

  static async start(options: MergesCrashOptions): Promise<MergesCrash> {
    const { cleanup, dataDirectory } = options;
    const all = { ...settings, QUIRE_CRASH_FILE: crashFile(dataDirectory) };
    const service = await ServiceProcess.start(cleanup, dataDirectory, all, doubleProgram);
    const answer = await post(`${service.url}/agent/auth`, { type: 'anonymous' });
    const { credential } = (answer as { data: { credential: string } }).data;
    const url = await databaseUrl(dataDirectory);
    const sql = openPostgres({ url, applicationName: 'quire-crash', connectionCount: 1 });
    cleanup.teardown(() => sql.end({ timeout: 1 }));
    return new MergesCrash(options, service, { sql, credential });
  }

  async stop(): Promise<void> {
    await this.#service.stop();
  }

  /** Dies at the place while a merge is applied, which is then applied again. */
  async applyAt(request: ApplyRequest, place: ApplyPlace): Promise<void> {
    const fault = this.#faultAt(`${request} at ${place}`);
    const book = await this.#begin();
    const asked = request === 'create' ? await this.#foresee(book) : await this.#propose(book);
    const expected = request === 'defer' ? await this.#defer(book, asked.id) : asked;
    const before = await this.#position(book);
    await writeFile(crashFile(this.#options.dataDirectory), place);
    const answer =
      request === 'create'
        ? await this.#ask(book, '/merges', { source: 'f', apply: 'auto' })
        : await this.#approve(book, asked.id);
    if (answer !== undefined) fault(`the service lived on and answered ${answer.status}`);
    await this.#restart();

    const isThere = applyPlaces[place] === 'new';
    const id = await this.#checkSide(book, { before, asked: expected, isThere }, fault);
    await this.#checkAgain(book, id, { seq: before.head + 1, isThere }, fault);
    const after = await this.#position(book);
    if (after.head !== before.head + 1) fault(`the head is ${after.head} in the end`);
    if (after.stateHash !== expected.stateHash) fault('what was written was not foreseen');
    await this.#checkDeferred(book, { id, isWanted: request === 'defer' }, fault);
    await this.#checkJournal(book, [], fault);
  }

  /** Dies at any moment while others write to the target, until the merge is applied. */
  async applyUnderLoad(): Promise<void> {
    const { random } = this.#options;
    const fault = this.#faultAt('under load');
    const book = await this.#begin();
    const { id } = await this.#propose(book);
    const writer = new CrashWriter({ name: 'w', credential: this.#credential, random });
    const url = () => this.#url(book, '/branches/main/ops');
    for (let round = 0; round < 3; round++) {
      let isOver = false;
      const writing = writer.run(url(), () => isOver);
      const approving = this.#approve(book, id);
      await sleep(random.between(0, 60));
      await this.#service.kill();
      isOver = true;
      const answer = await approving;
      await writing;
      await this.#restart();
      await writer.finish(url());
      const merge = await this.#merge(book, id);
      if (answer?.status === 200 && merge.state !== 'merged') fault('was answered and is not so');
      await this.#checkJournal(book, writer.acknowledged, fault);
    }
    for (let count = 0; (await this.#merge(book, id)).state !== 'merged'; count++) {
      if (count > triesMost) throw new Error('the merge cannot be applied');
      await this.#approve(book, id);
    }
    await this.#checkJournal(book, writer.acknowledged, fault);
  }

  #faultAt(place: string): Fault {
    return (what) => void this.faults.push(`${place}: ${what}`);
  }

  #url(workbookId: string, rest = ''): string {
    return `${this.#service.url}/v1/workbooks/${workbookId}${rest}`;
  }

  #ask(book: string, rest: string, body: object): Promise<Answer | undefined> {
    return ask(this.#url(book, rest), { method: 'POST', credential: this.#credential, body });
  }

  #approve(book: string, id: string): Promise<Answer | undefined> {
    return this.#ask(book, `/merges/${id}/approve`, {});
  }

  async #restart(): Promise<void> {
    await this.#service.kill();
    const { cleanup, dataDirectory } = this.#options;
    await rm(crashFile(dataDirectory), { force: true });
    const all = { ...settings, QUIRE_CRASH_FILE: crashFile(dataDirectory) };
    this.#service = await ServiceProcess.start(cleanup, dataDirectory, all, doubleProgram);
  }

  /** Two branches that merge without conflicts, in several parts. */
  async #begin(): Promise<string> {
    const made = await post(`${this.#service.url}/v1/workbooks`, {}, this.#credential);
    const { id } = made as { id: string };
    const sheet = 'Sheet1';
    const salt = ++this.#bookCount;
    const inputs = Array.from({ length: rowCount }, (_, row) => [row, salt, `=A${row + 1}*2`]);
    await this.#write(id, 'main', [['range.set', { sheet, range: 'A1', inputs }]]);
    await post(this.#url(id, '/branches'), { name: 'f', from: 'main' }, this.#credential);
    await this.#write(id, 'main', [
      ['rows.insert', { sheet, before: 3, count: 2 }],
      ['cells.set', { sheet, cells: [{ a1: 'D1', input: 'ours' }] }],
    ]);
    await this.#write(id, 'f', [
      ['rows.delete', { sheet, from: 20, count: 5 }],
      ['cells.set', { sheet, cells: [{ a1: 'E9', input: '=SUM(A1:A9)' }] }],
      ['range.fill', { sheet, range: 'B1:B10', input: 'theirs' }],
      ['format.set', { sheet, range: 'A1:C2', style: { bold: true } }],
    ]);
    return id;
  }

  async #write(id: string, branch: string, operations: readonly [kind: string, object][]) {
    const ops = operations.map(([kind, payload]) => ({ kind, payload }));
    const body = { ops, writer: 'first', mode: 'atomic' };
    await post(this.#url(id, `/branches/${branch}/ops`), body, this.#credential);
  }

  async #propose(book: string): Promise<Merge> {
    return (await post(this.#url(book, '/merges'), { source: 'f' }, this.#credential)) as Merge;
  }

  /** Keeps the formats back, and answers what is left. */
  async #defer(book: string, id: string): Promise<Merge> {
    const groups = [
      { id: 'looks', members: [{ kind: 'format.*' }], decision: 'defer' },
      { id: 'rest', members: ['*'], decision: 'accept' },
    ];
    const put = { method: 'PUT', credential: this.#credential, body: { groups } };
    const answer = await ask(this.#url(book, `/merges/${id}/units`), put);
    if (answer?.status !== 200) throw new Error(`units answered ${answer?.status}`);
    return this.#merge(book, id);
  }

  /** Checks that deferred changes are on a branch of their own, once, and can be merged. */
  async #checkDeferred(
    book: string,
    { id, isWanted }: { id: string; isWanted: boolean },
    fault: Fault,
  ): Promise<void> {
    const page = await get(this.#url(book, '/branches'), this.#credential);
    const { branches } = page as { branches: readonly { name: string; head: number }[] };
    const found = branches.flatMap(({ name, head }) =>
      name.includes('deferred') ? [`${name}@${head}`] : [],
    );
    const source = `f/deferred-${id}`;
    if (String(found) !== (isWanted ? `${source}@1` : '')) fault(`there are ${String(found)}`);
    if (!isWanted) return;
    const body = { source, dryRun: true };
    const later = await post(this.#url(book, '/merges'), body, this.#credential);
    const { changes } = (later as { summary: { changes: { formats: number; cells: number } } })
      .summary;
    if (changes.formats === 0 || changes.cells > 0) fault('the deferred branch has something else');
  }

  /** Returns the merge that a proposal would make, without proposing it. */
  async #foresee(book: string): Promise<Merge> {
    const body = { source: 'f', dryRun: true };
    return (await post(this.#url(book, '/merges'), body, this.#credential)) as Merge;
  }

  async #position(book: string): Promise<Position> {
    return (await get(this.#url(book, '/branches/main/state'), this.#credential)) as Position;
  }

  async #merge(book: string, id: string): Promise<Merge> {
    return (await get(this.#url(book, `/merges/${id}`), this.#credential)) as Merge;
  }

  /** The head is the old one or the new one, and all that shows the merge says the same. */
  async #checkSide(
    book: string,
    { before, asked, isThere }: { before: Position; asked: Merge; isThere: boolean },
    fault: Fault,
  ): Promise<string> {
    const page = await get(this.#url(book, '/merges'), this.#credential);
    const { merges } = page as { merges: readonly Merge[] };
    const [listed] = merges;
    if (!listed || merges.length > 1) throw new Error(`there are ${merges.length} merges`);
    const own = await this.#merge(book, listed.id);
    const { head, stateHash } = await this.#position(book);
    // It may have been computed between the two reads.
    const isSame = listed.state === own.state || listed.state === 'computing';
    const found = JSON.stringify({
      // An open merge is listed as open; its own page says in which state it is.
      listed: listed.state !== 'merged' && isSame ? 'open' : listed.state,
      listedResult: listed.result?.seq,
      isMerged: own.state === 'merged',
      result: own.result?.seq,
      resultHash: own.result?.stateHash,
      digest: own.digest,
      appliedCount: own.timeline.filter(({ event }) => event === 'applied').length,
      head,
      stateHash,
    });
    const expected = JSON.stringify(isThere ? writtenFace(before, asked) : openFace(before, asked));
    if (found !== expected) fault(`there is ${found} and not ${expected}`);
    return listed.id;
  }

  /** The same approval again applies it where it was not, and nothing where it was. */
  async #checkAgain(
    book: string,
    id: string,
    { seq, isThere }: { seq: number; isThere: boolean },
    fault: Fault,
  ): Promise<void> {
    const again = await this.#approve(book, id);
    if (again?.status !== (isThere ? 409 : 200)) fault(`approving again answers ${again?.status}`);
    const { state, result } = await this.#merge(book, id);
    if (state !== 'merged' || result?.seq !== seq) fault(`it ends ${state} at ${result?.seq}`);
    const proposed = await this.#ask(book, '/merges', { source: 'f' });
    if (proposed?.status !== 409) fault(`proposing it again answers ${proposed?.status}`);
  }

  /** The journal has the merge once at the most, and what it holds is what is shown. */
  async #checkJournal(
    workbookId: string,
    acknowledged: readonly Acknowledged[],
    fault: Fault,
  ): Promise<void> {
    const address = { workbookId, branchNo: 1 };
    const { records, stateHash } = await replayWhole(new PostgresJournal(this.#sql), address, {
      formulas: new FormulaDouble(),
    });
    const shown = await this.#position(workbookId);
    if (shown.head !== records.length) fault(`the head is ${shown.head} of ${records.length}`);
    if (shown.stateHash !== stateHash) fault('the state is not that of the journal');
    for (const { writer, id, seq } of acknowledged) {
      if (records[seq - 1]?.id !== id) fault(`${writer}/${id} of ${seq} is lost`);
    }
    const written = records.filter(({ writer }) => writer === 'w');
    if (new Set(written.map(({ id }) => id)).size < written.length) fault('a write is there twice');
    const seqs = records.flatMap(({ kind, seq }) => (kind === 'merge' ? [seq] : []));
    await this.#checkGraph(workbookId, seqs, fault);
  }

  /** Checks that the stored graph names the operation that applied the merge, and no other. */
  async #checkGraph(workbookId: string, seqs: readonly number[], fault: Fault): Promise<void> {
    if (seqs.length > 1) fault(`it was applied as ${seqs.join(' and ')}`);
    const rows = await this.#sql<{ seq: number; state: string; result: { seq: number } | null }[]>`
      select m.seq::int as seq, proposed.state, proposed.result
        from branch_merge m join merge proposed using (workbook_id, merge_id)
       where workbook_id = ${workbookId}`;
    if (String(rows.map(({ seq }) => seq)) !== String(seqs)) {
      fault('the graph has other merges');
    }
    const [row] = rows;
    if (row?.state === 'merged' && row.result?.seq !== row.seq) fault('it has another result');
  }
}

/** Facts shown of a merge that is not written, in the order of `#checkSide`. */
function openFace({ head, stateHash }: Position, { digest }: Merge): object {
  return { listed: 'open', isMerged: false, digest, appliedCount: 0, head, stateHash };
}

/** Facts shown of a merge that is written. */
function writtenFace(before: Position, { stateHash }: Merge): object {
  const head = before.head + 1;
  return {
    listed: 'merged',
    listedResult: head,
    isMerged: true,
    result: head,
    resultHash: stateHash,
    appliedCount: 1,
    head,
    stateHash,
  };
}

function crashFile(dataDirectory: string): string {
  return join(dataDirectory, 'crash-at');
}
