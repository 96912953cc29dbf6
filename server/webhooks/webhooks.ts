import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { makeId } from '../model/identifier.ts';
import { OutboundFault, type OpenInternet } from '../outbound/open-internet.ts';
import { webhookLimits as limits } from './limits.ts';
import type { Outbox } from './outbox.ts';
import { makeSecret, type SecretSeal } from './secret.ts';
import type { WebhookTable } from './sql.ts';
import type { Delivery, EventType, Webhook } from './webhook.ts';

export interface WebhookParts {
  readonly table: WebhookTable;
  readonly outbox: Pick<Outbox, 'lookSoon'>;
  readonly internet: OpenInternet;
  readonly seal: SecretSeal;
  readonly environment: Environment;
}

export interface AskedWebhook {
  readonly workbookId: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly secret: string | undefined;
  readonly createdBy: string;
  /** True when the workbook is archived now. */
  readonly archived: boolean;
}

/** The webhooks of workbooks. */
export class Webhooks {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** The secret is told now and never again. */
  async add(asked: AskedWebhook): Promise<{ webhook: Webhook; secret: string }> {
    const { table, environment, seal, outbox } = this.#parts;
    const { workbookId, events, createdBy, archived } = asked;
    const url = this.#checked(asked.url);
    const id = makeId('whk_', environment);
    const secret = asked.secret ?? makeSecret(environment);
    const createdAt = new Date(environment.now());
    const enabled = { disabledAt: null, disabledBecause: null };
    const webhook = { id, workbookId, url, events, createdBy, createdAt, ...enabled };
    const isAdded = await table.add(webhook, { secret: seal.seal(id, secret), archived });
    if (!isAdded) {
      throw new Failure('tooManyWebhooks', {
        detail: `A workbook has at most ${limits.perWorkbook} webhooks.`,
        hint: `DELETE /v1/workbooks/${workbookId}/webhooks/{webhook} removes one.`,
      });
    }
    outbox.lookSoon(workbookId);
    return { webhook, secret };
  }

  list(workbookId: string): Promise<Webhook[]> {
    return this.#parts.table.list(workbookId);
  }

  async get(
    workbookId: string,
    id: string,
  ): Promise<{ webhook: Webhook; deliveries: readonly Delivery[] }> {
    const webhook = await this.#find(workbookId, id);
    return { webhook, deliveries: await this.#parts.table.deliveries(id) };
  }

  async remove(workbookId: string, id: string): Promise<void> {
    if (!(await this.#parts.table.remove(workbookId, id))) throw unknown(workbookId);
  }

  /** Returns how many deliveries wait to be sent once more. */
  async replay(
    { workbookId, id }: { workbookId: string; id: string },
    asked: { readonly ids: readonly string[] | undefined; readonly since: Date | undefined },
  ): Promise<{ webhook: Webhook; replayed: number }> {
    const { table, environment, outbox } = this.#parts;
    await this.#find(workbookId, id);
    const replayed = await table.replay(id, asked, new Date(environment.now()));
    outbox.lookSoon(workbookId);
    return { webhook: await this.#find(workbookId, id), replayed };
  }

  async #find(workbookId: string, id: string): Promise<Webhook> {
    const webhook = await this.#parts.table.find(workbookId, id);
    if (webhook) return webhook;
    throw unknown(workbookId);
  }

  /** Checks the address alone: the host that it leads to may change before each delivery. */
  #checked(text: string): string {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url) throw refused('is not an address');
    if (url.username !== '' || url.password !== '') throw refused('has a name or a password');
    try {
      this.#parts.internet.check(url);
    } catch (error) {
      if (error instanceof OutboundFault) throw refused(error.message);
      throw error;
    }
    url.hash = '';
    return url.href;
  }
}

function refused(message: string): Failure {
  return new Failure('invalidRequest', {
    detail: `The url of the webhook ${message}.`,
    hint: 'Give an https address that the open internet can reach, without a name or password.',
    errors: [{ pointer: '/url', code: 'invalid', message }],
  });
}

function unknown(workbookId: string): Failure {
  return new Failure('notFound', {
    detail: 'The workbook has no webhook of this id.',
    hint: `GET /v1/workbooks/${workbookId}/webhooks lists them.`,
  });
}
