/** Numbers to sort or merge between two pauses; takes less than a millisecond. */
export const numbersAtOnce = 8_192;

/**
 * Sorts numbers with pauses: piece by piece, then by merging. The result may be the same array or
 * another one.
 */
export function* sortedNumbers(numbers: Float64Array): Generator<void, Float64Array> {
  const count = numbers.length;
  for (let from = 0; from < count; from += numbersAtOnce) {
    numbers.subarray(from, from + numbersAtOnce).sort();
    yield;
  }
  let sorted = numbers;
  for (let width = numbersAtOnce; width < count; width *= 2) {
    const merged = new Float64Array(count);
    for (let from = 0; from < count; from += 2 * width) {
      yield* merge(sorted, merged, { from, width });
    }
    sorted = merged;
  }
  return sorted;
}

function* merge(
  sorted: Float64Array,
  merged: Float64Array,
  { from, width }: { readonly from: number; readonly width: number },
): Generator<void, void> {
  const middle = Math.min(from + width, sorted.length);
  const end = Math.min(from + 2 * width, sorted.length);
  let left = from;
  let right = middle;
  for (let at = from; at < end; at++) {
    const [first, second] = [sorted[left] ?? Infinity, sorted[right] ?? Infinity];
    const takesLeft = left < middle && (right >= end || first <= second);
    merged[at] = takesLeft ? first : second;
    if (takesLeft) left++;
    else right++;
    if (at % numbersAtOnce === 0) yield;
  }
}
