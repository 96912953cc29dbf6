import { actionOf } from '../model/access.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { rightCountsMilliseconds, type HeldRight, type Rights } from '../model/rights.ts';
import type { Incoming } from './incoming.ts';
import type { Reply, RouteFacts } from './route.ts';
import { weightOf, type ReadyAnswer } from './send.ts';

interface RightParts {
  readonly rights: Rights;
  readonly environment: Environment;
}

interface Asked {
  readonly route: RouteFacts;
  readonly incoming: Incoming;
  /** Path parameters, with the id of the workbook. */
  readonly params: Readonly<Record<string, string>>;
}

/** Type of answers that watch over the right themselves, to end with the reason. */
const eventType = 'text/event-stream';

/** The right of a request to its answer, which may end while the request is read and answered. */
export class AnswerRight {
  readonly #parts: RightParts;
  readonly #held: HeldRight;
  readonly #reads: boolean;
  #checkedAt: number;

  constructor(parts: RightParts, { route, incoming, params: { id } }: Asked) {
    this.#parts = parts;
    const authorization = incoming.headers.get('authorization');
    const isOfWorkbook = id !== undefined && actionOf(route.method, route.path) !== undefined;
    this.#held = { authorization, ...(isOfWorkbook && { workbookId: id }) };
    this.#reads = route.method === 'GET';
    this.#checkedAt = parts.environment.elapsed();
  }

  /** Fails as a new request would, after `others`, if the last look was a while ago. */
  async check(others?: () => Promise<void>): Promise<void> {
    const { rights, environment } = this.#parts;
    if (environment.elapsed() - this.#checkedAt < rightCountsMilliseconds) return;
    await others?.();
    await rights.check(this.#held);
    this.#checkedAt = environment.elapsed();
  }

  /** Returns the refusal of an answer to somebody who lost the right to read it meanwhile. */
  async lost(reply: Reply): Promise<unknown> {
    if (!this.#reads || reply.type === eventType) return undefined;
    try {
      await this.check();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Returns the reason why something is missing: that of a new request where that fails, too. */
  async whyMissing(error: unknown): Promise<unknown> {
    const isMissing = error instanceof Failure && error.status === 404;
    if (!isMissing || this.#held.workbookId === undefined) return error;
    try {
      await this.#parts.rights.check(this.#held);
      return error;
    } catch (reason) {
      return reason instanceof Failure && reason.status < 500 ? reason : error;
    }
  }

  /** Calls `ended` once the right has ended; a returned function ends the watch. */
  watch({ reply, outgoing }: ReadyAnswer, ended: () => void): (() => void) | undefined {
    // An answer that fits the buffer of the socket is sent at once.
    if (reply.type === eventType || weightOf(reply, outgoing) === 0) return undefined;
    const { rights, environment } = this.#parts;
    // Most answers are sent by then, and need no watch.
    let stop = environment.after(rightCountsMilliseconds, () => {
      stop = rights.watch(this.#held, ended);
    });
    return () => stop();
  }
}
