import { LRUCache } from 'lru-cache';

import { boundedTo } from '../model/cache-bounds.ts';
import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import type { Principal } from '../model/scope.ts';
import type { EventStream } from './protocol/event-stream.ts';

/** A session of an older client: the resources it watches, and its stream. */
export interface Session {
  readonly id: string;
  readonly principal: Principal;
  /** The function that ends the watch of each resource, by its URI. */
  readonly watched: Map<string, () => void>;
  stream: EventStream | undefined;
}

const sessionsMost = 10_000;
const idleMilliseconds = 24 * 3_600_000;
const idForm = /^mcp_[0-9A-Za-z]{26}$/;

/**
 * Sessions of this process. They hold only subscriptions, so a client with an unknown session,
 * after a restart, is served nevertheless.
 */
export class Sessions {
  readonly #environment: Environment;
  readonly #known: LRUCache<string, Session>;
  /** Sessions that a client has ended. */
  readonly #ended: LRUCache<string, true>;

  constructor(environment: Environment) {
    this.#environment = environment;
    const clock = { perf: { now: () => environment.elapsed() }, ttlResolution: 0 };
    const bounds = {
      ...boundedTo(sessionsMost),
      ttl: idleMilliseconds,
      updateAgeOnGet: true,
      ...clock,
    };
    this.#known = new LRUCache({ ...bounds, dispose: letGo });
    this.#ended = new LRUCache({
      ...boundedTo(sessionsMost),
      ttl: idleMilliseconds,
      ...clock,
    });
  }

  /** The id of a new session; it is kept from its first subscription on. */
  newId(): string {
    return makeId('mcp_', this.#environment);
  }

  isEnded(id: string, principal: Principal): boolean {
    return this.#ended.has(keyOf(id, principal));
  }

  /** Returns a session; undefined for an unknown id, or another principal's. */
  open(id: string, principal: Principal): Session | undefined {
    if (!idForm.test(id) || this.isEnded(id, principal)) return undefined;
    const key = keyOf(id, principal);
    const known = this.#known.get(key);
    if (known) return known;
    const session: Session = { id, principal, watched: new Map(), stream: undefined };
    this.#known.set(key, session);
    return session;
  }

  end(id: string, principal: Principal): void {
    const key = keyOf(id, principal);
    this.#ended.set(key, true);
    this.#known.delete(key);
  }

  stop(): void {
    this.#known.clear();
  }
}

function keyOf(id: string, { userId }: Principal): string {
  return `${userId} ${id}`;
}

function letGo({ watched, stream }: Session): void {
  for (const stop of watched.values()) stop();
  stream?.end();
}
