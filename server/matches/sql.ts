import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Sql, Transaction } from '../storage/postgres.ts';
import { decisions, type Assignment, type Decision } from '../../workers/matching/options.ts';
import { matchLimits } from './match.ts';
import type { Counts, MatchError, MatchRecord, Phase, SideFacts } from './match.ts';
import { takenRows, type AcceptedPair, type TakenRow } from './taken-rows.ts';

export interface Step {
  readonly phase: Phase;
  readonly done: number;
  readonly total: number;
  readonly progress: number;
}

export interface StoredChunk {
  /** Number of its first text. */
  readonly first: number;
  readonly data: Uint8Array;
}

/** A row of a result as it lies there. */
export interface StoredRow {
  readonly number: number;
  readonly decision: number;
  readonly body: string;
  readonly isManual: boolean;
}

export interface KeyPair {
  /** Both as JSON. */
  readonly left: string;
  readonly right: string;
  readonly decision: Decision;
}

export type NewMatch = Pick<
  MatchRecord,
  'id' | 'workbookId' | 'createdBy' | 'ownerId' | 'branch' | 'branchNo' | 'seq' | 'request' | 'algo'
>;

/** Matches and their rows in PostgreSQL. */
export class MatchTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns false if the account has as many unfinished matches as it may have. */
  async create(match: NewMatch): Promise<boolean> {
    const most = matchLimits.runningPerAccount + matchLimits.queuedPerAccount;
    return this.#sql.begin(async (sql) => {
      // Whoever creates one for the same account at the same time waits.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`match ${match.ownerId}`}, 0))`;
      const made = await sql`
        insert into match (match_id, workbook_id, created_by, owner_id, branch, branch_no, seq,
                           request, algo)
        select ${match.id}, ${match.workbookId}, ${match.createdBy}, ${match.ownerId},
               ${match.branch}, ${match.branchNo}, ${match.seq},
               ${JSON.stringify(match.request)}::text::jsonb,
               ${match.algo}
         where (select count(*) from match
                 where owner_id = ${match.ownerId} and status in ('queued', 'running')) < ${most}`;
      return made.count === 1;
    });
  }

  async find(workbookId: string, id: string): Promise<MatchRecord | undefined> {
    const sql = this.#sql;
    const [row] = await sql<MatchRecord[]>`
      select ${this.#columns()} from match
       where match_id = ${id} and workbook_id = ${workbookId}`;
    return row;
  }

  async list(
    workbookId: string,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ total: number; matches: MatchRecord[] }> {
    const sql = this.#sql;
    const [[counted], matches] = await Promise.all([
      sql<{ total: number }[]>`
        select count(*)::int as total from match where workbook_id = ${workbookId}`,
      sql<MatchRecord[]>`
        select ${this.#columns()} from match where workbook_id = ${workbookId}
         order by match_id desc offset ${offset} limit ${limit}`,
    ]);
    return { total: counted?.total ?? 0, matches };
  }

  /** Matches whose turn it is: the oldest unfinished ones of each account. */
  async due(): Promise<{ id: string; workbookId: string; ownerId: string }[]> {
    return this.#sql`
      select match_id as id, workbook_id as "workbookId", owner_id as "ownerId" from (
        select match_id, workbook_id, owner_id,
               row_number() over (partition by owner_id order by match_id) as place
          from match where status in ('queued', 'running')) as unfinished
       where place <= ${matchLimits.runningPerAccount} order by match_id`;
  }

  /** Deletes what ended long ago. */
  async expire(): Promise<void> {
    await this.#sql`
      delete from match
       where finished_at < clock_timestamp() - make_interval(days => ${matchLimits.retentionDays})`;
  }

  /** For whoever works on it; undefined when it has ended meanwhile. */
  async claim(workbookId: string, id: string): Promise<MatchRecord | undefined> {
    const sql = this.#sql;
    const [row] = await sql<MatchRecord[]>`
      update match set status = 'running', attempts = attempts + 1,
             phase = coalesce(phase, 'reading'),
             started_at = coalesce(started_at, clock_timestamp())
       where match_id = ${id} and workbook_id = ${workbookId} and status in ('queued', 'running')
      returning ${this.#columns()}`;
    return row;
  }

  /**
   * Notes how far it is, which never goes back; what gets somewhere may be tried again. False: it
   * has ended meanwhile.
   */
  async advance(
    id: string,
    { phase, done, total, progress }: Step,
    chunk?: StoredChunk,
  ): Promise<boolean> {
    const sql = this.#sql;
    const bytes = chunk ? Buffer.from(chunk.data) : null;
    const moved = await sql`
      with moved as (
        update match set phase = ${phase}, done = ${done}, total = ${total},
               progress = greatest(progress, ${progress}),
               attempts = case when ${chunk !== undefined}::boolean then 1 else attempts end
         where match_id = ${id} and status = 'running' returning match_id
      ), kept as (
        insert into match_chunk (match_id, phase, first, data)
        select match_id, ${phase}, ${chunk?.first ?? 0}::int, ${bytes}::bytea
          from moved where ${chunk !== undefined}::boolean
        on conflict do nothing
      )
      select from moved`;
    return moved.length === 1;
  }

  async chunks(id: string, phase: Phase): Promise<StoredChunk[]> {
    return this.#sql<StoredChunk[]>`
      select first, data from match_chunk where match_id = ${id} and phase = ${phase}
       order by first`;
  }

  /**
   * Stores the hash of the inputs; without one nobody takes its rows for those of another match.
   */
  async noteInputs(id: string, hash: Uint8Array | undefined): Promise<void> {
    const bytes = hash === undefined ? null : Buffer.from(hash);
    await this.#sql`update match set inputs_hash = ${bytes} where match_id = ${id}`;
  }

  async noteSides(id: string, sides: { left: SideFacts; right: SideFacts }): Promise<void> {
    await this.#sql`update match set sides = ${JSON.stringify(sides)}::text::jsonb where match_id = ${id}`;
  }

  /** Takes the rows of a finished match with the same inputs. False: there is none. */
  async reuse(workbookId: string, id: string, hash: Uint8Array): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      const [found] = await sql<{ id: string }[]>`
        select match_id as id from match
         where workbook_id = ${workbookId} and inputs_hash = ${Buffer.from(hash)}
           and status = 'done' order by match_id limit 1 for share`;
      if (!found) return false;
      const done = await sql`
        update match m set status = 'done', phase = null, progress = 1, reused = true,
               sides = f.sides, row_count = f.row_count, done = f.total, total = f.total,
               counts = f.made_counts, made_counts = f.made_counts,
               finished_at = clock_timestamp()
          from match f
         where m.match_id = ${id} and m.status = 'running' and f.match_id = ${found.id}`;
      if (done.count === 0) return false;
      await sql`
        insert into match_row (match_id, number, left_key, right_key, decision, body)
        select ${id}, number, left_key, right_key,
               array_position(${[...decisions]}::text[], (body::jsonb)->>'decision') - 1, body
          from match_row where match_id = ${found.id}`;
      return true;
    });
  }

  /** Writes the rows, and with them that it is done. False: it has ended meanwhile. */
  async finish(
    id: string,
    { blocks, total, counts }: { blocks: readonly Uint8Array[]; total: number; counts: Counts },
  ): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      const [own] = await sql`
        select from match where match_id = ${id} and status = 'running' for update`;
      if (!own) return false;
      await sql`delete from match_row where match_id = ${id}`;
      const copy = await sql`
        copy match_row (match_id, number, left_key, right_key, decision, body)
        from stdin`.writable();
      await pipeline(Readable.from(blocks, { objectMode: false }), copy);
      await sql`
        update match set status = 'done', phase = null, progress = 1, row_count = ${total},
               counts = ${JSON.stringify(counts)}::text::jsonb,
               made_counts = ${JSON.stringify(counts)}::text::jsonb,
               done = total, finished_at = clock_timestamp()
         where match_id = ${id}`;
      await sql`delete from match_chunk where match_id = ${id}`;
      return true;
    });
  }

  async fail(id: string, error: MatchError): Promise<void> {
    await this.#sql`
      with ended as (
        update match set status = 'failed', phase = null, error = ${JSON.stringify(error)}::text::jsonb,
               finished_at = clock_timestamp()
         where match_id = ${id} and status in ('queued', 'running') returning match_id
      )
      delete from match_chunk where match_id in (select match_id from ended)`;
  }

  async cancel(id: string): Promise<void> {
    await this.#sql`
      with ended as (
        update match set status = 'cancelled', phase = null, finished_at = clock_timestamp()
         where match_id = ${id} and status in ('queued', 'running') returning match_id
      )
      delete from match_chunk where match_id in (select match_id from ended)`;
  }

  /** Rows by their number, or those of one decision by their place among them. */
  async rows(
    id: string,
    { offset, limit, decision }: { offset: number; limit: number; decision?: Decision | undefined },
  ): Promise<StoredRow[]> {
    const sql = this.#sql;
    if (decision === undefined) {
      return sql<StoredRow[]>`
        select number, decision, body, is_manual as "isManual" from match_row
         where match_id = ${id} and number >= ${offset} and number < ${offset + limit}
         order by number`;
    }
    return sql<StoredRow[]>`
      select number, decision, body, is_manual as "isManual" from match_row
       where match_id = ${id} and decision = ${decisions.indexOf(decision)}
       order by number offset ${offset} limit ${limit}`;
  }

  async countRows(id: string, decision: Decision): Promise<number> {
    const [row] = await this.#sql<{ total: number }[]>`
      select count(*)::int as total from match_row
       where match_id = ${id} and decision = ${decisions.indexOf(decision)}`;
    return row?.total ?? 0;
  }

  /** Writes what a person decided, all or nothing; returns why nothing was written. */
  async decide(
    id: string,
    pairs: readonly KeyPair[],
    assignment: Assignment,
  ): Promise<Undecided | undefined> {
    const deciding = this.#sql.begin(async (sql): Promise<undefined> => {
      await sql`select from match where match_id = ${id} for update`;
      const before = await countsOf(sql, id);
      const decided = await sql<{ place: number }[]>`
        update match_row r set decision = given.decision, is_manual = true
          from unnest(${pairs.map((_, place) => place)}::int[],
                      ${pairs.map(({ left }) => left)}::text[],
                      ${pairs.map(({ right }) => right)}::text[],
                      ${pairs.map(({ decision }) => decisions.indexOf(decision))}::smallint[])
               as given (place, left_key, right_key, decision)
         where r.match_id = ${id} and r.left_key = given.left_key
           and r.right_key = given.right_key
        returning given.place`;
      const found = new Set(decided.map(({ place }) => place));
      const gone = pairs.flatMap((_, place) => (found.has(place) ? [] : [place]));
      if (gone.length > 0) throw new Undecided(gone, []);
      const taken = takenRows(await acceptedBeside(sql, id, pairs), assignment);
      if (taken.length > 0) throw new Undecided([], taken);
      const after = await countsOf(sql, id);
      for (const [at, decision] of decisions.entries()) {
        const change = (after[at] ?? 0) - (before[at] ?? 0);
        await sql`
          update match
             set counts = jsonb_set(counts, ${[decision]}::text[],
                                    to_jsonb((counts->>${decision})::int + ${change}::int))
           where match_id = ${id}`;
      }
    });
    try {
      return await deciding;
    } catch (error) {
      if (error instanceof Undecided) return error;
      throw error;
    }
  }

  #columns() {
    const sql = this.#sql;
    return sql`
      match_id as id, workbook_id as "workbookId", created_by as "createdBy",
      owner_id as "ownerId", branch, branch_no as "branchNo", seq, request, algo, status, phase,
      done, total, progress, attempts, sides, reused, counts, row_count as "rowCount", error,
      created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt"`;
  }
}

/** Rows of each decision, in the order of their numbers. */
async function countsOf(sql: Transaction, id: string): Promise<number[]> {
  const rows = await sql<{ decision: number; count: number }[]>`
    select decision, count(*)::int as count from match_row where match_id = ${id} group by 1`;
  return decisions.map((_, at) => rows.find(({ decision }) => decision === at)?.count ?? 0);
}

/** The accepted pairs of all rows that these pairs accept something of. */
async function acceptedBeside(
  sql: Transaction,
  id: string,
  pairs: readonly KeyPair[],
): Promise<AcceptedPair[]> {
  const accepted = pairs.filter(({ decision }) => decision === 'accept');
  if (accepted.length === 0) return [];
  return sql<AcceptedPair[]>`
    select left_key as "left", right_key as "right" from match_row
     where match_id = ${id} and decision = ${decisions.indexOf('accept')}
       and (left_key = any(${accepted.map(({ left }) => left)}::text[])
            or right_key = any(${accepted.map(({ right }) => right)}::text[]))
     order by number`;
}

/** Takes a transaction back: places of pairs that are not there, or rows that would have several. */
export class Undecided extends Error {
  readonly missing: readonly number[];
  readonly taken: readonly TakenRow[];

  constructor(missing: readonly number[], taken: readonly TakenRow[]) {
    super('nothing was decided');
    this.missing = missing;
    this.taken = taken;
  }
}
