import type { Transport } from './call.ts';
import type {
  Acknowledgement,
  Activity,
  AppliedOperation,
  PresenceNews,
  Snapshot,
} from './frames.ts';
import type { Pending, Storage } from './pending.ts';
import type { Gap, Problem } from './problem.ts';

export type SessionState = 'connecting' | 'live' | 'offline' | 'lagging' | 'closed';

/** The calls that a session makes beside its socket. */
export type SessionCalls = Pick<Transport, 'url' | 'key' | 'ask'>;

/** The branch that a session is for. */
export interface SessionPlace {
  readonly id: string;
  readonly branch: string;
}

/** A close code of docs/protocol.md with its problem. */
export interface SessionEnd {
  readonly code: number;
  readonly problem: Problem;
}

export interface SessionOptions {
  /** Name of this writer among those of the identity. */
  readonly writer?: string;
  /** Sequence number of the caller's last operation; the service first sends what came after it. */
  readonly lastSeq?: number;
  /** Keeps unanswered submissions across restarts. */
  readonly storage?: Storage;
  /** Class of the socket, for Node 18 and 20, which have none: that of the package `ws`. */
  readonly WebSocket?: new (address: string, protocols: string[]) => object;
  readonly presence?: Presence;
  /**
   * Key of an earlier session that ended seconds ago, which this one continues without leaving the
   * room.
   */
  readonly sessionKey?: string;
  /** Cells whose changes are told: those of the viewport, or `all`. */
  readonly cellActivity?: 'viewport' | 'all' | 'none';
  /** Returns the subprotocol with the credential; by default that of the key. */
  readonly authorize?: () => Promise<string>;
}

/** Options of a submission. */
export type SubmissionOptions = Pick<Pending, 'mode' | 'group'> & {
  /** Position whose addresses the operations use; by default the newest one known. */
  readonly baseSeq?: number | undefined;
};

export type Presence = Readonly<Record<string, unknown>>;

/** Events of a session, by name. */
export interface SessionEvents {
  state: SessionState;
  /** Operations of others, each in the addresses of the position before it. */
  applied: { readonly ops: readonly AppliedOperation[]; readonly seq: number };
  /** Outcomes of own submissions, at their place among the operations of others. */
  acknowledged: Acknowledgement;
  gap: Gap;
  presence: Snapshot | PresenceNews;
  cells: Activity;
}

/**
 * The part of a WebSocket that a session uses, as browsers, Node 22 and the package `ws` have it.
 */
export interface SessionSocket {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(name: string, listener: (event: never) => void): void;
}
