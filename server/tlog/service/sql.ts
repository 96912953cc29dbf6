import type { Sql, Statements } from '../../storage/postgres.ts';
import { LeaseLost, LogHalted } from './halted.ts';

/** The integrated tree, and how far entries have their index. */
export interface LogState {
  readonly epoch: number;
  readonly origin: string | null;
  readonly sequenced: number;
  readonly size: number;
  readonly root: Buffer;
  /** The partial tiles, level 0 first, back to back. */
  readonly edge: Buffer;
  /** Prefix of the files. */
  readonly prefix: string;
  /** Time at which an older tree was adopted; null if that never happened. */
  readonly adoptedAt: Date | null;
}

export interface SignedTree {
  readonly size: number;
  readonly root: Buffer;
  /** Note with the signatures of the log alone. */
  readonly note: string;
  /** The note as everybody has seen it; null before. */
  readonly publishedNote: string | null;
  readonly publishedAt: Date | null;
}

export interface LogEntry {
  readonly leafIndex: number;
  readonly leafHash: Buffer;
  readonly entry: Buffer;
}

/** Result of taking entries from the outbox. */
export interface Sequenced {
  readonly sequenced: number;
  readonly takenCount: number;
  /** Wait of the oldest of them in milliseconds; null when there were none. */
  readonly oldestMilliseconds: number | null;
}

export interface Cosignature {
  readonly witness: string;
  readonly size: number;
  readonly line: string;
  readonly cosignedAt: Date;
}

export interface PendingFacts {
  readonly count: number;
  readonly oldestMilliseconds: number | null;
}

export interface LeafPlace {
  readonly leafHash: Buffer;
  /** Index of the leaf; null for one in the outbox. */
  readonly leafIndex: number | null;
}

/** Seconds for which a hanging process keeps others out; a dead one does not. */
const leaseSeconds = 6;

/**
 * The log in PostgreSQL. A process that changes it holds an epoch, and gets an error when that
 * ended.
 */
export class LogTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Takes the log over from a process that released it, is gone, or did not renew its lease;
   * undefined while another one has it. The time is the database's. The lease only prevents
   * frequent changes; the epoch keeps the log correct.
   */
  async takeOver(): Promise<LogState | undefined> {
    const sql = this.#sql;
    const [row] = await sql<LogState[]>`
      update tlog_state
         set epoch = epoch + 1, holder = current_setting('application_name'),
             lease_until = ${this.#leaseEnd()}
       where id = 1
         and (holder is null or holder = current_setting('application_name')
              or lease_until < clock_timestamp()
              or not exists (select from pg_stat_activity a
                              where a.application_name = holder
                                and a.datname = current_database()))
      returning ${stateColumns(sql)}`;
    return row;
  }

  async renew(epoch: number): Promise<void> {
    const done = await this.#sql`
      update tlog_state set lease_until = ${this.#leaseEnd()} where id = 1 and epoch = ${epoch}`;
    if (done.count !== 1) throw new LeaseLost();
  }

  /** Releases the lease, so that others can have it at once. */
  async release(epoch: number): Promise<void> {
    await this.#sql`update tlog_state set holder = null where id = 1 and epoch = ${epoch}`;
  }

  #leaseEnd() {
    return this.#sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;
  }

  /** Reads the state, for callers that do not mean to write. */
  async state(): Promise<LogState> {
    const [row] = await this.#sql<LogState[]>`
      select ${stateColumns(this.#sql)} from tlog_state where id = 1`;
    if (!row) throw new Error('tlog_state has no row');
    return row;
  }

  async nameLog(origin: string): Promise<void> {
    await this.#sql`update tlog_state set origin = ${origin} where id = 1 and origin is null`;
  }

  /** Gives waiting entries their index. From here on index and bytes belong together for ever. */
  sequence(epoch: number, most: number): Promise<Sequenced> {
    return this.#sql.begin(async (sql) => {
      // A separate statement, so that the next one sees all earlier changes.
      const sequenced = await this.#lockState(sql, epoch);
      const [row] = await sql<{ fresh: number; taken: number; oldest: number | null }[]>`
        with taken as (
          delete from tlog_pending where pending_no in (
            select pending_no from tlog_pending order by pending_no limit ${most})
          returning leaf_hash, entry, tag, pending_no, enqueued_at
        ), fresh as (
          insert into tlog_entry (leaf_index, leaf_hash, entry, tag)
          select ${sequenced}::bigint + row_number() over (order by pending_no) - 1, leaf_hash,
                 entry, tag
            from taken
           where not exists (select from tlog_entry e where e.leaf_hash = taken.leaf_hash)
          returning leaf_index
        )
        select (select count(*) from fresh) as fresh, count(*) as taken,
               (extract(epoch from clock_timestamp() - min(enqueued_at)) * 1000)::float8 as oldest
          from taken`;
      const { fresh = 0, taken = 0, oldest = null } = row ?? {};
      const end = sequenced + fresh;
      if (fresh > 0) await sql`update tlog_state set sequenced = ${end} where id = 1`;
      return { sequenced: end, takenCount: taken, oldestMilliseconds: oldest };
    });
  }

  async #lockState(sql: Statements, epoch: number): Promise<number> {
    const [state] = await sql<{ sequenced: number }[]>`
      select sequenced from tlog_state where id = 1 and epoch = ${epoch} for update`;
    if (!state) throw new LeaseLost();
    return state.sequenced;
  }

  /** Reads the entries in order, without holes: fails if one is missing. */
  async entries(from: number, to: number): Promise<LogEntry[]> {
    const rows = await this.#sql<LogEntry[]>`
      select leaf_index as "leafIndex", leaf_hash as "leafHash", entry from tlog_entry
       where leaf_index >= ${from} and leaf_index < ${to}
       order by leaf_index`;
    const hole = rows.findIndex(({ leafIndex }, index) => leafIndex !== from + index);
    if (hole < 0 && rows.length === to - from) return rows;
    const missing = from + (hole < 0 ? rows.length : hole);
    throw new LogHalted(`entry ${missing} of the log is missing in tlog_entry`);
  }

  /** Bundles of a tree that have entries with this tag, in order. */
  async bundlesOf(tag: Uint8Array, size: number): Promise<number[]> {
    const rows = await this.#sql<{ index: number }[]>`
      select distinct leaf_index / 256 as index from tlog_entry
       where tag = ${Buffer.from(tag)} and leaf_index < ${size} order by index`;
    return rows.map(({ index }) => index);
  }

  /** Moves the tree on; its tiles are in object storage by now. */
  async integrate(
    { epoch, size: oldSize }: { epoch: number; size: number },
    { size, root, edge }: { size: number; root: Uint8Array; edge: Uint8Array },
  ): Promise<void> {
    const done = await this.#sql`
      update tlog_state set size = ${size}, root = ${Buffer.from(root)}, edge = ${Buffer.from(edge)}
       where id = 1 and epoch = ${epoch} and size = ${oldSize}`;
    if (done.count !== 1) throw new LeaseLost();
  }

  /**
   * Stores what is signed before it is published. `sign` gets the tree of this transaction, and
   * fails unless it extends the last signed one.
   */
  sign(
    epoch: number,
    sign: (tree: { size: number; root: Buffer }, before: SignedTree | undefined) => Promise<string>,
  ): Promise<SignedTree> {
    return this.#sql.begin(async (sql) => {
      const [tree] = await sql<{ size: number; root: Buffer }[]>`
        select size, root from tlog_state where id = 1 and epoch = ${epoch} for update`;
      if (!tree) throw new LeaseLost();
      const before = await readSigned(sql);
      if (before?.size === tree.size && before.root.equals(tree.root)) return before;
      const note = await sign(tree, before);
      const added = await sql`
        insert into tlog_signed (size, root, note) values (${tree.size}, ${tree.root}, ${note})
        on conflict do nothing`;
      if (added.count !== 1) throw new LogHalted(`size ${tree.size} was signed with another root`);
      return { ...tree, note, publishedNote: null, publishedAt: null };
    });
  }

  /** The newest tree that was signed, or the one of a size. */
  signed(size?: number): Promise<SignedTree | undefined> {
    return readSigned(this.#sql, size);
  }

  async newestPublished(): Promise<SignedTree | undefined> {
    const [row] = await this.#sql<SignedTree[]>`
      select ${signedColumns(this.#sql)} from tlog_signed
       where published_at is not null order by size desc limit 1`;
    return row;
  }

  async notePublished(size: number, note: string): Promise<Date> {
    const [row] = await this.#sql<{ at: Date }[]>`
      update tlog_signed set published_note = ${note}, published_at = clock_timestamp()
       where size = ${size} returning published_at as at`;
    if (!row) throw new LogHalted(`size ${size} was published and is not in tlog_signed`);
    return row.at;
  }

  /**
   * Returns the entries up to which narrower files were deleted, and the size of a tree that was
   * published so long ago.
   */
  async tidied(agedSeconds: number): Promise<{ readonly size: number; readonly aged: number }> {
    const [row] = await this.#sql<{ size: number; aged: number }[]>`
      select tidied as size,
             coalesce((select max(size) from tlog_signed
                        where published_at
                              < clock_timestamp() - make_interval(secs => ${agedSeconds})),
                      0)::bigint as aged
        from tlog_state where id = 1`;
    return row ?? { size: 0, aged: 0 };
  }

  /** Returns the first bundles of a stretch that were narrower in a signed tree. */
  async narrowBundles(from: number, to: number, most: number): Promise<number[]> {
    const rows = await this.#sql<{ index: number }[]>`
      select distinct size / 256 as index from tlog_signed
       where size > ${from} and size < ${to} and size % 256 <> 0 order by index limit ${most}`;
    return rows.map(({ index }) => index);
  }

  /** Notes that narrower files were deleted; another process may have done so, too. */
  async noteTidied(from: number, to: number): Promise<void> {
    await this.#sql`update tlog_state set tidied = ${to} where id = 1 and tidied = ${from}`;
  }

  async noteCosignature({ witness, size, line, cosignedAt }: Cosignature): Promise<void> {
    await this.#sql`
      insert into tlog_cosignature (witness, size, line, cosigned_at)
      values (${witness}, ${size}, ${line}, ${cosignedAt.toISOString()})
      on conflict (witness) do update
         set size = excluded.size, line = excluded.line, cosigned_at = excluded.cosigned_at
       where tlog_cosignature.size <= excluded.size`;
  }

  cosignatures(): Promise<Cosignature[]> {
    return this.#sql<Cosignature[]>`
      select witness, size, line, cosigned_at as "cosignedAt" from tlog_cosignature`;
  }

  async hasPending(): Promise<boolean> {
    const rows = await this.#sql`select from tlog_pending limit 1`;
    return rows.length > 0;
  }

  async pending(): Promise<PendingFacts> {
    const [row] = await this.#sql<PendingFacts[]>`
      select count(*) as count,
             (extract(epoch from clock_timestamp() - min(enqueued_at)) * 1000)::float8
               as "oldestMilliseconds"
        from tlog_pending`;
    return row ?? { count: 0, oldestMilliseconds: null };
  }

  /** Sizes of the log, published or not. */
  async facts(): Promise<Pick<LogState, 'size' | 'sequenced'>> {
    const [row] = await this.#sql<Pick<LogState, 'size' | 'sequenced'>[]>`
      select size, sequenced from tlog_state where id = 1`;
    return row ?? { size: 0, sequenced: 0 };
  }

  /** Finds leaves in the tree or the outbox; unknown ones are left out. */
  find(leafHashes: readonly Buffer[]): Promise<LeafPlace[]> {
    const asked = Buffer.concat(leafHashes);
    return this.#sql<LeafPlace[]>`
      with asked as (
        select substring(${asked}::bytea from (32 * nth - 31)::int for 32) as leaf_hash
          from generate_series(1, ${leafHashes.length}::int) as nth)
      select leaf_hash as "leafHash", e.leaf_index as "leafIndex"
        from asked join tlog_entry e using (leaf_hash)
      union all
      select leaf_hash, null from asked join tlog_pending p using (leaf_hash)`;
  }
}

function stateColumns(sql: Statements) {
  return sql`epoch, origin, sequenced, size, root, edge, prefix, adopted_at as "adoptedAt"`;
}

async function readSigned(sql: Statements, size?: number): Promise<SignedTree | undefined> {
  const which = size === undefined ? sql`order by size desc limit 1` : sql`where size = ${size}`;
  const [row] = await sql<SignedTree[]>`select ${signedColumns(sql)} from tlog_signed ${which}`;
  return row;
}

function signedColumns(sql: Statements) {
  return sql`
    size, root, note, published_note as "publishedNote", published_at as "publishedAt"`;
}
