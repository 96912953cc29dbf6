import type { Branches } from '../branches/branches.ts';
import type { Policies } from '../branches/policies.ts';
import type { Pool } from '../compute/pool.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Environment } from '../model/environment.ts';
import type { Sql } from '../storage/postgres.ts';
import type { Models } from '../values/models.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import type { MatchServices } from './http.ts';
import { Matches, matchQueue, type MatchesParts } from './matches.ts';
import { MatchTable } from './sql.ts';

interface Given extends Pick<MatchesParts, 'meter' | 'report'> {
  readonly sql: Sql;
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
  readonly models: Models;
  readonly pool: Pool;
  readonly jobs: Jobs;
  readonly environment: Environment;
  readonly workerCount: number;
}

/** Services that the routes of this folder use. */
export function startMatches(given: Given): MatchServices {
  const { sql, branches, registry, policies, models, jobs, environment, workerCount } = given;
  const table = new MatchTable(sql);
  const matches = new Matches({
    ...given,
    table,
    tasksMost: workerCount,
    ownerOf: (id) => registry.ownerOf(id),
  });
  jobs.handle(matchQueue, matches.queue);
  matches.start();
  return { matches, table, registry, policies, applying: { branches, models, environment } };
}
