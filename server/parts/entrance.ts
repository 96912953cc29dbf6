import type { PostgresIdempotencyStore } from '../account/sql.ts';
import type { Usage } from '../account/usage/usage.ts';
import { accessCheck, edgeSettings, limitsProfile, observe } from '../foundation.ts';
import type { Foundation } from '../foundation.ts';
import type { Identity } from '../identity/identity.ts';
import type { Rights } from '../model/rights.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';

interface EntranceNeeds {
  readonly identity: Identity;
  readonly registry: WorkbookRegistry;
  readonly rights: Rights;
  readonly usage: Usage;
  readonly idempotency: PostgresIdempotencyStore;
}

/** Authentication, access checks and look-up of workbooks, as the edge needs them. */
export function openEntrance(
  foundation: Foundation,
  { identity: { authenticator }, registry, rights, usage, idempotency }: EntranceNeeds,
) {
  const { config, addresses, environment } = foundation;
  return {
    ...edgeSettings(config),
    addresses,
    environment,
    limits: limitsProfile(config),
    authenticate: authenticator.check.bind(authenticator),
    resolveWorkbook: registry.resolve.bind(registry),
    checkAccess: accessCheck(registry, usage),
    rights,
    idempotency,
    observer: observe(foundation, usage),
  };
}
