import { createHash } from 'node:crypto';

import { Pool } from '../../server/compute/pool.ts';
import { realEnvironment } from '../../server/foundation.ts';
import { Metrics } from '../../server/metrics.ts';
import { ResultTable } from '../../server/values/results/sql.ts';
import { blockCells } from '../../workers/value-block.ts';
import { Kernel } from '../../workers/kernel.ts';
import { withPostgres } from '../own-postgres.ts';
import { summarise } from '../report.ts';

const doubleCount = 1_000_000;
/** Reads until both threads have compiled their code. */
const warmReads = 500;
const readsPerRound = 100;
const rounds = 5;
const resultBytes = 10_000_000;
const timeoutMilliseconds = 10_000;
const workbookId = 'wb_bench';

/**
 * Returns the milliseconds from a request to a thread with a million values until they are readable
 * here, including the way through the pool; the median of each round.
 */
export async function timeSharedValues(): Promise<number[]> {
  const kernel = Kernel.create();
  const inputs = Array.from({ length: doubleCount }, (_, index) => index / 3);
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 },
    { kind: 'column', sheet: 1, row: 0, column: 0, inputs },
  ]);
  const pool = new Pool({ threadCount: 1, environment: realEnvironment, metrics: new Metrics() });
  const task = { loan: kernel.loan, commands: [], recalculation: undefined };
  const read = async (): Promise<number> => {
    const started = performance.now();
    await pool.run('recalculate', { ...task, budgetMilliseconds: 1 }, { timeoutMilliseconds });
    kernel.refresh();
    return performance.now() - started;
  };
  for (let count = 0; count < warmReads; count++) await read();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const reads: number[] = [];
    for (let count = 0; count < readsPerRound; count++) reads.push(await read());
    times.push(summarise(reads).median);
  }
  await pool.close();
  return times;
}

/** Times a copy of the same million values, which a message without shared memory would cost. */
export function timeCopiedValues(): number[] {
  const values = Float64Array.from({ length: doubleCount }, (_, index) => index / 3);
  return Array.from({ length: rounds }, () => {
    const started = performance.now();
    structuredClone(values);
    return performance.now() - started;
  });
}

/** Returns the milliseconds to read 10 MB of stored values from PostgreSQL. */
export function timeStoredValues(): Promise<number[]> {
  return withPostgres(async (sql) => {
    await sql`
      insert into workbook (workbook_id, owner_id, namespace, name, folded_name)
      values (${workbookId}, 'agt_bench', 'agt_bench', 'Bench', 'bench')`;
    const table = new ResultTable(sql);
    const key = { workbookId, key: createHash('sha256').update('bench').digest() };
    const blockBytes = blockCells * 15;
    const blockCount = Math.ceil(resultBytes / blockBytes);
    await table.store(key, { seq: 1, total: blockCount * blockCells }, blocks());
    async function* blocks(): AsyncGenerator<Uint8Array> {
      // Equal blocks would be compressed by PostgreSQL.
      for (let number = 0; number < blockCount; number++) yield noise(blockBytes, number);
    }
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const started = performance.now();
      const read = await table.blocks(key, 0, blockCount - 1);
      if (read.length !== blockCount) throw new Error(`${read.length} of ${blockCount} blocks`);
      if (round > 0) times.push(performance.now() - started);
    }
    return times;
  });
}

function noise(byteCount: number, seed: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(byteCount / 4));
  let state = seed + 1;
  for (let at = 0; at < words.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = state;
  }
  return new Uint8Array(words.buffer, 0, byteCount);
}
