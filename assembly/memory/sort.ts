/** Length up to which merging costs no more than checking whether it is needed. */
const SHORT_WORDS: u32 = 32;

/**
 * Sorts words (line numbers, indexes, addresses) by a function that returns below zero, zero or
 * above. It is a bottom-up merge sort: stable, n log n steps in the worst case, and one pass if
 * already sorted. `spare` has room for as many words.
 */
export function sortWords(
  words: usize,
  spare: usize,
  count: u32,
  order: (left: u32, right: u32) => i32,
): void {
  if (!isSorted(words, count, order)) mergeSort(words, spare, count, order);
}

/** Sorts words that are known to be out of order. */
export function mergeSort(
  words: usize,
  spare: usize,
  count: u32,
  order: (left: u32, right: u32) => i32,
): void {
  let from = words;
  let to = spare;
  for (let width: u32 = 1; width < count; width <<= 1) {
    for (let start: u32 = 0; start < count; start += width << 1) {
      const middle = min(start + width, count);
      merge(from, to, start, middle, min(middle + width, count), order);
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != words) memory.copy(words, from, (<usize>count) << 2);
}

export function isSorted(words: usize, count: u32, order: (left: u32, right: u32) => i32): bool {
  for (let index: u32 = 1; index < count; index++) {
    const place = words + ((<usize>index) << 2);
    if (order(load<u32>(place - 4), load<u32>(place)) > 0) return false;
  }
  return true;
}

function merge(
  from: usize,
  to: usize,
  start: u32,
  middle: u32,
  end: u32,
  order: (left: u32, right: u32) => i32,
): void {
  let left = from + ((<usize>start) << 2);
  let right = from + ((<usize>middle) << 2);
  const leftEnd = right;
  const rightEnd = from + ((<usize>end) << 2);
  let out = to + ((<usize>start) << 2);
  const isLong = end - start > SHORT_WORDS;
  if (isLong && (right == rightEnd || order(load<u32>(right - 4), load<u32>(right)) <= 0)) {
    memory.copy(out, left, rightEnd - left);
    return;
  }
  while (left < leftEnd && right < rightEnd) {
    const a = load<u32>(left);
    const b = load<u32>(right);
    // A branch here would be unpredictable, so there is none.
    const takesLeft = order(a, b) <= 0;
    store<u32>(out, select<u32>(a, b, takesLeft));
    left += takesLeft ? 4 : 0;
    right += takesLeft ? 0 : 4;
    out += 4;
  }
  for (; left < leftEnd; left += 4, out += 4) store<u32>(out, load<u32>(left));
  for (; right < rightEnd; right += 4, out += 4) store<u32>(out, load<u32>(right));
}
