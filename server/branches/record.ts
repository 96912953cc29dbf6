import type { OperationKind } from '../model/operation.ts';
import type { Resolved } from '../state/plan/resolved.ts';

/** An applied operation in the journal. */
export interface JournalRecord {
  readonly seq: number;
  /** Id given by the client; null without one. */
  readonly id: string | null;
  readonly writer: string;
  readonly principalId: string;
  readonly kind: OperationKind;
  /** Payload in the addresses of `seq - 1`, which a follower applies as it is. */
  readonly payload: unknown;
  /** Targets of the operation by id. */
  readonly resolved: Resolved;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Group given by the client. */
  readonly group?: string;
  /** Base and payload that the client sent, if rebasing changed the payload. */
  readonly submitted?: {
    readonly base: number;
    readonly kind: OperationKind;
    readonly payload: unknown;
  };
}
