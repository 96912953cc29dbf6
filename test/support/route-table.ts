import type { Route } from '../../server/http/route.ts';
import { noService, routeShapes } from '../../server/route-shapes.ts';

const base = 'http://quire.example';
const addresses = { baseUrl: base, authUrl: base, siteUrl: base };

/** Stands in for any service. */
export const anything: unknown = noService(addresses);

/** Every route of the service with its schemas, without the service. */
export function wholeRouteTable(): Route[] {
  return routeShapes(addresses);
}
