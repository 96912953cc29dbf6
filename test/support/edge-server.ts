import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';

import { Edge } from '../../server/http/edge.ts';
import type { EdgeOptions, FinishedRequest } from '../../server/http/edge.ts';
import type { Route } from '../../server/http/route.ts';
import type { Environment } from '../../server/model/environment.ts';
import { Failure } from '../../server/model/failure.ts';
import type { Principal } from '../../server/model/scope.ts';

export const realEnvironment: Environment = {
  now: () => Date.now(),
  elapsed: () => Date.now(),
  random: (count) => randomBytes(count),
  after: (delay, action) => {
    const timer = setTimeout(action, delay);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export const testPrincipal: Principal = {
  userId: 'agt_TEST',
  kind: 'anonymous',
  scopes: ['read', 'write'],
  credentialId: 'crd_TEST',
  namespace: 'agt-test',
};

export interface EdgeServer {
  readonly url: string;
  readonly port: number;
  readonly edge: Edge;
  readonly finished: readonly FinishedRequest[];
  readonly faults: readonly unknown[];
}

/** An edge on a free port with the given routes; `Bearer good` is a principal. */
export async function startEdge(
  t: Test,
  routes: readonly Route[],
  options: Partial<EdgeOptions> = {},
): Promise<EdgeServer> {
  const finished: FinishedRequest[] = [];
  const faults: unknown[] = [];
  const base = 'http://quire.example';
  const edge = new Edge({
    routes,
    addresses: { baseUrl: base, authUrl: base, siteUrl: base },
    boundTo: '127.0.0.1',
    environment: realEnvironment,
    limits: 'off',
    authenticate: (authorization) => {
      if (authorization === 'Bearer good') return testPrincipal;
      throw new Failure(authorization === undefined ? 'unauthenticated' : 'invalidToken');
    },
    observer: {
      finished: (request) => finished.push(request),
      failed: (error) => faults.push(error),
    },
    ...options,
  });
  const port = await edge.listen('127.0.0.1', 0);
  t.teardown(() => edge.stop(1000));
  return { url: `http://127.0.0.1:${port}`, port, edge, finished, faults };
}
