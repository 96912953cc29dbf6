import type { WorkbookFacts } from '../workbooks/registry.ts';
import { socketLimits } from './limits.ts';
import type { PresenceBoard } from './presence-board.ts';
import type { Presence } from './presence.ts';
import type { Seat } from './seat.ts';
import { youOf } from './server-messages.ts';

interface Arrived {
  readonly seat: Seat;
  readonly facts: WorkbookFacts;
  readonly presence: Presence;
  readonly head: number;
  readonly headHash: string;
  /** The operations that will be sent next. */
  readonly replay: { readonly from: number; readonly to: number } | null;
  readonly archived: boolean;
}

interface Surroundings {
  readonly board: PresenceBoard;
  readonly node: string;
  /** The time, in milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the answer to a hello: where the socket joined, and who else is there. */
export function snapshotMessage(
  { seat, facts, presence, head, headHash, replay, archived }: Arrived,
  { board, node, now }: Surroundings,
): object {
  return {
    kind: 'presence_snapshot',
    session: presence.id,
    sessionKey: presence.key,
    you: youOf(seat.principal, presence.name, facts),
    branch: seat.branch,
    head,
    headHash,
    replay,
    protocol: 1,
    node,
    serverTime: new Date(now).toISOString(),
    archived,
    limits: socketLimits,
    peers: board.peersOf({ presence }),
    peersTotal: Math.max(0, board.list.size - 1),
  };
}
