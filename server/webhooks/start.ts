import type { Branches } from '../branches/branches.ts';
import { Jobs } from '../jobs/jobs.ts';
import { JobTable } from '../jobs/sql.ts';
import type { Metrics } from '../metrics.ts';
import type { Environment } from '../model/environment.ts';
import { OpenInternet } from '../outbound/open-internet.ts';
import type { Sql } from '../storage/postgres.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { Deliverer } from './deliverer.ts';
import type { WebhookServices } from './http.ts';
import { deliveryQueue, Outbox } from './outbox.ts';
import { SecretSeal } from './secret.ts';
import { WebhookTable } from './sql.ts';
import { Webhooks } from './webhooks.ts';

export interface WebhookNeeds {
  readonly sql: Sql;
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly environment: Environment;
  readonly metrics: Metrics;
  readonly identity: {
    /** The key that seals the secrets of webhooks. */
    readonly webhookKey: Buffer;
    /** True for a service that its own developer runs. */
    readonly showsMail: boolean;
  };
  readonly version: string;
  readonly report: (step: string, error: unknown) => void;
}

/** Requests that are under way at a time: they wait for others, and take no thread. */
const deliveriesMost = 16;

/** Webhooks, and what sends to them; it ends by `stop`. */
export async function startWebhooks(
  needs: WebhookNeeds,
): Promise<WebhookServices & { stop(): Promise<void> }> {
  const { sql, branches, registry, environment, identity, version, report, metrics } = needs;
  const table = new WebhookTable(sql);
  const seal = new SecretSeal(identity.webhookKey, environment);
  const internet = new OpenInternet({ takesLoopback: identity.showsMail });
  const jobs = new Jobs({
    sql,
    table: new JobTable(sql),
    environment,
    metrics,
    hasFreeThread: () => true,
    runsMost: deliveriesMost,
    report,
  });
  const outbox = new Outbox({ table, branches, jobs, environment, report });
  const onEnd = (): void => outbox.lookSoon();
  const deliverer = new Deliverer({ table, internet, seal, environment, version, onEnd });
  jobs.handle(deliveryQueue, deliverer.queue);
  await jobs.start();
  outbox.start();
  const webhooks = new Webhooks({ table, outbox, internet, seal, environment });
  const stop = async (): Promise<void> => {
    await outbox.stop();
    await jobs.stop();
  };
  return { webhooks, registry, stop };
}
