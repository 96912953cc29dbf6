import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { realEnvironment } from '../server/foundation.ts';
import { EmbeddedPostgres } from '../server/storage/embedded/embedded.ts';
import { migrate } from '../server/storage/migrate.ts';
import { openPostgres, type Sql } from '../server/storage/postgres.ts';
import { say } from './report.ts';

/** Runs something on a PostgreSQL of its own with our schema, in a temporary folder. */
export async function withPostgres<Result>(
  work: (sql: Sql, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'quire-bench-'));
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'data'), { mode: 0o711 });
  const postgres = await EmbeddedPostgres.start({
    dataDirectory: join(folder, 'data'),
    environment: realEnvironment,
    onEvent: say,
  });
  const sql = openPostgres({ url: postgres.url, applicationName: 'quire-bench' });
  try {
    await migrate(sql);
    return await work(sql, folder);
  } finally {
    await sql.end({ timeout: 2 });
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
