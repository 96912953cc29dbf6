import { createHash } from 'node:crypto';

import type { Commit } from '../branches/commit.ts';
import type { Branches } from '../branches/branches.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { dayMilliseconds } from '../model/durations.ts';
import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import { event, eventsOf, named } from './events.ts';
import { webhookLimits as limits } from './limits.ts';
import type { DueDelivery, NamedEvent, Standing, Untold, WebhookTable } from './sql.ts';
import type { Event, EventType } from './webhook.ts';

export const deliveryQueue = 'webhook-deliveries';

export interface OutboxParts {
  readonly table: WebhookTable;
  readonly branches: Pick<Branches, 'history' | 'subscribe'>;
  readonly jobs: Pick<Jobs, 'ensure'>;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

const restMilliseconds = 2_000;
/** Milliseconds within which commits are reported together. */
const gatherMilliseconds = 50;
const branchesPerLook = 100;
const duePerLook = 200;
/** Seconds that one delivery counts for in the turn of its webhook. */
const deliverySeconds = 1;
const trimMilliseconds = 60_000;

/**
 * Makes deliveries of committed operations and sends them. It reads the journal, so that nothing is
 * reported before it is durable and nothing is forgotten, in any process and after any crash.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #unsubscribe: () => void;
  /** Workbooks with webhooks, as of the last look. */
  #hooked: ReadonlySet<string> = new Set();
  #looking: Promise<void> | undefined;
  #isDue = false;
  #isStopped = false;
  #cancel: (() => void) | undefined;
  #trimmedAt = -Infinity;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.branches.subscribe((commit) => this.#hear(commit));
  }

  start(): void {
    this.#rest(restMilliseconds);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    this.#unsubscribe();
    await this.#looking;
  }

  /** Looks soon for new deliveries and operations. */
  lookSoon(workbookId?: string): void {
    if (workbookId !== undefined) this.#hooked = new Set([...this.#hooked, workbookId]);
    this.#isDue = true;
    if (!this.#looking) this.#rest(gatherMilliseconds);
  }

  #hear({ workbookId }: Commit): void {
    if (this.#hooked.has(workbookId) && !this.#isDue) this.lookSoon();
  }

  #rest(milliseconds: number): void {
    this.#cancel?.();
    if (this.#isStopped) return;
    this.#cancel = this.#parts.environment.after(milliseconds, () => {
      this.#isDue = false;
      this.#looking = this.#look()
        .catch((error: unknown) => this.#parts.report('tell webhooks', error))
        .finally(() => {
          this.#looking = undefined;
          this.#rest(this.#isDue ? gatherMilliseconds : restMilliseconds);
        });
    });
  }

  async #look(): Promise<void> {
    const { table } = this.#parts;
    this.#hooked = new Set(await table.hooked());
    if (this.#hooked.size > 0) {
      for (const standing of await table.changedStandings()) await this.#tellStanding(standing);
      const untold = await table.untold(branchesPerLook);
      for (const branch of untold) await this.#tell(branch);
      for (const delivery of await table.due(this.#now(), duePerLook)) await this.#send(delivery);
    }
    await this.#trim();
  }

  #now(): Date {
    return new Date(this.#parts.environment.now());
  }

  async #tell(untold: Untold): Promise<void> {
    const { table } = this.#parts;
    const { through, events } = await this.#found(untold);
    const madeAt = this.#now();
    const isTold = await table.tell(untold, { through, events: this.#name(events), madeAt });
    // There may be more of the branch.
    if (isTold && through < untold.head) this.#isDue = true;
  }

  /** Returns the events of a branch that are untold, and the last operation covered. */
  async #found(untold: Untold): Promise<{ through: number; events: Event[] }> {
    const { workbookId, branchNo, branch, head, isDeleted } = untold;
    const wanted: ReadonlySet<EventType> = new Set(untold.events);
    const now = this.#parts.environment.now();
    const ofBranch = (type: EventType): Event[] =>
      wanted.has(type) ? [event(type, now, named({ workbookId, branch }))] : [];
    if (isDeleted) return { through: head, events: ofBranch('branch.deleted') };
    if (untold.seq === undefined) return { through: 0, events: ofBranch('branch.created') };
    const isOfInterest = eventsInJournal.some((type) => wanted.has(type));
    if (!isOfInterest) return { through: head, events: [] };
    const page = { after: untold.seq, limit: limits.operationsPerDelivery };
    const { records } = await this.#parts.branches.history({ workbookId, branchNo }, page);
    const last = records.at(-1);
    if (!last) return { through: head, events: [] };
    return { through: last.seq, events: eventsOf(records, { workbookId, branch }, wanted) };
  }

  async #tellStanding(standing: Standing): Promise<void> {
    const { workbookId, archived, events: wanted } = standing;
    const type = archived ? 'workbook.archived' : 'workbook.restored';
    const now = this.#parts.environment.now();
    const events = wanted.includes(type) ? [event(type, now, { workbook: workbookId })] : [];
    const made = { events: this.#name(events), madeAt: new Date(now) };
    await this.#parts.table.tellStanding(standing, made);
  }

  #name(events: readonly Event[]): NamedEvent[] {
    return events.map((one) => ({ id: makeId('msg_', this.#parts.environment), ...one }));
  }

  /** Sends a delivery; each attempt is one job. */
  async #send({ id, webhookId, attempts }: DueDelivery): Promise<void> {
    await this.#parts.jobs.ensure({
      queue: deliveryQueue,
      key: createHash('sha256').update(`${id} ${attempts}`).digest(),
      data: { id, attempts },
      tenant: webhookId,
      seconds: deliverySeconds,
    });
  }

  async #trim(): Promise<void> {
    const now = this.#parts.environment.now();
    if (now - this.#trimmedAt < trimMilliseconds) return;
    this.#trimmedAt = now;
    await this.#parts.table.trim(new Date(now - limits.keptDays * dayMilliseconds));
  }
}

const eventsInJournal: readonly EventType[] = [
  'operations.applied',
  'merge.applied',
  'commit.created',
];
