import type { Branches } from '../branches/branches.ts';
import type { Policies } from '../branches/policies.ts';
import type { Foundation, Report } from '../foundation.ts';
import type { MaintenanceServices } from '../maintenance/http.ts';
import { Purges } from '../maintenance/purges.ts';
import { PurgeTable, TopologyTable } from '../maintenance/sql.ts';
import { Topology } from '../maintenance/topology.ts';
import { Waking } from '../maintenance/wake.ts';
import type { LimitsProfile } from '../model/limits.ts';
import type { ScenarioServices } from '../values/scenario/http.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';

export interface MaintenanceParts {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly values: ScenarioServices;
  readonly policies: Policies;
  readonly profile: LimitsProfile;
  readonly report: Report;
}

/** Goes on with the purges that an earlier process began. */
export function startMaintenance(
  { config, environment, nodeId, storage: { sql, objects } }: Foundation,
  { branches, registry, values, policies, profile, report }: MaintenanceParts,
): MaintenanceServices {
  const { models } = values;
  for (const known of [branches, models, policies]) registry.whenGone((id) => known.forget(id));
  const table = new PurgeTable(sql);
  const purges = new Purges({ table, registry, objects, environment, report });
  purges.start();
  const waking = new Waking({
    branches,
    models,
    values: values.values,
    environment,
    limits: profile,
    report,
  });
  const topology = new Topology({
    table: new TopologyTable(sql),
    branches,
    waking,
    nodeId,
    startedAt: environment.now(),
    historyEngine: config.objectStoreUrl.startsWith('s3:') ? 's3' : 'file',
  });
  return { registry, policies, purges, waking, topology };
}
