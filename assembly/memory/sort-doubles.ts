/** Items that are put in order one by one before runs are merged. */
const RUN_ITEMS: u32 = 16;

/**
 * Sorts doubles ascending, by merges from the bottom up, so that no order of input is slow. Uses as
 * much room at `spare` and answers which of the two places has the result.
 */
export function sortDoubles(start: usize, spare: usize, count: u32): usize {
  let from = start;
  insertionRuns(from, count);
  let to = spare;
  for (let width = RUN_ITEMS; width < count; width <<= 1) {
    for (let first: u32 = 0; first < count; first += width << 1) {
      const middle = min(first + width, count);
      mergeRuns(
        from + ((<usize>first) << 3),
        from + ((<usize>middle) << 3),
        from + ((<usize>min(middle + width, count)) << 3),
        to + ((<usize>first) << 3),
      );
    }
    const swap = from;
    from = to;
    to = swap;
  }
  return from;
}

function insertionRuns(start: usize, count: u32): void {
  for (let run: u32 = 0; run < count; run += RUN_ITEMS) {
    const first = start + ((<usize>run) << 3);
    const end = start + ((<usize>min(run + RUN_ITEMS, count)) << 3);
    for (let place = first + 8; place < end; place += 8) {
      const value = load<f64>(place);
      let hole = place;
      while (hole > first && load<f64>(hole - 8) > value) {
        store<f64>(hole, load<f64>(hole - 8));
        hole -= 8;
      }
      store<f64>(hole, value);
    }
  }
}

/** Merges two runs that lie one behind the other. */
function mergeRuns(start: usize, middle: usize, end: usize, place: usize): void {
  let left = start;
  let right = middle;
  let out = place;
  while (left < middle && right < end) {
    const a = load<f64>(left);
    const b = load<f64>(right);
    if (b < a) {
      store<f64>(out, b);
      right += 8;
    } else {
      store<f64>(out, a);
      left += 8;
    }
    out += 8;
  }
  memory.copy(out, left, middle - left);
  out += middle - left;
  memory.copy(out, right, end - right);
}

/** Number of sorted doubles below a value, or with `isThrough` up to it. */
export function countBelow(start: usize, count: u32, value: f64, isThrough: bool): u32 {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = load<f64>(start + ((<usize>middle) << 3));
    if (isThrough ? item <= value : item < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
