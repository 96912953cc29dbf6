import { mergeChange } from '../merge/merge.ts';
import type { OperationParts } from '../merge/parts.ts';
import { Skipped } from '../merge/judge.ts';
import type { Change } from '../merge/merging.ts';

/**
 * Undoes spans of operations, the latest first: what each of them changed becomes as it was before
 * it, unless somebody changed it since. That is a merge: what was there before the span is merged
 * into what is there now, and their base is what the span left. Answers what stays.
 */
export function* undoSpans(
  spans: readonly Change[],
  parts: OperationParts,
): Generator<void, Skipped> {
  const skipped = new Skipped();
  for (const span of spans) yield* mergeChange(span, parts, skipped);
  return skipped;
}
