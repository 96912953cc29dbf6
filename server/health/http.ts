import { z } from 'zod';
import { route } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import type { Metrics } from '../metrics.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Readiness } from './readiness.ts';

export interface HealthParts {
  readonly version: string;
  readonly environment: Environment;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
}

const health = z.object({ status: z.literal('ok'), version: z.string(), uptime_s: z.number() });
const state = z.object({
  status: z.enum(['ok', 'degraded', 'draining', 'unavailable']),
  dependencies: z.record(z.string(), z.enum(['ok', 'unavailable'])),
});

/** The process about itself: alive, able to serve, and its counts. */
export function healthRoutes(parts: HealthParts): Route[] {
  const { version, environment, readiness, metrics } = parts;
  const startedAt = environment.now();
  const common = { host: 'any', method: 'GET', scope: null, limit: 'none', tag: 'Health' } as const;
  return [
    route({
      ...common,
      path: '/health',
      summary: 'The process is alive; its dependencies are not asked',
      responses: { 200: { description: 'Alive', schema: health } },
      handler: () => {
        const seconds = Math.floor((environment.now() - startedAt) / 1000);
        return { value: { status: 'ok', version, uptime_s: seconds }, cacheControl: 'no-store' };
      },
    }),
    route({
      ...common,
      path: '/ready',
      summary: 'Whether requests can be served now, with the state of each dependency',
      responses: {
        200: { description: 'Ready; degraded without what only some requests need', schema: state },
        503: { description: 'PostgreSQL is away, or the process is stopping', schema: state },
      },
      handler: async () => {
        const { ready, body } = await readiness.check();
        return { status: ready ? 200 : 503, value: body, cacheControl: 'no-store' };
      },
    }),
    route({
      ...common,
      path: '/metrics',
      summary: 'Counts for Prometheus; answered on loopback only',
      produces: ['text/plain'],
      responses: { 200: { description: 'Prometheus text', types: ['text/plain'] } },
      handler: async (call) => {
        // Load and error rates are the operator's business; to others there is nothing here.
        if (!isLoopbackAddress(call.address)) throw new Failure('notFound');
        const type = metrics.contentType;
        return { bytes: await metrics.print(), type, cacheControl: 'no-store' };
      },
    }),
  ];
}

function isLoopbackAddress(address: string): boolean {
  return address.startsWith('127.') || address === '0:0:0:0:0:0:0:1';
}
