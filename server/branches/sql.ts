import type { Environment } from '../model/environment.ts';
import { companions, type PoolCompanions, type Sql } from '../storage/postgres.ts';
import { rejectedWith } from './rejections/sql.ts';
import { AppendGroup } from './together/group.ts';
import { appendTogether } from './together/sql.ts';
import type {
  Append,
  BranchAddress,
  BranchRow,
  JournalStore,
  MergedPosition,
  StoredSegment,
} from './journal-store.ts';

/** Rows deleted by one statement, which keeps transactions short. */
const trimmedRows = 500;

/** Limits of one page of segments: many small ones, or a few large ones. */
const pageSegments = 1_000;
const pageBytes = 8 << 20;
const digestsMost = 200;

/** A segment with the SHA-256 of its body. */
export interface SegmentDigest extends Omit<StoredSegment, 'body'> {
  readonly bodyHash: Buffer;
}

interface KnownHead extends BranchAddress {
  readonly head: number;
}

/** The journal in PostgreSQL, the only writer of its tables. */
export class PostgresJournal implements JournalStore {
  readonly #sql: Sql;
  readonly #appends: Pick<PoolCompanions['appends'], 'run' | 'isStuck'>;

  /** Groups appends; undefined without a clock, when each append is a statement. */
  readonly #group: AppendGroup | undefined;

  /**
   * Makes a store whose appends use the pool's connections for appends, unless others are given.
   */
  constructor(
    sql: Sql,
    appends: Pick<PoolCompanions['appends'], 'run' | 'isStuck'> = companions(sql).appends,
    environment?: Environment,
  ) {
    this.#sql = sql;
    this.#appends = appends;
    const ways = {
      alone: (append: Append) => appends.run((on) => this.#appendOn(on, append)),
      together: (all: readonly Append[]) => appends.run((on) => appendTogether(on, all)),
    };
    this.#group = environment && new AppendGroup(ways, environment);
  }

  get isStuck(): boolean {
    const { dialers } = companions(this.#sql);
    return this.#appends.isStuck || dialers.some(({ isSilent }) => isSilent);
  }

  async append(append: Append): Promise<boolean> {
    const { barrier } = companions(this.#sql);
    try {
      if (this.#group) return await this.#group.append(append);
      return await this.#appends.run((sql) => this.#appendOn(sql, append));
    } catch (error) {
      // It may be written nevertheless, and be read before it is safe.
      barrier.raise();
      throw error;
    }
  }

  confirm(): Promise<void> {
    return companions(this.#sql).barrier.pass();
  }

  /**
   * Returns the result of a read once it is safe: at once as long as no connection was lost,
   * because only after that may PostgreSQL return with unacknowledged commits.
   */
  async #believed<Found>(reading: Promise<Found>): Promise<Found> {
    const found = await reading;
    const { barrier } = companions(this.#sql);
    if (barrier.isRaised) await barrier.pass();
    return found;
  }

  /**
   * Appends in one statement, so in one round trip and commit: head, segments and usage change
   * together.
   */
  async #appendOn(sql: Sql, append: Append): Promise<boolean> {
    const { workbookId, branchNo, expectedHead, epoch, segments, usage, rejections } = append;
    const last = segments.at(-1);
    if (!last) throw new Error('an append has at least one segment');
    const firsts = segments.map(({ firstSeq }) => firstSeq);
    const lasts = segments.map(({ lastSeq }) => lastSeq);
    const lengths = segments.map(({ body }) => body.length);
    let next = 1;
    const starts = lengths.map((length) => (next += length) - length);
    // The driver writes one buffer far faster than an array, so hashes are joined and cut in SQL.
    const hashes = joined(segments.flatMap(({ previousHash, hash }) => [previousHash, hash]));
    const bodies = joined(segments.map(({ body }) => body));
    const principals = usage.map(({ principalId }) => principalId);
    const operations = usage.map(({ operationCount }) => operationCount);
    const bytes = usage.map(({ byteCount }) => byteCount);
    const moved = await sql`
      with moved as (
        update branch
           set head = ${last.lastSeq}, head_hash = ${last.hash}, updated_at = clock_timestamp(),
               rejected_no = rejected_no + ${rejections?.kept.length ?? 0}::int
         where workbook_id = ${workbookId} and branch_no = ${branchNo}
           and head = ${expectedHead} and epoch = ${epoch} and not archived
           and rejected_no = coalesce(${rejections?.after ?? null}::bigint, rejected_no)
        returning head
      ), written as (
        insert into segment
          (workbook_id, branch_no, first_seq, last_seq, previous_hash, hash, body)
        select ${workbookId}, ${branchNo}::int, first, last,
               substring(${hashes}::bytea from (64 * nth - 63)::int for 32),
               substring(${hashes}::bytea from (64 * nth - 31)::int for 32),
               substring(${bodies}::bytea from start for length)
          from moved,
               unnest(${firsts}::bigint[], ${lasts}::bigint[], ${starts}::int[], ${lengths}::int[])
                 with ordinality as part (first, last, start, length, nth)
      ), metered as (
        insert into usage_delta (workbook_id, principal_id, operation_count, byte_count)
        select ${workbookId}, delta.*
          from moved, unnest(${principals}::text[], ${operations}::int[], ${bytes}::bigint[])
            as delta
      )${this.#named(append)}${this.#merged(append)}${this.#logged(append)}${
        rejections ? rejectedWith(sql, append, rejections) : sql``
      }
      select head from moved`;
    return moved.length === 1;
  }

  /** SQL that writes commits; empty for most appends. */
  #named({ workbookId, branchNo, commits }: Append) {
    const sql = this.#sql;
    if (commits.length === 0) return sql``;
    const seqs = commits.map(({ seq }) => seq);
    const tags = commits.map(({ tag }) => tag ?? null);
    const messages = commits.map(({ message }) => message);
    const principals = commits.map(({ principalId }) => principalId);
    const times = commits.map(({ at }) => new Date(at).toISOString());
    const named = sql`
      unnest(${seqs}::bigint[], ${tags}::text[], ${messages}::text[], ${principals}::text[],
             ${times}::timestamptz[]) as named (seq, tag, message, principal, at)`;
    return sql`, committed as (
        insert into branch_commit
          (workbook_id, branch_no, seq, tag, message, committed_by, committed_at)
        select ${workbookId}, ${branchNo}::int, named.* from moved,
               (select seq, tag, message, principal, at from ${named}) as named
      ), tagged as (
        update commit_tag set branch_no = ${branchNo}, seq = named.seq
          from moved, ${named}
         where workbook_id = ${workbookId} and commit_tag.tag = named.tag
           and commit_tag.seq is null
      )`;
  }

  #merged({ workbookId, branchNo, merges = [] }: Append) {
    const sql = this.#sql;
    if (merges.length === 0) return sql``;
    return sql`, merged as (
        insert into branch_merge
          (workbook_id, branch_no, seq, merge_id, source_no, source_seq, vector)
        select ${workbookId}, ${branchNo}::int, part.*
          from moved,
               jsonb_to_recordset(${sql.json(merges.map(mergeRow))}::jsonb)
                 as part (seq bigint, merge_id text, source_no int, source_seq bigint,
                          vector jsonb)
      )`;
  }

  /** SQL that writes the statements about the segments, and their entries in the log. */
  #logged({ workbookId, branchNo, statements = [] }: Append) {
    const sql = this.#sql;
    if (statements.length === 0) return sql``;
    const lasts = statements.map(({ lastSeq }) => lastSeq);
    const kinds = statements.map(({ kind }) => kind);
    const bodies = statements.map(({ body }) => body);
    const hashes = joined(statements.map(({ leafHash }) => leafHash));
    const entries = joined(statements.map(({ entry }) => entry));
    const entryBytes = entries.length / statements.length;
    return sql`, stated as (
        insert into tlog_statement (workbook_id, branch_no, last_seq, leaf_hash, kind, body)
        select ${workbookId}, ${branchNo}::int, said.last,
               substring(${hashes}::bytea from (32 * nth - 31)::int for 32), said.kind, said.body
          from moved,
               unnest(${lasts}::bigint[], ${kinds}::text[], ${bodies}::text[])
                 with ordinality as said (last, kind, body, nth)
      ), logged as (
        insert into tlog_pending (leaf_hash, entry, tag)
        select substring(${hashes}::bytea from (32 * nth - 31)::int for 32),
               substring(${entries}::bytea
                         from (${entryBytes}::int * (nth - 1) + 1)::int for ${entryBytes}::int),
               ${statements[0]?.tag ?? null}::bytea
          from moved, generate_series(1, ${statements.length}::int) as nth
        on conflict do nothing
      )`;
  }

  async branch({ workbookId, branchNo }: BranchAddress): Promise<BranchRow | undefined> {
    const [row] = await this.#believed(
      this.#sql<StoredBranch[]>`
        select ${this.#branchColumns()} from branch
         where workbook_id = ${workbookId} and branch_no = ${branchNo}`,
    );
    return row && branchRow(row);
  }

  async branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined> {
    const [row] = await this.#believed(
      this.#sql<StoredBranch[]>`
        select ${this.#branchColumns()} from branch
         where workbook_id = ${workbookId} and name = ${name} and deleted_at is null`,
    );
    return row && branchRow(row);
  }

  /** Finds the branches that moved beyond a known head, with their head now. */
  async movedHeads(known: readonly KnownHead[]): Promise<KnownHead[]> {
    const workbooks = known.map(({ workbookId }) => workbookId);
    const numbers = known.map(({ branchNo }) => branchNo);
    const heads = known.map(({ head }) => head);
    return this.#believed(this.#sql<KnownHead[]>`
      select workbook_id as "workbookId", branch_no as "branchNo", b.head
        from branch b
        join unnest(${workbooks}::text[], ${numbers}::int[], ${heads}::bigint[])
          as known (workbook_id, branch_no, head) using (workbook_id, branch_no)
       where b.head > known.head`);
  }

  #branchColumns() {
    return this.#sql`
      branch_no as "branchNo", name, head, head_hash as "headHash", epoch, archived,
      archived_with_workbook as "isArchivedWithWorkbook", deleted_at is not null as "isDeleted",
      parent_no as "parentNo", fork_seq as "forkSeq", base_hash as "baseHash",
      rejected_no as "rejectedNo", sealed_seq as "sealedSeq", snapshot_seq as "snapshotSeq"`;
  }

  /** Returns the first operation in PostgreSQL; undefined if there is none. */
  async firstSeq({ workbookId, branchNo }: BranchAddress): Promise<number | undefined> {
    const [row] = await this.#sql<{ firstSeq: number | null }[]>`
      select min(first_seq) as "firstSeq" from segment
       where workbook_id = ${workbookId} and branch_no = ${branchNo}`;
    return row?.firstSeq ?? undefined;
  }

  /** Returns whether PostgreSQL has every operation after one. */
  async hasTail(address: BranchAddress, after: number): Promise<boolean> {
    const firstSeq = await this.firstSeq(address);
    return firstSeq !== undefined && firstSeq <= after + 1;
  }

  /**
   * Deletes some of the first segments that end at or before an operation; returns the last
   * operation of those, undefined if there are none. Segments that are not sealed in object storage
   * and in a snapshot always stay.
   */
  async trim(
    { workbookId, branchNo }: BranchAddress,
    through: number,
  ): Promise<number | undefined> {
    // An array is computed once: a join would run again for each row, through all former versions
    // of the branch's row.
    const rows = await this.#sql<{ lastSeq: number }[]>`
      delete from segment
       where workbook_id = ${workbookId} and branch_no = ${branchNo}
         and first_seq = any (array(
           select first_seq from segment
            where workbook_id = ${workbookId} and branch_no = ${branchNo}
              and last_seq <= least(${through}::bigint, (
                select least(sealed_seq, snapshot_seq) from branch
                 where workbook_id = ${workbookId} and branch_no = ${branchNo}))
            order by first_seq
            limit ${trimmedRows}))
      returning last_seq as "lastSeq"`;
    return rows.length === 0 ? undefined : Math.max(...rows.map(({ lastSeq }) => lastSeq));
  }

  /**
   * Reads segments, which have no overlaps or gaps: the one before `after + 1` is the last to skip.
   * None if that one was trimmed, because later ones do not follow.
   */
  segments(
    { workbookId, branchNo }: BranchAddress,
    after: number,
    through: number = Number.MAX_SAFE_INTEGER,
  ): Promise<StoredSegment[]> {
    return this.#believed(this.#sql<StoredSegment[]>`
      select first_seq as "firstSeq", last_seq as "lastSeq", previous_hash as "previousHash",
             hash, body
        from (
          select *, sum(octet_length(body)) over (order by first_seq) - octet_length(body) as ahead
            from segment
           where workbook_id = ${workbookId} and branch_no = ${branchNo}
             and first_seq >= (
               select max(first_seq) from segment
                where workbook_id = ${workbookId} and branch_no = ${branchNo}
                  and first_seq <= ${after + 1})
             and last_seq > ${after} and first_seq <= ${through}
           order by first_seq
           limit ${pageSegments}) as page
       where ahead < ${pageBytes}
       order by first_seq`);
  }

  /** Lists the segments after an operation without their bodies. */
  digests({ workbookId, branchNo }: BranchAddress, after: number): Promise<SegmentDigest[]> {
    return this.#sql<SegmentDigest[]>`
      select first_seq as "firstSeq", last_seq as "lastSeq", previous_hash as "previousHash",
             hash, sha256(body) as "bodyHash"
        from segment
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and first_seq > ${after}
       order by first_seq
       limit ${digestsMost}`;
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first && parts.length === 1 ? first : Buffer.concat(parts);
}

function mergeRow({ seq, mergeId, sourceNo, sourceSeq, vector }: MergedPosition) {
  const source = { source_no: sourceNo, source_seq: sourceSeq };
  return { seq, merge_id: mergeId, ...source, vector: vector ? { ...vector } : null };
}

type StoredBranch = Omit<BranchRow, 'from'> & {
  readonly parentNo: number | null;
  readonly forkSeq: number | null;
};

function branchRow({ parentNo, forkSeq, ...row }: StoredBranch): BranchRow {
  const from =
    parentNo === null || forkSeq === null ? undefined : { branchNo: parentNo, seq: forkSeq };
  return { ...row, from };
}
