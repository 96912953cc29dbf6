import type { GapFrame, SubmissionResult } from './problem.ts';

export interface AppliedOperation {
  readonly seq: number;
  readonly id: string;
  readonly writer: string;
  readonly principal: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly hash: string;
}

/** Outcome of a submission. */
export interface Acknowledged {
  readonly status: 'applied' | 'partial' | 'rejected' | 'duplicate';
  readonly firstSeq?: number;
  readonly lastSeq?: number;
  readonly results: SubmissionResult['results'];
}

export interface Snapshot {
  readonly kind: 'presence_snapshot';
  readonly sessionKey: string;
  readonly head: number;
  readonly headHash: string;
  /** Operations that follow; null if there are none. */
  readonly replay: object | null;
  readonly [member: string]: unknown;
}

export interface Applied {
  readonly kind: 'op_applied';
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly ops: readonly AppliedOperation[];
}

export interface Acknowledgement extends Acknowledged {
  readonly kind: 'ack';
  readonly submission: string;
  readonly head: number;
  readonly retryAfterMs?: number;
}

export interface Activity {
  readonly kind: 'cell_activity';
  readonly [member: string]: unknown;
}

export interface PresenceNews {
  readonly kind: 'presence_changed' | 'presence_left';
  readonly [member: string]: unknown;
}

/** Returns the first message of a client; JSON leaves out members that are undefined. */
export function helloOf(known: Readonly<Record<string, unknown>>, cellActivity: string): object {
  return {
    kind: 'hello',
    protocol: 1,
    client: { name: 'quire-client', version: '1' },
    ...known,
    want: { ops: true, presence: true, cell_activity: cellActivity, ownOps: 'ack' },
  };
}

/** Message of the service over a websocket, as docs/protocol.md describes it. */
export type Frame =
  | Snapshot
  | Applied
  | Acknowledgement
  | Activity
  | PresenceNews
  | (GapFrame & { readonly kind: 'gap' });
