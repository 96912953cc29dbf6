/** Rows of one run and one column that share a block; a lane is the slot of one such row. */
export const blockLanes = 1024;

/**
 * The contents of a block: only lanes that were ever written, from `low` (formats: `formatLow`) on.
 */
export interface BlockLanes {
  readonly low: number;
  readonly tags: Uint8Array<ArrayBuffer>;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly formatLow: number;
  readonly formats: Uint16Array<ArrayBuffer>;
}

/** The lanes of a block that was never written to; copies that wait are many. */
export const noLanes: BlockLanes = {
  low: 0,
  tags: new Uint8Array(0),
  numbers: new Float64Array(0),
  formatLow: blockLanes,
  formats: new Uint16Array(0),
};

export function copiedLanes({ low, tags, numbers, formatLow, formats }: BlockLanes): BlockLanes {
  return {
    low,
    tags: tags.slice(),
    numbers: numbers.slice(),
    formatLow,
    formats: formats.slice(),
  };
}

const passing = {
  tags: new Uint8Array(blockLanes),
  numbers: new Float64Array(blockLanes),
  formats: new Uint16Array(blockLanes),
};

/** Returns a copy in shared buffers, valid until the next call. */
export function passingCopy({ low, tags, numbers, formatLow, formats }: BlockLanes): BlockLanes {
  const copy = {
    low,
    tags: passing.tags.subarray(0, tags.length),
    numbers: passing.numbers.subarray(0, numbers.length),
    formatLow,
    formats: passing.formats.subarray(0, formats.length),
  };
  copy.tags.set(tags);
  copy.numbers.set(numbers);
  copy.formats.set(formats);
  return copy;
}

/**
 * Returns a window that also covers `from` to `to`. It grows by doubling, so that appending row by
 * row is cheap.
 */
export function widened(
  low: number,
  size: number,
  from: number,
  to: number,
): readonly [low: number, high: number] {
  if (size === 0) return [from, to];
  const high = low + size;
  if (from >= low && to <= high) return [low, high];
  const newLow = Math.min(low, from);
  const newHigh = to > high ? Math.min(blockLanes, Math.max(to, low + size * 2)) : high;
  return [newLow, newHigh];
}
