import { z } from 'zod';
import { isLocalCall } from '../http/client-address.ts';
import { route } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { Failure } from '../model/failure.ts';
import { HealthAnswers, type HealthParts } from './answers.ts';

const health = z.object({ status: z.literal('ok'), version: z.string(), uptime_s: z.number() });
const state = z.object({
  status: z.enum(['ok', 'degraded', 'draining', 'unavailable']),
  dependencies: z.record(z.string(), z.enum(['ok', 'unavailable'])),
  damagedObjects: z
    .int()
    .optional()
    .describe('Stored objects found missing or damaged and not made anew yet'),
  store: z.string().optional(),
});

/** The process about itself: alive, able to serve, and its counts. */
export function healthRoutes(parts: HealthParts): Route[] {
  const answers = new HealthAnswers(parts);
  const common = { host: 'any', method: 'GET', scope: null, limit: 'none', tag: 'Health' } as const;
  return [
    route({
      ...common,
      path: '/health',
      summary: 'The process is alive; its dependencies are not asked',
      description: 'For supervisors. `/ready` says whether it can serve.',
      responses: { 200: { description: 'Alive', schema: health } },
      handler: () => ({ value: answers.health(), cacheControl: 'no-store' }),
    }),
    route({
      ...common,
      path: '/ready',
      summary: 'Says whether requests can be served now, and the state of each dependency',
      description:
        'For load balancers. `degraded` is 200 still, and names what is away. 503 says that requests should go elsewhere.',
      responses: {
        200: { description: 'Ready; degraded without what only some requests need', schema: state },
        503: { description: 'PostgreSQL is away, or the process is stopping', schema: state },
      },
      handler: async () => {
        const { ready, body } = await answers.ready();
        return { status: ready ? 200 : 503, value: body, cacheControl: 'no-store' };
      },
    }),
    route({
      ...common,
      path: '/metrics',
      summary: 'Counts for Prometheus; answered on loopback only, and to nobody behind a proxy',
      description:
        'Requests by route and status, latencies, queues, memory and caches, in the text format of Prometheus. Everybody else gets 404.',
      produces: ['text/plain'],
      responses: { 200: { description: 'Prometheus text', types: ['text/plain'] } },
      handler: async (call) => {
        // Load and error rates are the operator's business; to others there is nothing here.
        if (!isLocalCall(call)) throw new Failure('notFound');
        return { ...(await answers.metrics()), cacheControl: 'no-store' };
      },
    }),
  ];
}
