import { z } from 'zod';

import { route } from '../../http/route.ts';
import type { Route } from '../../http/route.ts';
import type { Environment } from '../../model/environment.ts';
import { meters, monthOf } from '../../model/plan.ts';
import { usageView } from './usage-view.ts';
import type { Usage } from './usage.ts';

export interface UsageServices {
  readonly usage: Usage;
  readonly environment: Environment;
}

const figures = z.strictObject(
  Object.fromEntries(meters.map((meter) => [meter, z.int()])) as Record<
    (typeof meters)[number],
    z.ZodInt
  >,
);
const cap = z.strictObject({ limit: z.int(), used: z.int(), remaining: z.int() });
const time = z.string().meta({ format: 'date-time' });

const usageSchema = z
  .strictObject({
    userId: z.string(),
    plan: z.enum(['anonymous', 'standard']),
    period: z.strictObject({ from: time, to: time }).describe('A month of UTC; counts begin anew'),
    usage: figures.describe('Of this identity and agents merged into it'),
    days: z.array(
      z.strictObject({ date: z.string().meta({ format: 'date' }), operations: z.int() }),
    ),
    caps: z
      .strictObject({
        workbooks: cap,
        operationsPerMonth: cap,
        storageBytes: cap,
        cells: cap
          .optional()
          .describe('Not blank, in all workbooks; left out where nothing caps them'),
        readsPerMinute: z.int(),
        writesPerMinute: z.int(),
      })
      .describe('Of the account this identity draws on'),
    account: z
      .strictObject({
        usage: figures,
        members: z.array(
          z.strictObject({
            userId: z.string(),
            name: z.string(),
            relation: z.enum(['own', 'linked']),
            usage: figures,
          }),
        ),
      })
      .optional()
      .describe('With the scope account: all that draws on the plan, for a person each part'),
  })
  .meta({ id: 'Usage' });

export function usageRoutes({ usage, environment }: UsageServices): Route[] {
  return [
    route({
      host: 'api',
      method: 'GET',
      path: '/v1/account/usage',
      scope: 'read',
      tag: 'Account',
      summary: 'Usage: what is used this month, and what the plan allows',
      description: 'Whoever is over a cap still reads.',
      responses: { 200: { description: 'As it is now', schema: usageSchema } },
      handler: async ({ principal }) => ({
        value: usageView(principal, await usage.read(principal), monthOf(environment.now())),
        cacheControl: 'no-store',
      }),
    }),
  ];
}
