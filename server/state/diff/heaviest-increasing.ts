/**
 * Returns the indexes of the heaviest increasing subsequence; among equally heavy ones, that with
 * the smallest last value. A Fenwick tree over the ranks of the values holds the best so far.
 */
export function heaviestIncreasing(
  values: readonly number[],
  weights: readonly number[],
): Set<number> {
  const ranks = ranksOf(values);
  const totals = new Float64Array(values.length);
  const before = new Int32Array(values.length).fill(-1);
  const best = new Int32Array(values.length + 1).fill(-1);
  let last = -1;
  for (let at = 0; at < values.length; at++) {
    const rank = ranks[at] ?? 0;
    const previous = bestUpTo(best, rank, totals);
    before[at] = previous;
    totals[at] = (weights[at] ?? 0) + (previous < 0 ? 0 : (totals[previous] ?? 0));
    for (let node = rank + 1; node < best.length; node += node & -node) {
      best[node] = heavier(best[node] ?? -1, at, totals);
    }
    last = heavier(last, at, totals);
  }
  const chosen = new Set<number>();
  for (let at = last; at >= 0; at = before[at] ?? -1) chosen.add(at);
  return chosen;
}

/** Returns the heaviest subsequence that ends with a smaller rank; -1 for none. */
function bestUpTo(best: Int32Array, rank: number, totals: Float64Array): number {
  let found = -1;
  for (let node = rank; node > 0; node -= node & -node) {
    found = heavier(found, best[node] ?? -1, totals);
  }
  return found;
}

function heavier(a: number, b: number, totals: Float64Array): number {
  if (a < 0 || b < 0) return Math.max(a, b);
  return (totals[b] ?? 0) > (totals[a] ?? 0) ? b : a;
}

function ranksOf(values: readonly number[]): Int32Array {
  const sorted = Array.from(values, (_value, index) => index).sort(
    (a, b) => (values[a] ?? 0) - (values[b] ?? 0),
  );
  const ranks = new Int32Array(values.length);
  for (const [rank, index] of sorted.entries()) ranks[index] = rank;
  return ranks;
}
