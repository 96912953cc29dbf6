import type { OperationKind } from '../model/operation.ts';
import type { Resolved } from '../state/plan/resolved.ts';

/** One applied operation as the journal keeps it. */
export interface JournalRecord {
  readonly seq: number;
  /** The client's operation id; null when it gave none. */
  readonly id: string | null;
  readonly writer: string;
  readonly principalId: string;
  readonly kind: OperationKind;
  /** In the addresses of `seq - 1`, so that a follower can apply it as it stands. */
  readonly payload: unknown;
  /** Targets of the operation by identity. */
  readonly resolved: Resolved;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The client's name for what belongs together. */
  readonly group?: string;
  /** The position the client wrote against and what it sent, where rebasing changed it. */
  readonly submitted?: {
    readonly base: number;
    readonly kind: OperationKind;
    readonly payload: unknown;
  };
}
