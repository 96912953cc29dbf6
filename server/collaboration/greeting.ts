import type { HistoryPage } from '../branches/history.ts';
import type { BranchAddress } from '../branches/journal-store.ts';
import { Failure } from '../model/failure.ts';
import type { Hello } from './client-messages.ts';
import { replayLimits } from './limits.ts';
import { StreamEntry } from './ring.ts';
import type { GapReason } from './server-messages.ts';

/** The beginning of a stream, after the operations that the client has. */
export type StreamStart =
  | { readonly kind: 'live' }
  | {
      readonly kind: 'replay';
      readonly fromSeq: number;
      /** Operations that are older than those in memory. */
      readonly backlog: readonly StreamEntry[];
    }
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly fromSeq: number };

export interface StartParts {
  readonly address: BranchAddress;
  /** The head at which the client joined the stream. */
  readonly head: number;
  /** The oldest operation in memory; Infinity for none. */
  readonly oldestSeq: () => number;
  readonly hashAt: (address: BranchAddress, seq: number) => Promise<Buffer>;
  readonly history: (
    address: BranchAddress,
    page: { after: number; limit: number },
  ) => Promise<HistoryPage>;
}

const pageOperations = 1_000;

/** Decides how to bring a client up to date that has all operations up to `lastSeq`. */
export async function startOf(
  { lastSeq, lastHash }: Pick<Hello, 'lastSeq' | 'lastHash'>,
  parts: StartParts,
): Promise<StreamStart> {
  const { head, address } = parts;
  if (lastSeq === null || lastSeq === undefined) return { kind: 'live' };
  if (lastSeq > head) return { kind: 'gap', reason: 'ahead', fromSeq: 1 };
  if (typeof lastHash === 'string') {
    const known = await parts.hashAt(address, lastSeq);
    if (known.toString('base64url') !== lastHash) {
      return { kind: 'gap', reason: 'diverged', fromSeq: 1 };
    }
  }
  if (lastSeq === head) return { kind: 'live' };
  const fromSeq = lastSeq + 1;
  if (head - lastSeq > replayLimits.operations) return { kind: 'gap', reason: 'too_far', fromSeq };
  if (parts.oldestSeq() <= fromSeq) return { kind: 'replay', fromSeq, backlog: [] };
  return readBacklog(fromSeq, parts);
}

/** Reads the operations in front of those in memory. */
async function readBacklog(fromSeq: number, parts: StartParts): Promise<StreamStart> {
  const { address, head } = parts;
  const backlog: StreamEntry[] = [];
  let byteCount = 0;
  let next = fromSeq;
  try {
    while (next <= head && next < parts.oldestSeq()) {
      const limit = Math.min(pageOperations, head - next + 1);
      const { records } = await parts.history(address, { after: next - 1, limit });
      if (records.length === 0) break;
      for (const record of records) {
        const entry = new StreamEntry(record);
        byteCount += entry.json.length;
        backlog.push(entry);
      }
      if (byteCount > replayLimits.bytes) return { kind: 'gap', reason: 'too_far', fromSeq };
      next = (records.at(-1)?.seq ?? head) + 1;
    }
  } catch (error) {
    // A damaged journal cannot be read, but a state may still be available.
    if (!(error instanceof Failure) || error.key !== 'storageDamaged') throw error;
    return { kind: 'gap', reason: 'compacted', fromSeq };
  }
  return { kind: 'replay', fromSeq, backlog };
}
