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
  /** Size of the request, for the limit of the queue. */
  readonly byteCount: number;
  /** Sequence to which addresses refer; the head at admission if left out. */
  readonly baseSeq?: number | undefined;
  readonly mode?: SubmissionMode | undefined;
  /** Group of operations that are undone together, named by the client. */
  readonly group?: string | undefined;
  /** Head required by If-Match; another fails with `head_moved`. */
  readonly expectedHead?: number | undefined;
  /** Key that, with their index, replaces missing ids of operations. */
  readonly idempotencyKey?: string | undefined;
  /** True to refuse other operations under the same key instead of taking them for repetitions. */
  readonly comparesRepeats?: boolean;
  /** Origin of its formulas; a person if left out. */
  readonly formulaOrigin?: FormulaOrigin | undefined;
  /** Mark by which listeners of commits recognize their own submissions; never stored. */
  readonly sender?: object | undefined;
  /** True if the sender asks for changed values, which makes it a commit of its own. */
  readonly isWatched?: boolean;
  /** True to leave operations without id and effect out of the journal, without a `seq`. */
  readonly passesNoops?: boolean;
}

export interface OperationResult {
  readonly id?: string;
  readonly status: 'applied' | 'rebased' | 'noop' | 'duplicate' | 'rejected';
  readonly seq?: number;
  /** Applied operation in the addresses of `seq - 1`, for rebased operations and undos. */
  readonly kind?: OperationKind;
  readonly payload?: unknown;
  /**
   * Parts in the addresses of the base that were not written because they were deleted since; for
   * an undo, parts that stay because others changed them since.
   */
  readonly clipped?: readonly string[];
  /** Id of a made or changed record. */
  readonly record?: string;
  /** Id of a made sheet or table. */
  readonly sheet?: string;
  readonly table?: string;
  readonly comment?: string;
  /** Count of each outcome for rows written to a table. */
  readonly rows?: RowCounts;
  readonly error?: RejectionError;
}

export interface SubmissionAnswer {
  readonly status: 'applied' | 'partial' | 'rejected' | 'duplicate';
  /** First sequence; undefined if nothing was written. */
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
  readonly head: number;
  readonly results: readonly OperationResult[];
}
