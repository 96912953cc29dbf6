import type { DamageList } from '../../history/damage.ts';
import type { Environment } from '../../model/environment.ts';
import type { FormulaService } from '../../model/formula-service.ts';
import type { LimitsProfile } from '../../model/limits.ts';
import type { Objects } from '../../storage/objects.ts';
import type { Sql } from '../../storage/postgres.ts';
import type { TransparencyLog } from '../../tlog/service/transparency-log.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { FrequencyLimit } from '../frequency.ts';
import type { VerifyServices } from './http.ts';
import { VerifyTable } from './sql.ts';
import { Verifier } from './verifier.ts';

interface VerifyNeeds {
  readonly sql: Sql;
  readonly objects: Objects;
  readonly environment: Environment;
  readonly registry: WorkbookRegistry;
  readonly formulas: FormulaService;
  readonly profile: LimitsProfile;
  readonly transparencyLog: TransparencyLog;
  readonly damage: DamageList;
}

export function startVerify(needs: VerifyNeeds): VerifyServices {
  const { sql, environment, registry, profile: limits, transparencyLog: log } = needs;
  const verifier = new Verifier({ ...needs, table: new VerifyTable(sql), evidence: log });
  const verifications = new FrequencyLimit({ perMinute: 6, limits, environment });
  return { registry, verifier, verifications, log: log.reader };
}
