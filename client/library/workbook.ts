import type { components } from './api.d.ts';
import type { Answer, CallSettings, Transport } from './call.ts';
import { Match, type MatchRecord, type MatchWishes } from './match.ts';
import { Merge, type MergeOptions } from './merge.ts';
import { operationPosition } from './operation-position.ts';
import { op, type Operation } from './operations.ts';
import type {
  Input,
  Lens,
  SubmitOptions,
  Submitted,
  Written,
  ReadOptions,
  FindOptions,
  JournalItem,
  JournalOptions,
  RowsWishes,
  ScenarioWishes,
} from './options.ts';
import { Pages } from './pages.ts';
import type { Proof } from './proof.ts';
import { scenarioRequest } from './scenario-request.ts';
import type { SessionOptions } from './session-options.ts';
import { Session } from './session.ts';
import { setOf } from './set-operation.ts';
import { readNdjson } from './stream.ts';
import { Submissions } from './submissions.ts';

type Schemas = components['schemas'];
type Slice = Answer<'/v1/workbooks/{id}/slice', 'GET'>;

/**
 * A workbook, seen at one of its branches. All methods throw a Problem when a call fails.
 * Long because it is the one class of all calls that a user makes about a workbook.
 */
export class Workbook {
  readonly id: string;
  readonly branch: string;
  readonly #transport: Transport;
  readonly #submissions: Submissions;

  constructor(transport: Transport, id: string, branch = 'main') {
    this.#transport = transport;
    this.id = id;
    this.branch = branch;
    this.#submissions = new Submissions(transport, { id, branch });
  }

  /** Returns the same workbook at another branch. */
  on(branch: string): Workbook {
    return new Workbook(this.#transport, this.id, branch);
  }

  /** Reads the name, owner, role and times of the workbook. */
  info(settings: CallSettings = {}): Promise<Schemas['Workbook']> {
    return this.#transport.call('GET', '/v1/workbooks/{id}', { ...settings, path: this.#place });
  }

  /** Reads the sheets, names, tables and hash of the branch. */
  state({ ref, ...settings }: ReadOptions = {}): Promise<Schemas['BranchState']> {
    const options = { ...settings, path: this.#branchPlace, ...(ref && { query: { ref } }) };
    return this.#transport.call('GET', '/v1/workbooks/{id}/branches/{branch}/state', options);
  }

  /**
   * Reads the cells of a range as `rows`, a list of rows from its first cell on; a union such as
   * `A1:B2,D4` is answered as `slices`.
   */
  read(
    range: string,
    { ref, lens, ...settings }: ReadOptions & { lens?: Lens } = {},
  ): Promise<Extract<Slice, { rows: unknown }>> {
    const query = { ref: ref ?? this.branch, range: [range], ...(lens && { lens }) };
    const options = { ...settings, path: this.#place, query };
    const read = this.#transport.call('GET', '/v1/workbooks/{id}/slice', options);
    return read as Promise<Extract<Slice, { rows: unknown }>>;
  }

  /** Iterates over all values of the workbook; waits while they are being computed. */
  async *values({ ref, ...settings }: ReadOptions = {}): AsyncGenerator<
    Schemas['ValuesPage']['values'][number]
  > {
    const response = await this.#transport.open('GET', '/v1/workbooks/{id}/values', {
      ...settings,
      path: this.#place,
      query: { ref: ref ?? this.branch, whole: true },
      headers: { ...settings.headers, accept: 'application/x-ndjson' },
    });
    yield* readNdjson(response);
  }

  /** Lists cells whose value, formula or input contains a text. */
  find(
    text: string,
    { ref, caseSensitive, ...more }: FindOptions = {},
  ): Pages<Schemas['FoundPage']['cells'][number], Schemas['FoundPage']> {
    const { sheet, lens, match, ...settings } = more;
    const matching = { match, ...(caseSensitive && { case: 'true' as const }) };
    const query = { q: text, ref: ref ?? this.branch, sheet, lens, ...matching };
    return new Pages(this.#transport, 'find', { ...settings, path: this.#place, query });
  }

  /** Evaluates formulas and ranges with other inputs, at any position. Nothing is written. */
  scenario(
    wishes: ScenarioWishes,
    { ref, ...settings }: ReadOptions = {},
  ): Promise<Schemas['Scenario']> {
    const body = scenarioRequest(wishes, ref ?? this.branch);
    const options = { ...settings, path: this.#place, body };
    return this.#transport.call('POST', '/v1/workbooks/{id}/scenario', options);
  }

  /** Returns the cell that Ctrl and an arrow key lead to from a cell such as `Plan!B2`. */
  edge(
    cell: string,
    direction: 'up' | 'down' | 'left' | 'right',
    { ref, ...settings }: ReadOptions = {},
  ): Promise<Schemas['Edge']> {
    const query = { cell, direction, ref: ref ?? this.branch };
    const options = { ...settings, path: this.#place, query };
    return this.#transport.call('GET', '/v1/workbooks/{id}/edge', options);
  }

  /**
   * Writes one input to each cell of a range, or rows of inputs from its first cell on. Resolves
   * with the cells that changed. Throws Rejected.
   */
  set(range: string, input: Input | Input[][], options: SubmitOptions = {}): Promise<Written> {
    return this.#submissions.write([setOf(range, input)], options);
  }

  /** Clears the contents of a range and keeps its formats. Throws Rejected. */
  clear(range: string, options: SubmitOptions = {}): Promise<Written> {
    return this.#submissions.write([op.rangeClear({ range })], options);
  }

  /** Takes back an operation by its sequence number, or a group by its name. Throws Rejected. */
  undo(of: number | string, options: SubmitOptions = {}): Promise<Written> {
    return this.#submissions.write([op.undo({ of })], options);
  }

  /** Submits operations; `results` has the outcome of each, even if all were rejected. */
  submit(ops: readonly Operation[], options: SubmitOptions = {}): Promise<Submitted> {
    return this.#submissions.submit(ops, options);
  }

  /** Makes a branch that begins at this branch's head, or at the position `from`. */
  async fork(
    name: string,
    { from, ...settings }: CallSettings & { from?: string } = {},
  ): Promise<Workbook> {
    await this.#transport.call('POST', '/v1/workbooks/{id}/branches', {
      ...settings,
      path: this.#place,
      body: { name, from: from ?? this.branch },
    });
    return this.on(name);
  }

  branches(settings: CallSettings = {}): Pages<Schemas['ListedBranch']> {
    return new Pages(this.#transport, 'branches', { ...settings, path: this.#place });
  }

  deleteBranch(branch: string, settings: CallSettings = {}): Promise<unknown> {
    const options = { ...settings, path: { id: this.id, branch } };
    return this.#transport.call('DELETE', '/v1/workbooks/{id}/branches/{branch}', options);
  }

  /**
   * Lists the operations of the branch, oldest first. With `payload: false` each operation has only
   * the number of cells that it names.
   */
  ops({ after, payload, ...settings }: JournalOptions & { after?: number } = {}): Pages<
    JournalItem,
    Schemas['HistoryPage']
  > {
    const query = { after, ...(payload === false && { payload }) };
    return new Pages(this.#transport, 'ops', { ...settings, path: this.#branchPlace, query });
  }

  /**
   * Lists the operations of the branch, newest first, from its head or from before an operation.
   */
  history({
    before,
    limit,
    payload = false,
    ...settings
  }: JournalOptions & { before?: number; limit?: number } = {}): Pages<
    JournalItem,
    Schemas['HistoryPage']
  > {
    const query = { before: before ?? Number.MAX_SAFE_INTEGER, limit, payload };
    return new Pages(this.#transport, 'history', { ...settings, path: this.#branchPlace, query });
  }

  /** Lists the cells of a range with the operation and the identity that wrote each. */
  blame(
    range: string,
    { ref, ...settings }: ReadOptions = {},
  ): Pages<Schemas['BlamePage']['cells'][number], Schemas['BlamePage']> {
    const query = { range, ref: ref ?? this.branch };
    return new Pages(this.#transport, 'blame', { ...settings, path: this.#place, query });
  }

  /**
   * Lists the changes from one position to another; `list` of an entry says what kind of thing it
   * is.
   */
  diff(
    from: string,
    to = this.branch,
    options: CallSettings & { values?: boolean; sheet?: string; kinds?: string } = {},
  ): Pages<{ readonly list: string; readonly [member: string]: unknown }, Schemas['DiffPage']> {
    const { values, sheet, kinds, ...settings } = options;
    const query = { from, to, ...(values && { values }), sheet, kinds };
    return new Pages(this.#transport, 'diff', { ...settings, path: this.#place, query });
  }

  /** Returns the changes as text: a table in CSV, or a patch. */
  async diffText(
    from: string,
    to: string,
    format: 'csv' | 'patch',
    settings: CallSettings = {},
  ): Promise<string> {
    const response = await this.#transport.open('GET', '/v1/workbooks/{id}/diff', {
      ...settings,
      path: this.#place,
      query: { from, to, format },
      headers: { ...settings.headers, accept: '*/*' },
    });
    return response.text();
  }

  /** Proposes to merge a branch into this one. Nothing is written before the merge is approved. */
  async merge(source: string, options: MergeOptions = {}): Promise<Merge> {
    return Merge.propose(this.#transport, this.id, { target: this.branch, source, ...options });
  }

  /** Opens a merge that was proposed before. */
  openMerge(mid: string, settings: CallSettings = {}): Promise<Merge> {
    return Merge.load(this.#transport, this.id, mid, settings);
  }

  merges(settings: CallSettings = {}): Pages<Schemas['ListedMerge']> {
    return new Pages(this.#transport, 'merges', { ...settings, path: this.#place });
  }

  /** Starts a match of rows of two tables that mean the same thing; it runs in the background. */
  match(wishes: CallSettings & MatchWishes): Promise<Match> {
    return Match.start(this.#transport, this.id, { branch: this.branch, ...wishes });
  }

  /** Opens a match that was started before. */
  openMatch(mid: string, settings: CallSettings = {}): Promise<Match> {
    return Match.load(this.#transport, this.id, mid, settings);
  }

  matches(settings: CallSettings = {}): Pages<MatchRecord> {
    return new Pages(this.#transport, 'matches', { ...settings, path: this.#place });
  }

  /** Names the current position of the branch, with a tag if given. */
  commit(
    message: string,
    { tag, ...settings }: CallSettings & { tag?: string } = {},
  ): Promise<Schemas['Commit']> {
    return this.#transport.call('POST', '/v1/workbooks/{id}/branches/{branch}/commit', {
      ...settings,
      path: this.#branchPlace,
      body: { message, ...(tag !== undefined && { tag }) },
    });
  }

  commits(
    settings: CallSettings = {},
  ): Pages<Schemas['GetWorkbooksCommits']['commits'][number], Schemas['GetWorkbooksCommits']> {
    return new Pages(this.#transport, 'commits', { ...settings, path: this.#place });
  }

  /** Stores a snapshot of the branch. */
  checkpoint(settings: CallSettings = {}): Promise<Schemas['Snapshot']> {
    const options = { ...settings, path: this.#branchPlace };
    return this.#transport.call('POST', '/v1/workbooks/{id}/branches/{branch}/checkpoint', options);
  }

  /** Returns the branch as a file. */
  async export(
    format: 'json' | 'ndjson' | 'csv' | 'xlsx',
    { sheet, ...settings }: CallSettings & { sheet?: string } = {},
  ): Promise<Uint8Array> {
    const path = '/v1/workbooks/{id}/branches/{branch}/export';
    const response = await this.#transport.open('GET', path, {
      ...settings,
      path: this.#branchPlace,
      query: { format, sheet },
      headers: { ...settings.headers, accept: '*/*' },
    });
    return new Uint8Array(await response.arrayBuffer());
  }

  /**
   * Lists the rows of a table, by its name or id: all, those that a query selects, or groups of
   * them.
   */
  rows(
    table: string,
    wishes: RowsWishes = {},
    { ref, ...settings }: ReadOptions = {},
  ): Pages<Record<string, Schemas['Value']>, Schemas['GetWorkbooksTablesRows']> {
    const query = { ...wishes, ref: ref ?? this.branch };
    const options = { ...settings, path: { id: this.id, tid: table }, query };
    return new Pages(this.#transport, 'rows', options);
  }

  /** Lists the rows that differ between two positions, by key. */
  tableChanges(
    table: string,
    from: string,
    to = this.branch,
  ): Pages<Schemas['TableChangesPage']['changes'][number], Schemas['TableChangesPage']> {
    const path = { id: this.id, tid: table };
    return new Pages(this.#transport, 'tableChanges', { path, query: { from, to } });
  }

  /**
   * Writes rows to a keyed table: a row with a known key is changed, any other is added. Throws
   * Rejected.
   */
  upsert(table: string, rows: RowsOf, options: SubmitOptions = {}): Promise<Written> {
    return this.#submissions.write([op.rowsUpsert({ table, rows })], options);
  }

  /** Lists notes, rules, merged cells and so on, of the given `types`. */
  records(
    settings: ReadOptions & { types?: string } = {},
  ): Pages<Schemas['RecordsPage']['records'][number], Schemas['RecordsPage']> {
    const { ref, types, ...rest } = settings;
    const query = { ref: ref ?? this.branch, types };
    return new Pages(this.#transport, 'records', { ...rest, path: this.#place, query });
  }

  /**
   * Returns the proof of the operation at a position such as `main@42`; waits until the log has
   * published it. Throws RangeError for other references.
   */
  async proofOf(ref: string, settings: CallSettings = {}): Promise<Proof> {
    const { branch, seq } = operationPosition(ref);
    const response = await this.#transport.open('GET', '/v1/workbooks/{id}/proofs', {
      ...settings,
      path: this.#place,
      query: { branch, seq, format: 'tlog-proof' },
      headers: { ...settings.headers, accept: '*/*' },
    });
    const { Proof: Checked } = await import('./proof.ts');
    return new Checked(await response.text());
  }

  rename(name: string, settings: CallSettings = {}): Promise<Schemas['Workbook']> {
    const options = { ...settings, path: this.#place, body: { name } };
    return this.#transport.call('PATCH', '/v1/workbooks/{id}', options);
  }

  /**
   * Archives the workbook, after which writes are refused; the answer has the token for a purge.
   */
  archive(settings: CallSettings = {}): Promise<Answer<'/v1/workbooks/{id}', 'DELETE'>> {
    const options = { ...settings, path: this.#place };
    return this.#transport.call('DELETE', '/v1/workbooks/{id}', options);
  }

  restore(settings: CallSettings = {}): Promise<Schemas['Workbook']> {
    const options = { ...settings, path: this.#place };
    return this.#transport.call('POST', '/v1/workbooks/{id}/restore', options);
  }

  /** Opens a session over a websocket, which keeps submissions until they are answered. */
  live(options: SessionOptions = {}): Promise<Session> {
    return Session.open(this.#transport, { id: this.id, branch: this.branch }, options);
  }

  get #place(): { id: string } {
    return { id: this.id };
  }

  get #branchPlace(): { id: string; branch: string } {
    return { id: this.id, branch: this.branch };
  }
}

type RowsOf = Parameters<typeof op.rowsUpsert>[0]['rows'];
