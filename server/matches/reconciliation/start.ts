import type { Branches } from '../../branches/branches.ts';
import type { Pool } from '../../compute/pool.ts';
import type { Environment } from '../../model/environment.ts';
import type { LimitsProfile } from '../../model/limits.ts';
import type { Sql } from '../../storage/postgres.ts';
import type { RowReading } from '../../tables/reading/row-reader.ts';
import type { Models } from '../../values/models.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { Admission } from './admission.ts';
import type { ReconciliationServices } from './http.ts';
import { ReconciliationLinks } from './links.ts';
import { NameIndexes } from './name-indexes.ts';
import { Reconciliation } from './reconciliation.ts';
import { LinkTable } from './sql.ts';

interface Given {
  readonly sql: Sql;
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly models: Models;
  readonly pool: Pool;
  readonly rowReading: RowReading;
  readonly environment: Environment;
  readonly profile: LimitsProfile;
  readonly baseUrl: string;
}

/** Services that let others match their names with those of a table. */
export function startReconciliation(given: Given): ReconciliationServices {
  const { sql, registry, environment, profile, baseUrl } = given;
  const indexes = new NameIndexes(given);
  registry.whenGone((id) => indexes.forget(id));
  const links = new ReconciliationLinks({ ...given, table: new LinkTable(sql) });
  const reconciliation = new Reconciliation({ ...given, indexes });
  const admission = new Admission(profile, () => environment.elapsed());
  return { links, registry, baseUrl, reconciliation, admission };
}
