import type { Sql } from '../../../storage/postgres.ts';

/** A sign-in at a provider whose answer is expected. */
export interface Flow {
  readonly sha256: Buffer;
  readonly provider: string;
  /** Path to go on to after the sign-in. */
  readonly next: string;
}

export class FlowTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async begin({ sha256, provider, next }: Flow, expiresAt: Date): Promise<void> {
    await this.#sql`
      insert into sign_in_flow (flow_sha256, provider, next, expires_at)
      values (${sha256}, ${provider}, ${next}, ${expiresAt})`;
  }

  /** Deletes and returns a sign-in, so that it can be finished once, whatever the outcome. */
  async take(sha256: Buffer, at: Date): Promise<Omit<Flow, 'sha256'> | undefined> {
    const [row] = await this.#sql<{ provider: string; next: string }[]>`
      delete from sign_in_flow where flow_sha256 = ${sha256} and expires_at > ${at}
      returning provider, next`;
    return row;
  }

  async tidy(at: Date): Promise<void> {
    const sql = this.#sql;
    await sql`delete from sign_in_flow where expires_at <= ${at}`;
  }
}
