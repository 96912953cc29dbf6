import type { Usage } from '../account/usage/usage.ts';
import type { Pool } from '../compute/pool.ts';
import type { Foundation } from '../foundation.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { MatchServices } from '../matches/http.ts';
import { startMatches } from '../matches/start.ts';
import type { MaintenanceParts } from './maintenance.ts';

interface MatchNeeds extends Pick<
  MaintenanceParts,
  'branches' | 'registry' | 'policies' | 'values' | 'report'
> {
  readonly usage: Usage;
  readonly pool: Pool;
  readonly jobs: Jobs;
}

/** Jobs are taken from here on: all that handles them is there. */
export async function startMatching(
  { config, environment, storage: { sql } }: Foundation,
  { values, usage, ...given }: MatchNeeds,
): Promise<MatchServices> {
  const { models } = values;
  const meter = usage.count.bind(usage);
  const services = await startMatches({ ...given, sql, environment, models, config, meter });
  await given.jobs.start();
  return services;
}
