/**
 * Returns the last item of a sorted list that meets a condition, which all items before it meet;
 * the first item if none does.
 */
export function lastWhere<Item>(
  list: readonly Item[],
  holds: (item: Item) => boolean,
): Item | undefined {
  return list[lastIndexWhere(list, holds)];
}

/** Returns the index of the last item that meets the condition; 0 if none does. */
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
