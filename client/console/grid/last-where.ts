/**
 * Returns the last one of a list that a condition holds for, which holds for all before it; the
 * first one where it holds for none.
 */
export function lastWhere<Item>(
  list: readonly Item[],
  holds: (item: Item) => boolean,
): Item | undefined {
  return list[lastIndexWhere(list, holds)];
}

/** Returns the index of that one; 0 where the condition holds for none. */
export function lastIndexWhere<Item>(
  list: readonly Item[],
  holds: (item: Item) => boolean,
): number {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const item = list[middle];
    if (item !== undefined && holds(item)) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
