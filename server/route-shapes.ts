import type { Route } from './http/route.ts';
import type { Addresses } from './model/addresses.ts';
import { routeTable, type Services } from './routes.ts';

/** Stands in for every service: the table is only looked at, and none of its handlers is called. */
export function noService(addresses: Addresses): unknown {
  const anything: unknown = new Proxy(() => undefined, {
    get: (target, name) => {
      if (name === 'addresses') return addresses;
      if (name in addresses) return addresses[name as keyof Addresses];
      if (name !== 'prototype') return anything;
      const prototype: unknown = Reflect.get(target, name);
      return prototype;
    },
    apply: () => anything,
  });
  return anything;
}

/** Lists every route of the service with its schemas, without the service. */
export function routeShapes(addresses: Addresses): Route[] {
  return routeTable(noService(addresses) as Services);
}
