import { CellLedger } from './account/cells/ledger.ts';
import { CellTable } from './account/cells/sql.ts';
import { PostgresIdempotencyStore } from './account/sql.ts';
import { UsageTable } from './account/usage/sql.ts';
import { Usage } from './account/usage/usage.ts';
import { Doors } from './doors.ts';
import {
  edgeGraceMilliseconds,
  limitsProfile,
  observe,
  openHealthDoor,
  readVersion,
  reporter,
} from './foundation.ts';
import type { Foundation, Part } from './foundation.ts';
import { Identity } from './identity/identity.ts';
import { identityTable } from './routes.ts';

/** A process of ROLE=auth or ROLE=site: it knows who people and agents are, and no workbook. */
export async function startIdentityApp(foundation: Foundation): Promise<Part[]> {
  const { config, addresses, environment, listeners } = foundation;
  const { sql } = foundation.storage;
  const profile = limitsProfile(config);
  const report = reporter(foundation);
  const identity = await Identity.start({ sql, config, environment, addresses, profile, report });
  // Nothing is written to workbooks here, so what it holds is never behind.
  const ledger = new CellLedger({ table: new CellTable(sql), profile, environment, report });
  const usage = Usage.start({ table: new UsageTable(sql), ledger, environment, profile, report });
  const idempotency = new PostgresIdempotencyStore(sql, environment, report);
  idempotency.start();
  const doors = await Doors.open({
    role: config.role,
    listeners,
    edge: {
      memory: config.requestMemory,
      routes: identityTable({ health: { ...foundation, version: readVersion() }, identity }),
      addresses,
      boundTo: config.host,
      trustedProxies: config.trustedProxies,
      environment,
      limits: profile,
      authenticate: (given, address) => identity.authenticator.check(given, address),
      idempotency,
      observer: observe(foundation, usage),
    },
  });
  return [
    ...(await openHealthDoor(foundation)),
    { name: 'identity', stop: () => identity.stop() },
    { name: 'usage', stop: () => usage.stop() },
    { name: 'idempotency', stop: () => idempotency.stop() },
    { name: 'doors', stop: () => doors.stop(edgeGraceMilliseconds) },
  ];
}
