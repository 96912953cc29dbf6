import type { FormulaOrigin } from '../model/formula-service.ts';
import type { Operation, OperationKind, SubmissionMode } from '../model/operation.ts';
import type { RejectionError } from '../model/rejection.ts';
import type { RowCounts } from '../state/plan/row-counts.ts';

/** A request of one client to write to a branch, parsed and authenticated. */
export interface SubmissionRequest {
  /** Owner of the writer names: `agt_…` or `usr_…`. */
  readonly principalId: string;
  readonly writer: string;
  readonly ops: readonly Operation[];
  /** Size as it arrived, for the bound on what waits. */
  readonly byteCount: number;
  /** Position the addresses refer to; the head at admission when left out. */
  readonly baseSeq?: number | undefined;
  readonly mode?: SubmissionMode | undefined;
  /** The client's name for what is to be undone together. */
  readonly group?: string | undefined;
  /** If-Match: refuses the whole submission with `head_moved` when the head is another. */
  readonly expectedHead?: number | undefined;
  /** Stands for the ids of operations that carry none, together with their index. */
  readonly idempotencyKey?: string | undefined;
  /** Other operations under the same key are refused, and not taken for repeats. */
  readonly comparesRepeats?: boolean;
  /** Origin of its formulas: a person, unless it says otherwise. */
  readonly formulaOrigin?: FormulaOrigin | undefined;
  /** By which listeners of commits tell what they handed in themselves; stored nowhere. */
  readonly sender?: object | undefined;
  /** The sender asks what it leads to: it is a commit of its own, which is watched. */
  readonly isWatched?: boolean;
  /** Operations without an id that change nothing are not journalled, and have no `seq`. */
  readonly passesNoops?: boolean;
}

export interface OperationResult {
  readonly id?: string;
  readonly status: 'applied' | 'rebased' | 'noop' | 'duplicate' | 'rejected';
  readonly seq?: number;
  /**
   * The operation as it was applied, in the addresses of `seq - 1`: of one that was rebased, and of
   * one that takes others back.
   */
  readonly kind?: OperationKind;
  readonly payload?: unknown;
  /**
   * Parts, in the addresses of the base, that were deleted since and so not written; of an undo
   * what stays because others changed it since.
   */
  readonly clipped?: readonly string[];
  /** Kinds that make or change a record with an id: that id. */
  readonly record?: string;
  /** Kinds that make a sheet or a table: its id. */
  readonly sheet?: string;
  readonly table?: string;
  readonly comment?: string;
  /** For kinds that write rows of a table: the count of each outcome. */
  readonly rows?: RowCounts;
  readonly error?: RejectionError;
}

export interface SubmissionAnswer {
  readonly status: 'applied' | 'partial' | 'rejected' | 'duplicate';
  /** Undefined when nothing was written. */
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
  readonly head: number;
  readonly results: readonly OperationResult[];
}
