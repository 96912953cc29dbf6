import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { hasPeer, requirePeer } from '../peers.ts';
import { goodsCsv, question } from './goods.ts';

interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
  closeSync(): void;
}

interface DuckDbModule {
  DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> };
}

/** DuckDB in memory, with the same queries. */
export class DuckDbPeer {
  static readonly label = 'DuckDB';
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Undefined when it is not installed. */
  static async open(rowCount: number): Promise<DuckDbPeer | undefined> {
    if (!hasPeer('@duckdb/node-api')) return undefined;
    const { DuckDBInstance } = requirePeer('@duckdb/node-api') as DuckDbModule;
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const folder = await mkdtemp(join(tmpdir(), 'quire-bench-duckdb-'));
    const path = join(folder, 'goods.csv');
    await writeFile(path, goodsCsv(rowCount));
    await connection.run(`CREATE TABLE goods AS SELECT * FROM read_csv('${path}')`);
    await rm(folder, { recursive: true });
    return new DuckDbPeer(connection);
  }

  /**
   * Returns the number of matching rows, and the first of them; `round` makes each query a new one.
   */
  async ask(round: number): Promise<number> {
    const where = `${question.sql} AND ${round} = ${round}`;
    const sql = `SELECT count(*) OVER () AS total, * FROM goods WHERE ${where} LIMIT 100`;
    const [first] = await this.#rows(sql);
    return Number(first?.['total'] ?? 0);
  }

  async groups(): Promise<Map<string, number>> {
    const sql = 'SELECT region, sum(price) AS sum FROM goods GROUP BY region ORDER BY region';
    const rows = await this.#rows(sql);
    return new Map(rows.map((row) => [String(row['region']), Number(row['sum'])]));
  }

  close(): void {
    this.#connection.closeSync();
  }

  async #rows(sql: string): Promise<Record<string, unknown>[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowObjectsJson();
  }
}
