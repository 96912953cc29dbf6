import { usageRoutes } from './account/usage/http.ts';
import type { UsageServices } from './account/usage/http.ts';
import { commitRoutes } from './branches/commits/http.ts';
import type { CommitServices } from './branches/commits/http.ts';
import { forkRoutes } from './branches/forks/http.ts';
import type { ForkServices } from './branches/forks/http.ts';
import { branchRoutes } from './branches/http.ts';
import type { BranchServices } from './branches/http.ts';
import { diffRoutes } from './diffs/http.ts';
import type { DiffServices } from './diffs/http.ts';
import { healthRoutes } from './health/http.ts';
import type { HealthParts } from './health/http.ts';
import { referenceRoutes } from './http/reference/routes.ts';
import type { Route } from './http/route.ts';
import { identityRoutes } from './identity/http.ts';
import type { IdentityServices } from './identity/http.ts';
import { maintenanceRoutes } from './maintenance/http.ts';
import type { MaintenanceServices } from './maintenance/http.ts';
import { proofRoutes } from './maintenance/proofs/http.ts';
import type { ProofServices } from './maintenance/proofs/http.ts';
import { verifyRoutes } from './maintenance/verify/http.ts';
import type { VerifyServices } from './maintenance/verify/http.ts';
import { mergeRoutes } from './merges/http.ts';
import type { MergeServices } from './merges/http.ts';
import type { Addresses } from './model/addresses.ts';
import { logRoutes } from './tlog/service/http.ts';
import type { LogServices } from './tlog/service/http.ts';
import { blameRoutes } from './values/blame/http.ts';
import type { BlameServices } from './values/blame/http.ts';
import { formatRoutes } from './values/formats/http.ts';
import { valueRoutes } from './values/http.ts';
import type { ValueServices } from './values/http.ts';
import { recordsRoute } from './values/records/http.ts';
import { wholeRoutes } from './values/whole/http.ts';
import { collaboratorRoutes } from './workbooks/collaborators/http.ts';
import type { CollaboratorServices } from './workbooks/collaborators/http.ts';
import { workbookRoutes } from './workbooks/http.ts';
import type { WorkbookServices } from './workbooks/http.ts';

/** What the routes serve from. Each folder with routes adds its services here. */
export interface Services {
  readonly addresses: Addresses;
  readonly health: HealthParts;
  readonly identity: IdentityServices;
  readonly branches: BranchServices & CommitServices & ForkServices;
  readonly workbooks: WorkbookServices & CollaboratorServices;
  readonly values: ValueServices;
  readonly maintenance: MaintenanceServices;
  readonly account: UsageServices;
  readonly verify: VerifyServices;
  readonly blame: BlameServices;
  readonly merges: MergeServices;
  readonly diffs: DiffServices;
  readonly log: LogServices;
  readonly proofs: ProofServices;
}

/** THE table: every endpoint of all hosts, in the order of the reference. */
export function routeTable(services: Services): Route[] {
  const routes = [
    ...branchRoutes(services.branches),
    ...commitRoutes(services.branches),
    ...forkRoutes(services.branches),
    ...mergeRoutes(services.merges),
    ...workbookRoutes(services.workbooks),
    ...collaboratorRoutes(services.workbooks),
    ...valueRoutes(services.values),
    ...wholeRoutes(services.values),
    ...formatRoutes(services.values),
    ...blameRoutes(services.blame),
    ...diffRoutes(services.diffs),
    ...maintenanceRoutes(services.maintenance),
    recordsRoute(services.values),
    ...verifyRoutes(services.verify),
    ...logRoutes(services.log),
    ...proofRoutes(services.proofs),
    ...usageRoutes(services.account),
    ...identityTable(services),
  ];
  return [...routes, ...referenceRoutes(routes, services.addresses, services.health.version)];
}

/** Its part that a process needs which serves agents and people, and no workbooks. */
export function identityTable({
  health,
  identity,
}: Pick<Services, 'health' | 'identity'>): Route[] {
  return [...healthRoutes(health), ...identityRoutes(identity)];
}
