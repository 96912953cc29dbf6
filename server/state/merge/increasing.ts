/**
 * Returns the indexes of the heaviest ascending subsequence of distinct numbers: what can stay when
 * as little as possible is moved.
 */
export function heaviestIncreasing(
  numbers: readonly number[],
  weights: readonly number[],
): Set<number> {
  const ranks = new Map([...numbers].sort((a, b) => a - b).map((number, rank) => [number, rank]));
  // A tree of maxima over ranks: the best list that ends with a number up to that rank.
  const best = new Int32Array(numbers.length + 1).fill(-1);
  const total = new Float64Array(numbers.length);
  const previous = new Int32Array(numbers.length).fill(-1);
  let last = -1;
  for (const [index, number] of numbers.entries()) {
    const rank = (ranks.get(number) ?? 0) + 1;
    let found = -1;
    for (let at = rank - 1; at > 0; at -= at & -at) found = heavier(found, best[at] ?? -1, total);
    previous[index] = found;
    total[index] = (total[found] ?? 0) + (weights[index] ?? 0);
    for (let at = rank; at <= numbers.length; at += at & -at) {
      best[at] = heavier(best[at] ?? -1, index, total);
    }
    last = heavier(last, index, total);
  }
  const chosen = new Set<number>();
  for (let at = last; at >= 0; at = previous[at] ?? -1) chosen.add(at);
  return chosen;
}

function heavier(a: number, b: number, total: Float64Array): number {
  if (a < 0) return b;
  if (b < 0) return a;
  return (total[b] ?? 0) > (total[a] ?? 0) ? b : a;
}
