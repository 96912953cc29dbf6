import type { Sql } from '../../storage/postgres.ts';

/** Which vectors: those of a text differ by all of this. */
export interface VectorPlace {
  /** The workbook that they are of, or empty where all share them. */
  readonly scope: string;
  readonly provider: string;
  readonly model: string;
  /** Numbers that were asked for; 0 for as many as the model makes. */
  readonly dim: number;
}

const keptDays = 90;

/** Vectors that were paid for, by the SHA-256 of their texts, and who sent how much. */
export class ProviderTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Vectors by their hashes in hexadecimal. */
  async vectors(place: VectorPlace, hashes: readonly string[]): Promise<Map<string, Uint8Array>> {
    const sql = this.#sql;
    const { scope, provider, model, dim } = place;
    const rows = await sql<{ hash: string; vector: Uint8Array; isOld: boolean }[]>`
      select encode(text_sha256, 'hex') as hash, vector,
             used_at < clock_timestamp() - interval '1 day' as "isOld"
        from match_vector
       where scope = ${scope} and provider = ${provider} and model = ${model} and dim = ${dim}
         and text_sha256 = any (select decode(h, 'hex') from unnest(${[...hashes]}::text[]) as h)`;
    const old = rows.flatMap(({ hash, isOld }) => (isOld ? [hash] : []));
    if (old.length > 0) {
      await sql`
        update match_vector set used_at = clock_timestamp()
         where scope = ${scope} and provider = ${provider} and model = ${model} and dim = ${dim}
           and text_sha256 = any (select decode(h, 'hex') from unnest(${old}::text[]) as h)`;
    }
    return new Map(rows.map(({ hash, vector }) => [hash, vector]));
  }

  async keep(
    place: VectorPlace,
    vectors: readonly { hash: string; vector: Uint8Array }[],
  ): Promise<void> {
    const { scope, provider, model, dim } = place;
    await this.#sql`
      insert into match_vector (scope, workbook_id, provider, model, dim, text_sha256, vector)
      select ${scope}, w.workbook_id, ${provider}, ${model}, ${dim}, decode(given.hash, 'hex'),
             decode(given.vector, 'hex')
        from unnest(${vectors.map(({ hash }) => hash)}::text[],
                    ${vectors.map(({ vector }) => Buffer.from(vector).toString('hex'))}::text[])
             as given (hash, vector)
        left join workbook w on w.workbook_id = ${scope}
       where ${scope} = '' or w.workbook_id is not null
      on conflict do nothing`;
  }

  /** Deletes what was kept of a place. */
  async forget({ scope, provider, model, dim }: VectorPlace): Promise<void> {
    await this.#sql`
      delete from match_vector
       where scope = ${scope} and provider = ${provider} and model = ${model} and dim = ${dim}`;
  }

  /** Counts what an account is about to send today. False: it would be more than it may. */
  async spend(
    account: string,
    provider: string,
    { count, most }: { count: number; most: number },
  ): Promise<boolean> {
    if (count > most) return false;
    const spent = await this.#sql`
      insert into match_spending as s (account, provider, day, count)
      values (${account}, ${provider}, (clock_timestamp() at time zone 'utc')::date, ${count})
      on conflict (account, provider, day) do update set count = s.count + excluded.count
       where s.count + excluded.count <= ${most}`;
    return spent.count === 1;
  }

  /** Deletes vectors that nobody has used for long, and days that are over. */
  async expire(): Promise<void> {
    await this.#sql`
      delete from match_vector
       where used_at < clock_timestamp() - make_interval(days => ${keptDays})`;
    await this.#sql`
      delete from match_spending where day < (clock_timestamp() at time zone 'utc')::date - 1`;
  }
}
