/** The first place of which something is true, as of all after it; `count` where there is none. */
export function firstAfter(count: number, isAfter: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
