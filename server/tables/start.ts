import type { Jobs } from '../jobs/jobs.ts';
import type { RowReader } from '../model/row-writes.ts';
import type { Sql } from '../storage/postgres.ts';
import type { Spool } from '../storage/spool.ts';
import type { ModelParts } from '../values/model-view.ts';
import type { Models } from '../values/models.ts';
import { RowWrites, rowWriteQueue } from './background/row-writes.ts';
import { RowWriteTable } from './background/sql.ts';
import type { RowReadingServices } from './reading/http.ts';
import { RowReading } from './reading/row-reader.ts';
import { Tables, type TableParts } from './tables.ts';
import type { RowWritingServices } from './writing/http.ts';
import { RowWriter } from './writing/row-writer.ts';

interface Given extends TableParts {
  readonly rowReader: RowReader;
  readonly models: Models;
  readonly pool: ModelParts['pool'];
  readonly sql: Sql;
  readonly jobs: Jobs;
  readonly spool: Spool;
  readonly report: (step: string, error: unknown) => void;
}

/** Starts the services of the routes in this folder. */
export function startTables(given: Given): RowReadingServices & RowWritingServices {
  const { registry, source, environment, rowReader } = given;
  const tables = new Tables(given);
  const rowReading = new RowReading(given);
  registry.whenGone((id) => rowReading.forget(id));
  const rowWriter = new RowWriter(given);
  const writes = { ...given, tables, rowWriter, table: new RowWriteTable(given.sql) };
  const rowWrites = new RowWrites({
    ...writes,
    ownerOf: (id) => registry.ownerOf(id),
    checkWrite: (id, userId) => registry.check(id, 'write', { userId }),
  });
  given.jobs.handle(rowWriteQueue, rowWrites.queue);
  rowWrites.start();
  const reading = { registry, source, tables, rowReading, environment };
  return { ...reading, rowReader, rowWriter, rowWrites };
}
