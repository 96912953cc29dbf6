import type { Payload } from '../model/operation.ts';
import type { MergedPosition, NamedPosition } from './journal-store.ts';
import type { JournalRecord } from './record.ts';

// Operations for which an append also writes a row: commits and merges.

export function namedPosition({
  seq,
  kind,
  payload,
  principalId,
  at,
}: JournalRecord): NamedPosition[] {
  if (kind !== 'commit') return [];
  // The payload has the type of its kind.
  const { message, tag } = payload as Payload<'commit'>;
  return [{ seq, tag, message, principalId, at }];
}

export function mergedPosition({ seq, kind, payload }: JournalRecord): MergedPosition[] {
  if (kind !== 'merge') return [];
  const { mid, source, vector } = payload as Payload<'merge'>;
  const { no: sourceNo, seq: sourceSeq } = source;
  // A squashed merge has an empty vector.
  const known = Object.keys(vector).length > 0 ? vector : undefined;
  return [{ seq, mergeId: mid, sourceNo, sourceSeq, vector: known }];
}
