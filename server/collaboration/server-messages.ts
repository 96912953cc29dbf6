import type { Principal } from '../model/scope.ts';
import type { JournalRecord } from '../branches/record.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import { roleIn } from '../workbooks/workbook.ts';
import type { PresenceValue } from './presence-value.ts';

/** An operation in the stream. */
export interface StreamOp {
  readonly seq: number;
  readonly id: string | null;
  readonly writer: string;
  readonly principal: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly group?: string;
  /** True when it changed nothing. */
  readonly noop?: true;
  readonly cause?: 'merge';
  /** The journal's hash after it, if known. */
  readonly hash?: string;
}

export function streamOp(record: JournalRecord, hash: string | undefined): StreamOp {
  const { seq, id, writer, principalId, kind, payload, group, resolved } = record;
  return {
    seq,
    id,
    writer,
    principal: principalId,
    kind,
    payload,
    ...(group !== undefined && { group }),
    ...(resolved.noop === true && { noop: true as const }),
    ...(kind === 'merge' && { cause: 'merge' as const }),
    ...(hash !== undefined && { hash }),
  };
}

/** A presence, as others see it. */
export interface Peer {
  readonly session: string;
  readonly principal: string;
  readonly name: string;
  readonly kind: 'human' | 'agent';
  readonly presence: PresenceValue;
  /** Time in RFC 3339. */
  readonly since: string;
}

export function peerKind({ kind }: Principal): Peer['kind'] {
  return kind === 'human' ? 'human' : 'agent';
}

export type GapReason =
  | 'too_far'
  | 'slow_consumer'
  | 'compacted'
  | 'ahead'
  | 'diverged'
  | 'branch_reset';

/**
 * Gaps whose operations can be read from the journal; after other gaps, a client must read a state.
 */
const withOperations: ReadonlySet<GapReason> = new Set(['too_far', 'slow_consumer']);

const operationsPerPage = 10_000;

export interface Gap {
  readonly reason: GapReason;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly head: number;
}

export function gapMessage(
  { reason, fromSeq, toSeq, head }: Gap,
  { workbookId, branch }: { readonly workbookId: string; readonly branch: string },
) {
  const path = `/v1/workbooks/${workbookId}/branches/${encodeURIComponent(branch)}`;
  const ops = withOperations.has(reason)
    ? `${path}/ops?after=${fromSeq - 1}&limit=${operationsPerPage}`
    : null;
  const state = `${path}/state?ref=${encodeURIComponent(`${branch}@${toSeq}`)}`;
  return { kind: 'gap', reason, fromSeq, toSeq, head, recover: { ops, state } };
}

/** Returns what a socket is told about itself. */
export function youOf({ userId, scopes }: Principal, name: string, facts: WorkbookFacts): object {
  const role = roleIn(facts, userId) ?? null;
  return { principal: userId, name, scopes, role };
}
