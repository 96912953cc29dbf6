import { hash } from 'node:crypto';

import type { Environment } from '../model/environment.ts';
import { lifeLimits } from './limits.ts';
import type { StoredTicket, TicketTable } from './sql.ts';

const ticketBytes = 32;
const ticketShape = /^[A-Za-z0-9_-]{43}$/u;

/** Tickets open one socket within a minute, for pages in a browser, which cannot send headers. */
export class Tickets {
  readonly #table: TicketTable;
  readonly #environment: Environment;

  constructor(table: TicketTable, environment: Environment) {
    this.#table = table;
    this.#environment = environment;
  }

  async make(ticket: StoredTicket): Promise<{ ticket: string; expires_in: number }> {
    const text = Buffer.from(this.#environment.random(ticketBytes)).toString('base64url');
    await this.#table.add(hash('sha256', text, 'buffer'), ticket, lifeLimits.ticketSeconds);
    return { ticket: text, expires_in: lifeLimits.ticketSeconds };
  }

  /** Takes a ticket; undefined when it is unknown, used or expired. */
  async take(text: string): Promise<StoredTicket | undefined> {
    if (!ticketShape.test(text)) return undefined;
    return this.#table.take(hash('sha256', text, 'buffer'));
  }
}
