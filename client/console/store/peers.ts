import { quoteSheet } from '../../../server/model/range.ts';
import type { PresenceNews, Snapshot } from '../../library/frames.ts';

export interface LivePeer {
  readonly session: string;
  readonly name: string;
  readonly kind: string;
  readonly presence: { readonly sheet?: string; readonly cell?: string; readonly status?: string };
}

/** Returns where somebody is, behind their name; empty if that is unknown. */
export function placeText({ presence: { sheet, cell } }: Pick<LivePeer, 'presence'>): string {
  return sheet === undefined || cell === undefined ? '' : ` at ${quoteSheet(sheet)}!${cell}`;
}

type Change = Partial<LivePeer> & { readonly session: string };

/**
 * Returns the other people after a presence message of the service. A message may also be about
 * oneself: sessions of one's own are left out.
 */
export function peersAfter(
  peers: readonly LivePeer[],
  frame: Snapshot | PresenceNews,
  own: ReadonlySet<string>,
): readonly LivePeer[] {
  return peersOf(peers, frame).filter(({ session }) => !own.has(session));
}

/** Returns whether the branch is archived after a presence message, which may tell nothing of it. */
export function archivedAfter(known: boolean, frame: Snapshot | PresenceNews): boolean {
  return typeof frame['archived'] === 'boolean' ? frame['archived'] : known;
}

function peersOf(peers: readonly LivePeer[], frame: Snapshot | PresenceNews): readonly LivePeer[] {
  if (frame.kind === 'presence_snapshot') return frame['peers'] as readonly LivePeer[];
  if (frame.kind === 'presence_left') {
    const left = frame['sessions'] as readonly string[];
    return peers.filter(({ session }) => !left.includes(session));
  }
  const known = new Map(peers.map((peer) => [peer.session, peer]));
  for (const change of frame['changes'] as readonly Change[]) {
    const peer = known.get(change.session) ?? { name: '', kind: 'human', presence: {} };
    // Changes are merge patches (RFC 7396) of one level.
    const presence = { ...peer.presence, ...change.presence };
    known.set(change.session, { ...peer, ...change, presence });
  }
  return [...known.values()];
}
