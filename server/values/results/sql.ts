import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Sql } from '../../storage/postgres.ts';
import { copyHead, copyRowHead, copyTail, int32, readCopyFields } from './copy-binary.ts';

/** Key of a result of a workbook; `key` is a digest of all that the values depend on. */
export interface ResultKey {
  readonly workbookId: string;
  readonly key: Buffer;
}

export interface ResultFacts {
  readonly seq: number;
  /** Number of cells in all blocks. */
  readonly total: number;
}

/** Hours without a read after which a result is deleted. */
const keptHours = 24;
/** Minutes between two notes of the last read. */
const noteMinutes = 60;

/** Results in PostgreSQL, each stored completely or not at all. */
export class ResultTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async find({ workbookId, key }: ResultKey): Promise<ResultFacts | undefined> {
    const sql = this.#sql;
    const [row] = await sql<(ResultFacts & { isStale: boolean })[]>`
      select seq, total,
             read_at < clock_timestamp() - make_interval(mins => ${noteMinutes}) as "isStale"
        from values_result where workbook_id = ${workbookId} and key = ${key}`;
    if (row?.isStale === true) {
      await sql`
        update values_result set read_at = clock_timestamp()
         where workbook_id = ${workbookId} and key = ${key}`;
    }
    return row && { seq: row.seq, total: row.total };
  }

  /** Reads blocks by number; fewer if the result is gone. */
  async blocks({ workbookId, key }: ResultKey, first: number, last: number): Promise<Buffer[]> {
    // COPY takes no parameters; these are numbers, digits and a quoted text.
    const copy = `
      copy (select data from values_block
             where workbook_id = '${workbookId.replaceAll("'", "''")}'
               and key = '\\x${key.toString('hex')}'
               and number between ${Math.trunc(first)} and ${Math.trunc(last)}
             order by number) to stdout (format binary)`;
    // Outside a transaction the driver would send other statements behind the running one.
    return this.#sql.begin('read only', async (sql) => {
      const stream = await sql.unsafe(copy).readable();
      try {
        return await readCopyFields(stream);
      } finally {
        // The driver pauses its socket for a slow reader, and would leave it paused after the end.
        stream._read(0);
      }
    });
  }

  /** Stores a result unless it is there already. */
  async store(
    { workbookId, key }: ResultKey,
    { seq, total }: ResultFacts,
    blocks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await this.#sql.begin(async (sql) => {
      const made = await sql`
        insert into values_result (workbook_id, key, seq, total, byte_count)
        values (${workbookId}, ${key}, ${seq}, ${total}, 0) on conflict do nothing`;
      if (made.count === 0) return;
      const copy = await sql`
        copy values_block (workbook_id, key, number, data) from stdin (format binary)`.writable();
      let byteCount = 0;
      const rows = copyRows(
        [Buffer.from(workbookId), key],
        blocks,
        (count) => (byteCount += count),
      );
      await pipeline(Readable.from(rows, { objectMode: false }), copy);
      await sql`
        update values_result set byte_count = ${byteCount}
         where workbook_id = ${workbookId} and key = ${key}`;
    });
  }

  /** Deletes results without recent reads, then the least recently read ones down to a budget. */
  async prune(bytesMost: number): Promise<void> {
    await this.#sql`
      delete from values_result r using (
        select workbook_id, key, read_at,
               sum(byte_count) over (order by read_at desc, workbook_id, key) as bytes
          from values_result) as kept
       where r.workbook_id = kept.workbook_id and r.key = kept.key
         and (kept.bytes > ${bytesMost}
              or kept.read_at < clock_timestamp() - make_interval(hours => ${keptHours}))`;
  }

  async forget(workbookId: string): Promise<void> {
    await this.#sql`delete from values_result where workbook_id = ${workbookId}`;
  }
}

async function* copyRows(
  fields: readonly Buffer[],
  blocks: AsyncIterable<Uint8Array>,
  wrote: (byteCount: number) => void,
): AsyncGenerator<Uint8Array> {
  yield copyHead;
  let number = 0;
  for await (const block of blocks) {
    yield copyRowHead([...fields, int32(number++)], block.length);
    yield block;
    wrote(block.length);
  }
  yield copyTail;
}
