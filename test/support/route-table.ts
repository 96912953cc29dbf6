import type { Route } from '../../server/http/route.ts';
import { routeTable, type Services } from '../../server/routes.ts';

const base = 'http://quire.example';
const addresses = { baseUrl: base, authUrl: base, siteUrl: base };

/** Anything at all: the table is only looked at, and none of its handlers is called. */
export const anything: unknown = new Proxy(() => undefined, {
  get: (target, name) => {
    if (name === 'addresses') return addresses;
    if (name in addresses) return base;
    if (name !== 'prototype') return anything;
    const prototype: unknown = Reflect.get(target, name);
    return prototype;
  },
  apply: () => anything,
});

/** Every route of the service with its schemas, without the service. */
export function wholeRouteTable(): Route[] {
  const services = new Proxy(
    {},
    { get: (_, name) => (name === 'addresses' ? addresses : anything) },
  );
  return routeTable(services as Services);
}
