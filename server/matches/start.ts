import type { Branches } from '../branches/branches.ts';
import type { Config } from '../config.ts';
import type { Policies } from '../branches/policies.ts';
import type { Pool } from '../compute/pool.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Environment } from '../model/environment.ts';
import type { Sql } from '../storage/postgres.ts';
import type { Models } from '../values/models.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import type { MatchServices } from './http.ts';
import { Matches, matchQueue, type MatchesParts } from './matches.ts';
import { Providers } from './providers/providers.ts';
import { readRegistry } from './providers/registry.ts';
import { ProviderTable } from './providers/sql.ts';
import { MatchTable } from './sql.ts';

interface Given extends Pick<MatchesParts, 'meter' | 'report'> {
  readonly config: Pick<Config, 'matchProviders' | 'matchCacheScope' | 'secret' | 'workerCount'>;
  readonly sql: Sql;
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
  readonly models: Models;
  readonly pool: Pool;
  readonly jobs: Jobs;
  readonly environment: Environment;
}

/** Services that the routes of this folder use. */
export async function startMatches(given: Given): Promise<MatchServices> {
  const { sql, branches, registry, policies, models, jobs, environment, config, pool } = given;
  const providers = new Providers({
    registry: await readRegistry(config.matchProviders),
    secret: config.secret,
    table: new ProviderTable(sql),
    pool,
    environment,
  });
  const table = new MatchTable(sql);
  const matches = new Matches({
    ...given,
    table,
    providers,
    isCacheOwn: config.matchCacheScope === 'workbook',
    tasksMost: config.workerCount,
    ownerOf: (id) => registry.ownerOf(id),
  });
  registry.whenGone((id) => matches.forget(id));
  jobs.handle(matchQueue, matches.queue);
  matches.start();
  const applying = { branches, models, environment };
  return { matches, providers, table, registry, policies, applying };
}
