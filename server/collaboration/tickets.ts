import { hash } from 'node:crypto';

import type { Environment } from '../model/environment.ts';
import { lifeLimits } from './limits.ts';
import type { StoredTicket, TicketTable } from './sql.ts';

const ticketBytes = 32;
const ticketShape = /^[A-Za-z0-9_-]{43}$/u;

/** Opens one socket within a minute, for who cannot send a header: a page in a browser. */
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

  /** Undefined for one that never was, was used, or is too old. */
  async take(text: string): Promise<StoredTicket | undefined> {
    if (!ticketShape.test(text)) return undefined;
    return this.#table.take(hash('sha256', text, 'buffer'));
  }
}
