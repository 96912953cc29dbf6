import { usageRoutes } from './account/usage/http.ts';
import type { UsageServices } from './account/usage/http.ts';
import { commitRoutes } from './branches/commits/http.ts';
import type { CommitServices } from './branches/commits/http.ts';
import { forkRoutes } from './branches/forks/http.ts';
import type { ForkServices } from './branches/forks/http.ts';
import { branchRoutes } from './branches/http.ts';
import type { BranchServices } from './branches/http.ts';
import { journalRoute } from './branches/journal/http.ts';
import { withConsistency } from './branches/consistency/http.ts';
import { collaborationRoutes } from './collaboration/http.ts';
import type { CollaborationServices } from './collaboration/http.ts';
import { consoleRoutes } from './console/http.ts';
import { diffRoutes } from './diffs/http.ts';
import type { DiffServices } from './diffs/http.ts';
import { healthRoutes } from './health/http.ts';
import type { HealthParts } from './health/answers.ts';
import { readReference } from './http/reference/reference.ts';
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
import { mcpRoutes } from './mcp/http.ts';
import type { McpRouteServices } from './mcp/http.ts';
import { linkRoutes } from './matches/links/http.ts';
import { reconciliationRoutes } from './matches/reconciliation/http.ts';
import type { ReconciliationServices } from './matches/reconciliation/http.ts';
import { matchRoutes } from './matches/http.ts';
import type { MatchServices } from './matches/http.ts';
import { mergeRoutes } from './merges/http.ts';
import type { MergeServices } from './merges/http.ts';
import type { Addresses } from './model/addresses.ts';
import { tableRoutes } from './tables/http.ts';
import { rowReadingRoutes } from './tables/reading/http.ts';
import type { RowReadingServices } from './tables/reading/http.ts';
import { backgroundRoutes } from './tables/background/http.ts';
import { rowWritingRoutes } from './tables/writing/http.ts';
import type { RowWritingServices } from './tables/writing/http.ts';
import { logRoutes } from './tlog/service/http.ts';
import type { LogServices } from './tlog/service/http.ts';
import { blameRoutes } from './values/blame/http.ts';
import type { BlameServices } from './values/blame/http.ts';
import { formatRoutes } from './values/formats/http.ts';
import { valueRoutes } from './values/http.ts';
import { recordsRoute } from './values/records/http.ts';
import { scenarioRoute } from './values/scenario/http.ts';
import type { ScenarioServices } from './values/scenario/http.ts';
import { searchRoutes } from './values/search/http.ts';
import { wholeRoutes } from './values/whole/http.ts';
import { webhookRoutes } from './webhooks/http.ts';
import type { WebhookServices } from './webhooks/http.ts';
import { collaboratorRoutes } from './workbooks/collaborators/http.ts';
import type { CollaboratorServices } from './workbooks/collaborators/http.ts';
import { workbookRoutes } from './workbooks/http.ts';
import type { WorkbookServices } from './workbooks/http.ts';

/** Services that the routes need. Each folder with routes adds its own here. */
export interface Services {
  readonly addresses: Addresses;
  readonly health: HealthParts;
  readonly identity: IdentityServices;
  readonly branches: BranchServices & CommitServices & ForkServices;
  readonly workbooks: WorkbookServices & CollaboratorServices;
  readonly values: ScenarioServices;
  readonly maintenance: MaintenanceServices;
  readonly account: UsageServices;
  readonly verify: VerifyServices;
  readonly blame: BlameServices;
  readonly merges: MergeServices;
  readonly diffs: DiffServices;
  readonly matches: MatchServices;
  readonly reconciliation: ReconciliationServices;
  readonly tables: RowReadingServices & RowWritingServices;
  readonly collaboration: CollaborationServices;
  readonly webhooks: WebhookServices;
  readonly log: LogServices;
  readonly proofs: ProofServices;
  readonly mcp: McpRouteServices;
}

/** THE table: every endpoint of all hosts, in the order of the reference. */
export function routeTable(services: Services): Route[] {
  const routes = [
    ...branchRoutes(services.branches),
    journalRoute(services.branches),
    ...commitRoutes(services.branches),
    ...forkRoutes(services.branches),
    ...mergeRoutes(services.merges),
    ...workbookRoutes(services.workbooks),
    ...collaboratorRoutes(services.workbooks),
    ...valueRoutes(services.values),
    ...wholeRoutes(services.values),
    ...searchRoutes(services.values),
    scenarioRoute(services.values),
    ...formatRoutes(services.values),
    ...blameRoutes(services.blame),
    ...tableRoutes(services.tables),
    ...rowWritingRoutes(services.tables),
    ...backgroundRoutes({ ...services.tables, addresses: services.addresses }),
    ...rowReadingRoutes(services.tables),
    ...diffRoutes(services.diffs),
    ...matchRoutes(services.matches),
    ...linkRoutes(services.reconciliation),
    ...reconciliationRoutes(services.reconciliation),
    ...maintenanceRoutes(services.maintenance),
    ...collaborationRoutes(services.collaboration),
    ...webhookRoutes(services.webhooks),
    recordsRoute(services.values),
    ...verifyRoutes(services.verify),
    ...logRoutes(services.log),
    ...proofRoutes(services.proofs),
    ...usageRoutes(services.account),
    ...mcpRoutes(services.mcp),
    ...identityTable(services),
  ];
  const { branches, registry } = services.branches;
  const waiting = { branches, registry, environment: services.account.environment };
  const served = routes.map((row) => withConsistency(row, waiting));
  return [...served, ...referenceRoutes(() => readReference(services.addresses))];
}

/** The part of the table for a process that serves agents and people, and no workbooks. */
export function identityTable({
  health,
  identity,
}: Pick<Services, 'health' | 'identity'>): Route[] {
  return [...healthRoutes(health), ...identityRoutes(identity), ...consoleRoutes(identity)];
}
