import type { Branches } from '../branches/branches.ts';
import type { ExportParts as ThreadParts } from '../compute/pool-export.ts';
import type { Pool } from '../compute/pool.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Environment } from '../model/environment.ts';
import type { Sql } from '../storage/postgres.ts';
import type { KeptFiles } from '../workbooks/kept-files.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { Ceilings, type Ceiling } from './ceiling.ts';
import { Computations, valuesQueue } from './computations.ts';
import { ExportTurns } from './export-turns.ts';
import { Models } from './models.ts';
import { Positions } from './positions.ts';
import { Results } from './results/results.ts';
import { ResultTable } from './results/sql.ts';
import type { ScenarioServices } from './scenario/http.ts';
import { Scenarios } from './scenario/scenarios.ts';
import { Values } from './values.ts';

interface Given {
  readonly sql: Sql;
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly keptFiles: KeptFiles;
  readonly pool: Pool;
  readonly exporting: ThreadParts;
  readonly jobs: Jobs;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

interface ValueSettings {
  readonly evaluationCeiling: Ceiling;
  readonly developmentHooks: boolean;
  readonly memory: { readonly modelBytes: number };
}

/** Makes the services that the routes of this folder use. */
export function startValues(
  { sql, branches, registry, keptFiles, pool, exporting, jobs, environment, report }: Given,
  { evaluationCeiling, developmentHooks, memory: { modelBytes } }: ValueSettings,
): ScenarioServices & { readonly source: Positions } {
  const parts = { source: new Positions(branches, environment), pool, environment, report };
  const models = new Models({ ...parts, budgetBytes: modelBytes });
  const ceilings = new Ceilings(evaluationCeiling);
  const results = new Results(new ResultTable(sql));
  const ownerOf = (id: string): Promise<string> => registry.ownerOf(id);
  const computations = new Computations({ ...parts, jobs, results, models, branches, ownerOf });
  jobs.handle(valuesQueue, computations.queue);
  const values = new Values({ ...parts, models, computations, ceilings });
  const scenarios = new Scenarios({ ...parts, models });
  const exports = { ...exporting, turns: new ExportTurns() };
  return {
    ...parts,
    exports,
    registry,
    keptFiles,
    models,
    values,
    scenarios,
    ceilings,
    developmentHooks,
  };
}
