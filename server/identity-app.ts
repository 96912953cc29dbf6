import { PostgresIdempotencyStore } from './account/sql.ts';
import { UsageTable } from './account/usage/sql.ts';
import { Usage } from './account/usage/usage.ts';
import { Doors } from './doors.ts';
import { edgeGraceMilliseconds, limitsProfile, observe, readVersion } from './foundation.ts';
import type { Foundation, Part } from './foundation.ts';
import { Identity } from './identity/identity.ts';
import { identityTable } from './routes.ts';

/** A process of ROLE=auth or ROLE=site: it knows who people and agents are, and no workbook. */
export async function startIdentityApp(foundation: Foundation): Promise<Part[]> {
  const { config, addresses, environment, ports, log } = foundation;
  const { sql } = foundation.storage;
  const profile = limitsProfile(config);
  const report = (step: string, err: unknown): void => log.warn({ err }, `could not ${step}`);
  const identity = await Identity.start({ sql, config, environment, addresses, profile, report });
  const usage = Usage.start({ table: new UsageTable(sql), environment, profile, report });
  const idempotency = new PostgresIdempotencyStore(sql, environment, report);
  idempotency.start();
  const doors = await Doors.open({
    role: config.role,
    ports,
    edge: {
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
    { name: 'identity', stop: () => identity.stop() },
    { name: 'usage', stop: () => usage.stop() },
    { name: 'idempotency', stop: () => idempotency.stop() },
    { name: 'doors', stop: () => doors.stop(edgeGraceMilliseconds) },
  ];
}
