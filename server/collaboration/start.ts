import type { Branches } from '../branches/branches.ts';
import type { Policies } from '../branches/policies.ts';
import type { Config } from '../config.ts';
import type { Action } from '../model/access.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { LimitsProfile } from '../model/limits.ts';
import { missingScopes, type Principal } from '../model/scope.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { Sql } from '../storage/postgres.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { readViewport } from '../values/viewport.ts';
import type { Models } from '../values/models.ts';
import { Hub, type HubParts } from './hub.ts';
import type { Seat } from './seat.ts';
import { StandingTable, TicketTable } from './sql.ts';
import { Tickets } from './tickets.ts';

export interface CollaborationParts<Credentials> {
  readonly sql: Sql;
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
  readonly identity: { readonly authenticator: Credentials };
  readonly values: { readonly models: Models };
  readonly environment: Environment;
  readonly profile: LimitsProfile;
  readonly nodeId: string;
  readonly config: Pick<Config, 'allowedOrigins' | 'replication' | 'requestMemory'>;
  readonly names: HubParts['names'];
  readonly usage: HubParts['usage'];
  readonly presenceBus: HubParts['presenceBus'];
  readonly metrics: HubParts['metrics'];
  readonly addresses: Addresses;
  /** Fails unless role and plan allow the action. */
  readonly checkAccess: (
    id: string,
    asked: { readonly action: Action; readonly hasBody: boolean },
    principal: Principal,
  ) => Promise<void>;
  readonly report: (step: string, error: unknown) => void;
  readonly log: HubParts['log'];
}

/** Makes the hub of the process, and the services of its routes. */
export async function startCollaboration<
  Credentials extends ConstructorParameters<typeof Hub>[0]['credentials'],
>(parts: CollaborationParts<Credentials>) {
  const { sql, registry, branches, policies, environment, config, addresses, checkAccess } = parts;
  const credentials = parts.identity.authenticator;
  const viewing = { models: parts.values.models, source: branches, environment };
  const standing = new StandingTable(sql);
  const checkWrite = async ({ workbookId, branch, principal }: Seat): Promise<void> => {
    const required = missingScopes(principal, ['write']);
    if (required.length > 0) throw new Failure('insufficientScope', { extra: { required } });
    await checkAccess(workbookId, { action: 'write', hasBody: true }, principal);
    const facts = await registry.writable(workbookId, principal);
    await policies.checkDirectWrite(facts, branch, principal);
  };
  const values: HubParts['values'] = async ({ address, branch }, asked) => {
    const seq = await branches.read(address, headOf);
    return readViewport(viewing, { address, branch, seq, isPinned: false }, asked);
  };
  // Without standbys, whatever is visible is durable.
  const isReplicated = config.replication === 'required';
  const confirm = isReplicated ? () => branches.confirmSeen() : () => Promise.resolve();
  const waitingBytesMost = config.requestMemory.socketBytes;
  const looking = { credentials, standing, checkWrite, values, confirm, waitingBytesMost };
  const hub = new Hub({ ...parts, ...looking });
  await hub.start();
  const tickets = new Tickets(new TicketTable(sql), environment);
  const { baseUrl, authUrl, siteUrl } = addresses;
  const own = [baseUrl, authUrl, siteUrl].map((url) => new URL(url).origin);
  const origins = new Set([...own, ...config.allowedOrigins]);
  return { hub, tickets, standing, registry, branches, credentials, origins, environment };
}

function* headOf({ head }: BranchState): Generator<void, number> {
  yield* [];
  return head;
}
