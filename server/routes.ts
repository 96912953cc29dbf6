import { branchRoutes } from './branches/http.ts';
import type { BranchServices } from './branches/http.ts';
import { healthRoutes } from './health/http.ts';
import type { HealthParts } from './health/http.ts';
import { referenceRoutes } from './http/reference/routes.ts';
import type { Route } from './http/route.ts';
import { identityRoutes } from './identity/http.ts';
import type { IdentityServices } from './identity/http.ts';
import type { Addresses } from './model/addresses.ts';
import { valueRoutes } from './values/http.ts';
import type { ValueServices } from './values/http.ts';
import { recordsRoute } from './values/records/http.ts';
import { workbookRoutes } from './workbooks/http.ts';
import type { WorkbookServices } from './workbooks/http.ts';

/** What the routes serve from. Each folder with routes adds its services here. */
export interface Services {
  readonly addresses: Addresses;
  readonly health: HealthParts;
  readonly identity: IdentityServices;
  readonly branches: BranchServices;
  readonly workbooks: WorkbookServices;
  readonly values: ValueServices;
}

/** THE table: every endpoint of all hosts, in the order of the reference. */
export function routeTable(services: Services): Route[] {
  const routes = [
    ...branchRoutes(services.branches),
    ...workbookRoutes(services.workbooks),
    ...valueRoutes(services.values),
    recordsRoute(services.values),
    ...healthRoutes(services.health),
    ...identityRoutes(services.identity),
  ];
  return [...routes, ...referenceRoutes(routes, services.addresses, services.health.version)];
}
