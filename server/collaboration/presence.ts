import { isDeepStrictEqual } from 'node:util';

import type { Principal } from '../model/scope.ts';
import type { PresencePatch } from './client-messages.ts';
import { lifeLimits } from './limits.ts';
import { patched, toldPatch, type PresenceValue } from './presence-value.ts';
import { peerKind, type Peer } from './server-messages.ts';

/** A person or agent in a room, as the others see it. It outlives its socket by some seconds. */
export class Presence {
  readonly id: string;
  /** Secret by which the client takes this presence over after a reconnection. */
  readonly key: string;
  readonly principal: Principal;
  /** Name as in journals and comments. */
  readonly name: string;
  readonly since: string;
  value: PresenceValue = {};
  /** Moment of the client's last frame, as `elapsed` has it. */
  seenAt: number;
  /** Moment at which its socket was closed, as `elapsed` has it; undefined while it is open. */
  leftAt: number | undefined;
  /** True when the others were told that it left, because it was silent for so long. */
  isTimedOut = false;
  /** True when it counts as idle because of its silence. */
  isSilent = false;

  constructor(given: {
    id: string;
    key: string;
    principal: Principal;
    name: string;
    since: string;
    seenAt: number;
  }) {
    this.id = given.id;
    this.key = given.key;
    this.principal = given.principal;
    this.name = given.name;
    this.since = given.since;
    this.seenAt = given.seenAt;
  }

  get shown(): PresenceValue {
    return this.isSilent ? { ...this.value, status: 'idle' } : this.value;
  }

  get peer(): Peer {
    const { id, principal, name, since, shown } = this;
    return {
      session: id,
      principal: principal.userId,
      name,
      kind: peerKind(principal),
      presence: shown,
      since,
    };
  }
}

/** A presence whose socket is at another process. */
export class FarPresence {
  readonly id: string;
  /** Id of the process; another one when the client has come back there. */
  node: string;
  readonly isTimedOut = false;
  /** True when news of it may have been lost, so that it may be gone. */
  isDoubted = false;
  peer: Peer;

  constructor(node: string, peer: Peer) {
    this.id = peer.session;
    this.node = node;
    this.peer = peer;
  }

  get value(): PresenceValue {
    return this.peer.presence;
  }
}

export type AnyPresence = Presence | FarPresence;

/** A change to be sent to the others. */
interface Change {
  /** Changed members; undefined for all. */
  patch: Readonly<Record<string, unknown>> | undefined;
}

export interface PresenceNews {
  readonly changes: readonly { readonly presence: AnyPresence; readonly message: object }[];
  readonly left: readonly Leaving[];
}

export interface Leaving {
  readonly id: string;
  readonly reason: LeaveReason;
  /** True for a presence of another process, which tells the other processes itself. */
  readonly isFar: boolean;
}

/** A presence that a client has come back to at another process. */
export interface TakenPresence {
  readonly id: string;
  readonly principal: string;
}

export const leaveReasons = ['closed', 'timeout', 'revoked'] as const;
export type LeaveReason = (typeof leaveReasons)[number];

/** All presences of a room, with changes to be sent. Only the last value of each is sent. */
export class PresenceList {
  readonly #present = new Map<string, AnyPresence>();
  #changed = new Map<AnyPresence, Change>();
  #left: Leaving[] = [];

  get size(): number {
    return this.#present.size;
  }

  get hasNews(): boolean {
    return this.#changed.size > 0 || this.#left.length > 0;
  }

  /** Yields the presences that others see. */
  *visible(): Generator<AnyPresence, void> {
    for (const presence of this.#present.values()) if (!presence.isTimedOut) yield presence;
  }

  withKey(key: string): Presence | undefined {
    for (const presence of this.#own()) if (presence.key === key) return presence;
    return undefined;
  }

  withId(id: string): AnyPresence | undefined {
    return this.#present.get(id);
  }

  /** Adds or updates a presence of another process. */
  showFar(node: string, told: Peer): void {
    const known = this.#present.get(told.session);
    if (known instanceof Presence || (known && known.peer.principal !== told.principal)) return;
    const peer = known ? { ...told, since: known.peer.since } : told;
    const presence = known ?? new FarPresence(node, peer);
    const isSame = known !== undefined && isDeepStrictEqual(known.peer, peer);
    presence.node = node;
    presence.peer = peer;
    presence.isDoubted = false;
    this.#present.set(presence.id, presence);
    if (!isSame) this.#changed.set(presence, { patch: undefined });
  }

  /** Removes a presence of another process, unless it has moved on to a third one. */
  leaveFar(node: string, id: string, reason: LeaveReason): void {
    const known = this.#present.get(id);
    if (known instanceof FarPresence && known.node === node) this.#drop(known, reason);
  }

  /**
   * Leaves a presence to the process that its client has come back to, without news of it. Returns
   * it if it was one of this process.
   */
  giveAway(node: string, { id, principal }: TakenPresence): Presence | undefined {
    const known = this.#present.get(id);
    if (known?.peer.principal !== principal) return undefined;
    if (known instanceof FarPresence) {
      known.node = node;
      return undefined;
    }
    const far = new FarPresence(node, known.peer);
    this.#present.set(id, far);
    if (!this.#isTold(known)) this.#changed.set(far, { patch: undefined });
    this.#changed.delete(known);
    return known;
  }

  /** Returns whether the others see a presence as it is. */
  #isTold(presence: AnyPresence): boolean {
    return !presence.isTimedOut && !this.#changed.has(presence);
  }

  /** Doubts all presences of other processes until they are shown again. */
  doubtFar(): void {
    for (const presence of this.#present.values()) {
      if (presence instanceof FarPresence) presence.isDoubted = true;
    }
  }

  /** Removes presences that were doubted and not shown again. */
  dropDoubted(): void {
    for (const presence of this.#present.values()) {
      if (presence instanceof FarPresence && presence.isDoubted) this.#drop(presence, 'timeout');
    }
  }

  /** Removes the presences of processes that are gone. */
  keepFar(isLive: (node: string) => boolean): void {
    for (const presence of this.#present.values()) {
      const isGone = presence instanceof FarPresence && !isLive(presence.node);
      if (isGone) this.#drop(presence, 'timeout');
    }
  }

  /** Adds a presence; the others do not notice when it was that of another process before. */
  enter(presence: Presence): void {
    const before = this.#present.get(presence.id);
    this.#present.set(presence.id, presence);
    const isKnown = before && this.#isTold(before) && isDeepStrictEqual(before.peer, presence.peer);
    if (before) this.#changed.delete(before);
    if (isKnown !== true) this.#changed.set(presence, { patch: undefined });
  }

  /** Applies a patch; returns what is wrong with it, and then changes nothing. */
  update(presence: Presence, patch: PresencePatch): string | undefined {
    const before = presence.value;
    const after = patched(before, patch);
    if (typeof after === 'string') return after;
    presence.value = after;
    if (!isDeepStrictEqual(before, after)) this.#note(presence, patch, before);
    return undefined;
  }

  /** Notes a frame of the client. */
  seen(presence: Presence, now: number): void {
    presence.seenAt = now;
    if (presence.isTimedOut) {
      presence.isTimedOut = false;
      presence.isSilent = false;
      this.#changed.set(presence, { patch: undefined });
    } else if (presence.isSilent) {
      presence.isSilent = false;
      this.#note(presence, { status: presence.value.status ?? null }, presence.value);
    }
  }

  leave(presence: Presence, reason: LeaveReason): void {
    if (this.#present.get(presence.id) === presence) this.#drop(presence, reason);
  }

  #drop(presence: AnyPresence, reason: LeaveReason): void {
    this.#present.delete(presence.id);
    if (!presence.isTimedOut) this.#tellLeft(presence, reason);
  }

  *#own(): Generator<Presence, void> {
    for (const presence of this.#present.values()) {
      if (presence instanceof Presence) yield presence;
    }
  }

  /** Marks silent presences, and removes those whose client did not come back. */
  look(now: number): void {
    for (const presence of this.#own()) {
      const silence = now - presence.seenAt;
      if (presence.leftAt !== undefined && now - presence.leftAt >= lifeLimits.graceMilliseconds) {
        this.leave(presence, silence >= lifeLimits.timeoutMilliseconds ? 'timeout' : 'closed');
      } else if (silence >= lifeLimits.timeoutMilliseconds && !presence.isTimedOut) {
        presence.isTimedOut = true;
        this.#tellLeft(presence, 'timeout');
      } else if (silence >= lifeLimits.idleMilliseconds && !presence.isSilent) {
        presence.isSilent = true;
        if (!presence.isTimedOut) this.#note(presence, { status: 'idle' }, presence.value);
      }
    }
  }

  /** Returns the changes since the last call. */
  take(): PresenceNews {
    const changes: { presence: AnyPresence; message: object }[] = [];
    for (const [presence, { patch }] of this.#changed) {
      const { id: session } = presence;
      const message = patch === undefined ? presence.peer : { session, presence: patch };
      changes.push({ presence, message });
    }
    const news = { changes, left: this.#left };
    this.#changed = new Map();
    this.#left = [];
    return news;
  }

  #note(presence: Presence, patch: PresencePatch, before: PresenceValue): void {
    if (presence.isTimedOut) return;
    const change = this.#changed.get(presence) ?? { patch: {} };
    this.#changed.set(presence, change);
    if (change.patch === undefined) return;
    change.patch = toldPatch(change.patch, patch, { before, after: presence.shown });
  }

  #tellLeft(presence: AnyPresence, reason: LeaveReason): void {
    this.#changed.delete(presence);
    this.#left.push({ id: presence.id, reason, isFar: presence instanceof FarPresence });
  }
}
