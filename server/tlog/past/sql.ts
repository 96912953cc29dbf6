import type { Sql } from '../../storage/postgres.ts';
import type { LogState } from '../service/sql.ts';

/** A log, or an end of one, that is no more gone on with. */
export interface PastLog {
  readonly pastNo: number;
  readonly why: 'adopted' | 'begun';
  /** Prefix of its files. */
  readonly prefix: string;
  readonly origin: string;
  readonly size: number;
  /** The newest checkpoint that is known of it; null where there is none. */
  readonly note: string | null;
  readonly endedAt: Date;
}

export type EndedLog = Omit<PastLog, 'pastNo' | 'endedAt'>;

/** Error of a log that is running, or being changed by another process. */
export class LogInUse extends Error {
  constructor(holder: string) {
    super(`${holder} writes the log now: stop every process of this database first`);
    this.name = 'LogInUse';
  }
}

/** Ends logs, and remembers what was ended. */
export class PastTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  list(): Promise<PastLog[]> {
    return this.#sql<PastLog[]>`
      select past_no as "pastNo", why, prefix, origin, size, note, ended_at as "endedAt"
        from tlog_past order by past_no`;
  }

  /** Continues with the tree of the database in new files; returns their place. */
  adopt({ epoch }: Pick<LogState, 'epoch'>, ended: EndedLog): Promise<string> {
    return this.#sql.begin(async (sql) => {
      const next = await endLog(sql, epoch, ended);
      await sql`
        update tlog_state
           set epoch = epoch + 1, holder = null, prefix = ${next}, adopted_at = clock_timestamp()
         where id = 1`;
      return next;
    });
  }

  /**
   * Begins another log with all entries of this one, in their order, after `first`; then come those
   * that waited. Returns where its files are. /
   */
  begin(
    { epoch }: Pick<LogState, 'epoch'>,
    ended: EndedLog,
    next: { readonly origin: string; readonly first: { leafHash: Buffer; entry: Buffer } },
  ): Promise<string> {
    return this.#sql.begin(async (sql) => {
      const prefix = await endLog(sql, epoch, ended);
      await sql`
        insert into tlog_past_signed
        select (select max(past_no) from tlog_past), size, root, note, signed_at, published_note,
               published_at
          from tlog_signed`;
      await sql`delete from tlog_signed`;
      await sql`delete from tlog_cosignature`;
      await sql`
        create temporary table waiting on commit drop as
        select leaf_hash, entry, tag from tlog_pending order by pending_no`;
      await sql`delete from tlog_pending`;
      const { leafHash, entry } = next.first;
      await sql`insert into tlog_pending (leaf_hash, entry) values (${leafHash}, ${entry})`;
      await sql`
        insert into tlog_pending (leaf_hash, entry, tag)
        select leaf_hash, entry, tag from tlog_entry order by leaf_index
        on conflict do nothing`;
      await sql`
        insert into tlog_pending (leaf_hash, entry, tag) select * from waiting
        on conflict do nothing`;
      await sql`delete from tlog_entry`;
      await sql`
        update tlog_state
           set epoch = epoch + 1, holder = null, origin = ${next.origin}, sequenced = 0, size = 0,
               root = sha256(''), edge = '', prefix = ${prefix}, adopted_at = null,
               tidied = 0
         where id = 1`;
      return prefix;
    });
  }
}

/** Ends the log; returns the place of the files of the log that comes after it. */
async function endLog(
  sql: Parameters<Parameters<Sql['begin']>[1]>[0],
  epoch: number,
  { why, prefix, origin, size, note }: EndedLog,
): Promise<string> {
  const [state] = await sql<{ epoch: number; holder: string | null }[]>`
    select epoch,
           (select holder from pg_stat_activity a
             where a.application_name = holder and a.datname = current_database() limit 1) as holder
      from tlog_state where id = 1 for update`;
  if (!state || state.holder !== null) throw new LogInUse(state?.holder ?? 'somebody');
  if (state.epoch !== epoch) throw new LogInUse('somebody');
  const [row] = await sql<{ pastNo: number }[]>`
    insert into tlog_past (past_no, why, prefix, origin, size, note)
    select coalesce(max(past_no), 0) + 1, ${why}, ${prefix}, ${origin}, ${size}, ${note}
      from tlog_past
    returning past_no as "pastNo"`;
  return `tlog-${(row?.pastNo ?? 0) + 1}/`;
}
