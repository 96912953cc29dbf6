import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { hasPeer, requirePeer } from '../peers.ts';
import { columnNames, goodsColumns, goodsRow, type NewPrice } from './goods.ts';

interface Statement {
  run(...values: readonly (string | number)[]): unknown;
  get(...values: readonly (string | number)[]): unknown;
  all(...values: readonly (string | number)[]): unknown[];
}

interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): void;
}

type SqliteModule = new (path: string) => Connection;

const types = { text: 'TEXT', number: 'REAL', integer: 'INTEGER' } as const;
/** As many rows as an operation of an import has. */
const batchRows = 5_000;

/**
 * SQLite in a file, with each batch on disk before the next. The library is libsql's, which has the
 * interface of better-sqlite3 and is installed by npm alone.
 */
export class SqlitePeer {
  static readonly label = 'SQLite (libsql)';
  readonly #connection: Connection;
  readonly #folder: string;
  readonly #upsert: Statement;
  readonly #delete: Statement;
  readonly #page: Statement;

  private constructor(connection: Connection, folder: string) {
    this.#connection = connection;
    this.#folder = folder;
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    const columns = Object.entries(goodsColumns).map(([name, type]) => `${name} ${types[type]}`);
    connection.exec(`CREATE TABLE goods (${columns.join(', ')}, UNIQUE (sku))`);
    this.#upsert = connection.prepare(
      'INSERT INTO goods (sku, price) VALUES (?, ?) ON CONFLICT (sku) DO UPDATE SET price = excluded.price',
    );
    this.#delete = connection.prepare('DELETE FROM goods WHERE sku = ?');
    this.#page = connection.prepare(
      'SELECT * FROM goods WHERE rowid > (SELECT rowid FROM goods WHERE sku = ?) ORDER BY rowid LIMIT 100',
    );
  }

  /** Undefined when it is not installed. */
  static async open(): Promise<SqlitePeer | undefined> {
    if (!hasPeer('libsql')) return undefined;
    const folder = await mkdtemp(join(tmpdir(), 'quire-bench-sqlite-'));
    const Database = requirePeer('libsql') as SqliteModule;
    return new SqlitePeer(new Database(join(folder, 'goods.db')), folder);
  }

  import(rowCount: number): void {
    const marks = columnNames.map(() => '?').join(', ');
    const insert = this.#connection.prepare(`INSERT INTO goods VALUES (${marks})`);
    for (let from = 0; from < rowCount; from += batchRows) {
      this.#transaction(() => {
        const to = Math.min(rowCount, from + batchRows);
        for (let at = from; at < to; at++) insert.run(...goodsRow(at));
      });
    }
  }

  upsert(rows: readonly NewPrice[]): void {
    this.#transaction(() => {
      for (const { sku, price } of rows) this.#upsert.run(sku, price);
    });
  }

  delete(keys: readonly string[]): void {
    this.#transaction(() => {
      for (const key of keys) this.#delete.run(key);
    });
  }

  page(after: string): unknown[] {
    return this.#page.all(after);
  }

  /** Rows there are, and the sum of their prices. */
  totals(): { count: number; sum: number } {
    const sql = 'SELECT count(*) AS count, sum(price) AS sum FROM goods';
    return this.#connection.prepare(sql).get() as { count: number; sum: number };
  }

  async close(): Promise<void> {
    this.#connection.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #transaction(work: () => void): void {
    this.#connection.exec('BEGIN');
    work();
    this.#connection.exec('COMMIT');
  }
}
