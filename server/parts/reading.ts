import { join } from 'node:path';

import type { Branches } from '../branches/branches.ts';
import { exportTasksModule, Pool } from '../compute/pool.ts';
import type { Foundation, Report } from '../foundation.ts';
import type { DamageList } from '../history/damage.ts';
import type { Identity } from '../identity/identity.ts';
import { KnownNames } from '../identity/known-names.ts';
import { Jobs } from '../jobs/jobs.ts';
import { JobTable } from '../jobs/sql.ts';
import { MergeHoldings } from '../merges/holdings.ts';
import { MergeTable } from '../merges/sql.ts';
import { Overflow } from '../storage/overflow.ts';
import { openBackwardJournal } from '../values/blame/start.ts';
import { startValues } from '../values/start.ts';
import type { KeptFiles } from '../workbooks/kept-files.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';

interface ReadingNeeds {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly keptFiles: KeptFiles;
  readonly pool: Pool;
  readonly report: Report;
}

/** Threads that write files: one tenant, who has one, leaves the other to all. */
const exportThreads = 2;

/** Starts the models that answer values, and the jobs that make them in the background. */
export function startReading(
  { config, environment, metrics, storage: { sql } }: Foundation,
  { pool, report, ...given }: ReadingNeeds,
): { jobs: Jobs; values: ReturnType<typeof startValues>; exportPool: Pool } {
  const hasFreeThread = (): boolean => pool.hasFreeThread;
  const jobs = new Jobs({
    sql,
    table: new JobTable(sql),
    environment,
    metrics,
    hasFreeThread,
    runsMost: config.workerCount,
    report,
  });
  const tasks = exportTasksModule;
  const shape = { threadCount: exportThreads, threadsAtStart: 0 };
  const exportPool = new Pool({ ...shape, environment, tasks });
  const overflow = new Overflow({ directory: join(config.dataDirectory, 'overflow'), report });
  const exporting = { pool: exportPool, overflow, environment };
  const needs = { ...given, sql, pool, exporting, jobs, environment, report };
  return { jobs, values: startValues(needs, config), exportPool };
}

interface Searched {
  readonly damage: DamageList;
  readonly identity: Identity;
  readonly registry: WorkbookRegistry;
}

/**
 * Opens the sources that the search for the author of a change reads, and the watch over the rights
 * of whoever follows changes.
 */
export function startSearching(
  { storage, environment }: Pick<Foundation, 'storage' | 'environment'>,
  { damage, identity, registry }: Searched,
) {
  return {
    rights: identity.rightsIn(registry),
    journal: openBackwardJournal(storage, damage, environment),
    holdings: new MergeHoldings(new MergeTable(storage.sql)),
    names: new KnownNames(identity.store),
  };
}
