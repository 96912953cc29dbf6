import { mergeChange } from '../merge/merge.ts';
import type { OperationParts } from '../merge/parts.ts';
import { Skipped } from '../merge/judge.ts';
import type { Change } from '../merge/merging.ts';

/**
 * Undoes spans of operations, latest first. What a span changed becomes as it was before, unless
 * others changed it since. That is a three-way merge: the state before the span (theirs) is merged
 * into the present state (ours), with the state after the span as their base. Returns descriptions
 * of what was kept because others changed it.
 */
export function* undoSpans(
  spans: readonly Change[],
  parts: OperationParts,
): Generator<void, Skipped> {
  const skipped = new Skipped();
  for (const span of spans) yield* mergeChange(span, parts, skipped);
  return skipped;
}
