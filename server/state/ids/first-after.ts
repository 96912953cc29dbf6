/** Returns the first index from which a condition holds, by halving; `count` if there is none. */
export function firstAfter(count: number, isAfter: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
