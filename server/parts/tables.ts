import { PoolRows } from '../compute/pool-rows.ts';
import { Pool } from '../compute/pool.ts';
import type { Foundation } from '../foundation.ts';
import { MergeTable } from '../merges/sql.ts';
import { TableMerges } from '../merges/table-merges.ts';
import { Spool } from '../storage/spool.ts';
import { startTables } from '../tables/start.ts';

type TableNeeds = Omit<Parameters<typeof startTables>[0], 'rowReader' | 'spool' | 'openMerges'> & {
  readonly pool: Pool;
};

/** Rows of a body are garbage as soon as they are sent on: they need no more to be found so. */
const readerYoungMebibytes = 12;

/** Starts what serves tables; its second pool waits with bodies that are too long for memory. */
export function startTabling(
  { environment, storage: { sql, objects } }: Foundation,
  given: TableNeeds,
) {
  const spool = new Spool({ objects, environment });
  const longPool = new Pool({
    threadCount: 1,
    threadsAtStart: 0,
    youngMebibytesMost: readerYoungMebibytes,
    environment,
  });
  const rowReader = new PoolRows(given.pool, longPool);
  const openMerges = new TableMerges({ ...given, table: new MergeTable(sql) });
  return { ...startTables({ ...given, rowReader, spool, openMerges }), spool, longPool };
}
