import { useEffect, useRef, useState } from 'preact/hooks';

import { placeText, type LivePeer } from '../store/peers.ts';
import type { SheetSession } from './sheet-session.ts';

/** Time between two announcements. */
const everyMs = 5_000;
/** Most people in one announcement. */
const namedMost = 3;

interface Seen {
  readonly peers: readonly LivePeer[];
  /** Number of changes by others. */
  readonly count: number;
}

/** Announces to screen readers what others did, at most every five seconds. */
export function OthersTold({ session }: { session: SheetSession }) {
  const [told, tell] = useState('');
  const before = useRef<Seen | undefined>(undefined);
  // Nobody is known while the connection is away.
  const isLive = session.edits.state === 'live';
  useEffect(() => {
    if (!isLive) return undefined;
    before.current ??= seenIn(session);
    const timer = setInterval(() => {
      const now = seenIn(session);
      const text = before.current ? othersText(before.current, now) : '';
      before.current = now;
      if (text !== '') tell(text);
    }, everyMs);
    return () => clearInterval(timer);
  }, [session, isLive]);
  return (
    <p class="visually-hidden" role="status">
      {told}
    </p>
  );
}

function seenIn({ peers, news }: SheetSession): Seen {
  return { peers, count: news.othersCount };
}

/** Returns what others did between two looks; empty if they did nothing. */
export function othersText(before: Seen, now: Seen): string {
  const were = new Map(before.peers.map((peer) => [peer.session, peer]));
  const are = new Set(now.peers.map(({ session }) => session));
  const moves = now.peers.flatMap((peer) => {
    const known = were.get(peer.session);
    const place = placeText(peer);
    if (!known) return [`${peer.name} came${place && `,${place}`}`];
    return placeText(known) === place ? [] : [`${peer.name} is${place}`];
  });
  const gone = before.peers.filter(({ session }) => !are.has(session));
  const all = [...moves, ...gone.map(({ name }) => `${name} left`)];
  const more = all.length - namedMost;
  const count = now.count - before.count;
  return [
    ...all.slice(0, namedMost),
    ...(more > 0 ? [`${more} more moved`] : []),
    ...(count > 0 ? [count === 1 ? '1 change by others' : `${count} changes by others`] : []),
  ].join(', ');
}
