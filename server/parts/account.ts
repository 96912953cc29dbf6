import { CellLedger } from '../account/cells/ledger.ts';
import { CellTable } from '../account/cells/sql.ts';
import { PostgresIdempotencyStore } from '../account/sql.ts';
import { UsageTable } from '../account/usage/sql.ts';
import { Usage } from '../account/usage/usage.ts';
import { Growth } from '../branches/growth.ts';
import type { Foundation, Part, Report } from '../foundation.ts';
import { DamageList } from '../history/damage.ts';
import type { LimitsProfile } from '../model/limits.ts';

/** Starts metering, caps, the list of damage, and the store of answers kept under keys. */
export function startAccount(
  { config, environment, metrics, readiness, storage: { sql } }: Foundation,
  { profile, report }: { profile: LimitsProfile; report: Report },
) {
  const damage = new DamageList();
  metrics.watchDamage(damage);
  readiness.watchDamage(() => damage.objectCount);
  const ledger = new CellLedger({ table: new CellTable(sql), profile, environment, report });
  ledger.start();
  const growth = new Growth({ ledger, workbookBytesMost: config.memory.workbookBytes });
  const usage = Usage.start({ table: new UsageTable(sql), ledger, environment, profile, report });
  const idempotency = new PostgresIdempotencyStore(sql, environment, report);
  idempotency.start();
  const parts: Part[] = [
    { name: 'usage', stop: () => usage.stop() },
    { name: 'cells', stop: () => ledger.stop() },
    { name: 'idempotency', stop: () => idempotency.stop() },
  ];
  return { damage, growth, usage, idempotency, parts };
}
