import { createHash } from 'node:crypto';

import type { Environment } from '../model/environment.ts';
import { lifeLimits } from './limits.ts';
import { FarPresence, Presence } from './presence.ts';
import type { PresenceValue } from './presence-value.ts';
import type { Room } from './room.ts';
import type { Session } from './session.ts';

const keyBytes = 16;
const idCharacters = 12;

interface Arrival {
  readonly room: Room;
  readonly session: Session;
  /** Name of the person or agent. */
  readonly name: string;
  readonly key: string | null | undefined;
  /** Tells the other processes that a client has come back to this one. */
  readonly took: (presence: Presence) => void;
}

/**
 * Returns the presence of a socket: the one it has, one of a socket that was closed a moment ago,
 * here or at another process, or a new one.
 */
export function takePresence(arrival: Arrival, environment: Environment): Presence {
  const { room, session, key } = arrival;
  const { list } = room.board;
  const own = session.ownPresence;
  if (own) return keep(own, { room, session }, environment);
  // A socket that was closed while its hello was answered takes over nothing: its client may have
  // come back by another one.
  const { isOpen } = session.outlet;
  const known = list.withKey(key ?? '');
  if (known && known.principal.userId === session.seat.principal.userId) {
    if (!isOpen) return known;
    room.takeOver(known, session);
    known.leftAt ??= environment.elapsed();
    return known;
  }
  const far = isOpen ? fromElsewhere(arrival, environment) : undefined;
  const presence = far ?? begun(arrival, newKey(environment), environment);
  // Until it is in the room, its socket may be closed.
  presence.leftAt = environment.elapsed();
  if (isOpen && session.seat.isListener !== true) list.enter(presence);
  if (far) arrival.took(far);
  return presence;
}

/**
 * Returns the presence of a client that was at another process. A room that has just been opened
 * does not know yet who is elsewhere, so a key that is not known there is believed.
 */
function fromElsewhere(arrival: Arrival, environment: Environment): Presence | undefined {
  const { room, session, key } = arrival;
  if (typeof key !== 'string') return undefined;
  const known = room.board.list.withId(idOf(key));
  if (known instanceof FarPresence) {
    if (known.peer.principal !== session.seat.principal.userId) return undefined;
    const presence = begun(arrival, key, environment, known.peer.since);
    presence.value = awake(known.value);
    return presence;
  }
  const isYoung = environment.elapsed() - room.openedAt < lifeLimits.graceMilliseconds;
  return known === undefined && isYoung ? begun(arrival, key, environment) : undefined;
}

/** The other process said it was idle perhaps only because it was silent. */
function awake({ status, ...value }: PresenceValue): PresenceValue {
  return status === undefined || status === 'idle' ? value : { ...value, status };
}

function begun(
  { session: { seat }, name }: Arrival,
  key: string,
  environment: Environment,
  since = new Date(environment.now()).toISOString(),
): Presence {
  const { principal } = seat;
  const seenAt = environment.elapsed();
  return new Presence({ id: idOf(key), key, principal, name, since, seenAt });
}

function newKey(environment: Environment): string {
  return Buffer.from(environment.random(keyBytes)).toString('base64url');
}

/** The id that others see. Every process finds it by the key, and nobody finds the key by it. */
function idOf(key: string): string {
  return `p_${createHash('sha256').update(key).digest('base64url').slice(0, idCharacters)}`;
}

/** Keeps the presence of a hello that was cancelled from being taken for one that is left. */
function keep(
  own: Presence,
  { room, session }: Pick<Arrival, 'room' | 'session'>,
  environment: Environment,
): Presence {
  if (room.members.has(session)) return own;
  own.leftAt = environment.elapsed();
  room.board.list.enter(own);
  return own;
}
