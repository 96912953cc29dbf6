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

/** A close code of docs/protocol.md, and the same in words. */
export interface SessionEnd {
  readonly code: number;
  readonly problem: Problem;
}

export interface SessionOptions {
  /** Names one writer among the writers of this identity. */
  readonly writer?: string;
  /** The last operation that the caller has; what came after it is sent first. */
  readonly lastSeq?: number;
  /** Keeps what is unanswered over a restart. */
  readonly storage?: Storage;
  /** On Node 18 and 20, which have none of their own: that of the package `ws`. */
  readonly WebSocket?: new (address: string, protocols: string[]) => object;
  readonly presence?: Presence;
  /** The key of an earlier session that ended seconds ago: others see no leaving. */
  readonly sessionKey?: string;
  /** Cells of the viewport that come to another value; `all` tells of others, too. */
  readonly cellActivity?: 'viewport' | 'all' | 'none';
  /** Returns the subprotocol with the credential of a socket; usually that of the key. */
  readonly authorize?: () => Promise<string>;
}

/** How a submission is to be taken. */
export type SubmissionOptions = Pick<Pending, 'mode' | 'group'> & {
  /** The position whose addresses the operations have; the newest known when left out. */
  readonly baseSeq?: number | undefined;
};

export type Presence = Readonly<Record<string, unknown>>;

/** The events that a session tells of, by name. */
export interface SessionEvents {
  state: SessionState;
  /** Operations of others, in the addresses of the position before each. */
  applied: { readonly ops: readonly AppliedOperation[]; readonly seq: number };
  /** Own operations, at their place. */
  acknowledged: Acknowledgement;
  gap: Gap;
  presence: Snapshot | PresenceNews;
  cells: Activity;
}

/** The socket a session needs: that of browsers and of Node 22, and npm's `ws`. */
export interface SessionSocket {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number): void;
  addEventListener(name: string, listener: (event: never) => void): void;
}
