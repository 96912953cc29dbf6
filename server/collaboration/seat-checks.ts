import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Principal } from '../model/scope.ts';
import { lifeLimits } from './limits.ts';
import type { Session } from './session.ts';

export interface SeatCheckParts {
  /** Finds a credential while it is valid. */
  readonly credentials: {
    recheck(key: string): Promise<{
      readonly principal: Principal;
      /** The time, in milliseconds since the epoch. */
      readonly expiresAt: number | undefined;
    }>;
  };
  readonly registry: { visible(id: string, principal: Principal): Promise<unknown> };
  /** Ends the socket of a person or agent that has lost access to the workbook. */
  readonly roleLost: (session: Session) => Promise<void>;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** Checks the credentials of open sockets, and the roles of their owners, again and again. */
export class SeatChecks {
  readonly #parts: SeatCheckParts;

  constructor(parts: SeatCheckParts) {
    this.#parts = parts;
  }

  async look(session: Session, now: number): Promise<void> {
    const { credentials, registry, report } = this.#parts;
    const { seat } = session;
    try {
      const { principal, expiresAt } = await credentials.recheck(seat.credentialKey);
      seat.principal = principal;
      this.#lookAtEnd(session, expiresAt);
      await registry.visible(seat.workbookId, principal);
    } catch (error) {
      if (error instanceof Failure) this.#expire(session, error, now);
      else report('look at a credential again', error);
    }
  }

  /** Schedules a check for the moment at which a credential ends. */
  #lookAtEnd(session: Session, expiresAt: number | undefined): void {
    if (expiresAt === undefined) return;
    const { environment } = this.#parts;
    const rest = Math.max(0, expiresAt - environment.now());
    const endsAt = environment.elapsed() + rest;
    if (endsAt >= session.recheckAt) return;
    session.recheckAt = endsAt;
    environment.after(rest + timerSlackMilliseconds, () => session.look(environment.elapsed()));
  }

  /** Ends a socket whose credential is no longer valid for the workbook. */
  #expire(session: Session, failure: Failure, now: number): void {
    if (failure.key === 'credentialSuperseded') {
      const end = session.supersede(now, failure) + lifeLimits.supersededMilliseconds;
      if (now >= end) session.end('credentialEnded', failure.detail);
      else session.recheckAt = end;
    } else if (failure.status === 401) session.end('credentialEnded', failure.detail);
    else if (failure.status === 404) void this.#parts.roleLost(session);
  }
}

/** A timer may fire a little early. */
const timerSlackMilliseconds = 2;
