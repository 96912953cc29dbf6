import { z } from 'zod';

import type { JobQueue } from '../jobs/jobs.ts';
import type { Environment } from '../model/environment.ts';
import { OutboundFault, type OpenInternet } from '../outbound/open-internet.ts';
import { webhookLimits as limits } from './limits.ts';
import { retryAfterSeconds } from '../model/retry-after.ts';
import { sign, type SecretSeal } from './secret.ts';
import type { Outcome, Parcel, WebhookTable } from './sql.ts';

export interface DelivererParts {
  readonly table: WebhookTable;
  readonly internet: OpenInternet;
  readonly seal: SecretSeal;
  readonly environment: Environment;
  readonly version: string;
  /** Called when a try has ended: the next delivery of the webhook may go out. */
  readonly onEnd: () => void;
}

interface Answer {
  readonly status: number | undefined;
  /** Error of the delivery; undefined where it was taken. */
  readonly error: string | undefined;
  /** Seconds that the receiver asks to be left alone. */
  readonly restSeconds: number;
}

const jobData = z.object({ id: z.string(), attempts: z.int() });
const gone = 410;
/** A process that died is not waited for longer. */
const expireInSeconds = 120;
const retryLimit = 3;

/** Sends deliveries, each try once, and says when the next one is. */
export class Deliverer {
  readonly queue: JobQueue = { retryLimit, expireInSeconds, work: (data) => this.#work(data) };
  readonly #parts: DelivererParts;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  async #work(data: unknown): Promise<void> {
    const { table, onEnd } = this.#parts;
    const parcel = await table.parcel(jobData.parse(data));
    // The delivery was sent by a worker that died before noting it, or is not wanted any more.
    if (!parcel) return;
    const answer = await this.#post(parcel);
    await table.record(parcel, this.#outcome(parcel, answer));
    onEnd();
  }

  async #post(parcel: Parcel): Promise<Answer> {
    const { environment, internet } = this.#parts;
    const controller = new AbortController();
    const cancel = environment.after(limits.deadlineMilliseconds, () => controller.abort());
    try {
      const response = await internet.request(new URL(parcel.url), {
        method: 'POST',
        headers: this.#headers(parcel),
        body: Buffer.from(parcel.body),
        signal: controller.signal,
      });
      const { statusCode: status = 0 } = response;
      // The body is not read: it could be of another service than it claims.
      response.destroy();
      const isTaken = status >= 200 && status < 300;
      const restSeconds = retryAfterSeconds(response.headers['retry-after'], environment.now());
      return { status, error: isTaken ? undefined : `the answer was ${status}`, restSeconds };
    } catch (error) {
      return { status: undefined, error: this.#reason(error, controller.signal), restSeconds: 0 };
    } finally {
      cancel();
    }
  }

  /** Makes the headers of Standard Webhooks. */
  #headers({ id, body, secret, webhookId }: Parcel): Record<string, string | number> {
    const { seal, environment, version } = this.#parts;
    const timestamp = Math.floor(environment.now() / 1000);
    const signature = sign(seal.open(webhookId, secret), { id, timestamp, body });
    return {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': `Quire/${version}`,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
  }

  #reason(error: unknown, { aborted }: AbortSignal): string {
    if (error instanceof OutboundFault) return `the address ${error.message}`;
    if (aborted) return `no answer came in ${limits.deadlineMilliseconds / 1000} seconds`;
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return `the address could not be reached${code}`;
  }

  #outcome({ attempts }: Parcel, { status, error, restSeconds }: Answer): Outcome {
    const now = this.#parts.environment.now();
    if (error === undefined) return { state: 'delivered', status, error, at: new Date(now) };
    const wait = limits.backoffSeconds[attempts];
    if (wait !== undefined && status !== gone) {
      const seconds = this.#spread(Math.max(wait, restSeconds));
      return { state: 'waiting', status, error, at: new Date(now + seconds * 1000) };
    }
    const tries = attempts + 1;
    const disabledBecause =
      status === gone ? 'the answer was 410: it wants no more' : `${tries} tries failed: ${error}`;
    return { state: 'failed', status, error, at: new Date(now), disabledBecause };
  }

  /** Adds up to a tenth, so that what failed together does not come back together. */
  #spread(seconds: number): number {
    const [byte = 0] = this.#parts.environment.random(1);
    return seconds * (1 + byte / 2_560);
  }
}
