import type { Environment } from '../model/environment.ts';
import { Presence } from './presence.ts';
import type { Room } from './room.ts';
import type { Session } from './session.ts';

const keyBytes = 16;
const idBytes = 9;

interface Arrival {
  readonly room: Room;
  readonly session: Session;
  readonly key: string | null | undefined;
}

/**
 * Returns the presence of a socket: the one it has, one of a socket that was closed a moment ago,
 * or a new one.
 */
export function takePresence(
  { room, session, key }: Arrival,
  sessions: Iterable<Session>,
  environment: Environment,
): Presence {
  const { list } = room.board;
  const own = session.ownPresence;
  if (own) return keep(own, { room, session }, environment);
  const known = typeof key === 'string' ? list.withKey(key) : undefined;
  if (known && known.principal.userId === session.seat.principal.userId) {
    for (const other of sessions) {
      const isOld = other !== session && other.room === room && room.members.has(other);
      if (!isOld || other.presence !== known) continue;
      room.leave(other);
      other.end('takenOver', 'another socket has resumed this session');
    }
    known.leftAt ??= environment.elapsed();
    return known;
  }
  const presence = new Presence({
    id: `p_${Buffer.from(environment.random(idBytes)).toString('base64url')}`,
    key: Buffer.from(environment.random(keyBytes)).toString('base64url'),
    principal: session.seat.principal,
    now: environment.now(),
    seenAt: environment.elapsed(),
  });
  // Until it is in the room, its socket may be closed.
  presence.leftAt = environment.elapsed();
  if (session.seat.isListener !== true) list.enter(presence);
  return presence;
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
