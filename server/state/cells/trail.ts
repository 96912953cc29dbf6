/** Entries of a trail, at most; beyond these it is cleared. */
const entriesMost = 256;
/** Last entries that a copy keeps, at most. */
const copiedMost = 128;
const entryBytes = 8;

/** Marks count down, so the lower of two is the later one. */
let lastMark = 0;

/**
 * The lanes of a block that were written recently, in order, with a mark for each copy. Two copies
 * can differ only in lanes that were written since their last common mark. Lanes are numbers from 0
 * up, marks below.
 */
export class Trail {
  #entries: number[] = [];

  get byteCount(): number {
    return this.#entries.length * entryBytes;
  }

  /** Returns the trail for a copy; this one must not be written to any more. */
  copy(): Trail {
    const last = this.#entries.at(-1);
    if (last === undefined || last >= 0) this.#entries.push(--lastMark);
    const copy = new Trail();
    copy.#entries = this.#entries.slice(-copiedMost);
    return copy;
  }

  /** Notes a write. Before the first copy this is not needed. */
  note(from: number, to: number): void {
    if (this.#entries.length === 0) return;
    if (this.#entries.length + to - from > entriesMost) {
      this.#entries = [];
      return;
    }
    for (let lane = from; lane < to; lane++) this.#entries.push(lane);
  }

  /** Returns the lanes that may differ, ascending; undefined for all. */
  apartFrom(other: Trail): number[] | undefined {
    const [mine, theirs] = [this.#entries, other.#entries];
    const common = commonMark(mine, theirs);
    if (!common) return undefined;
    const lanes: number[] = [];
    collectLanes(mine, common[0], lanes);
    collectLanes(theirs, common[1], lanes);
    return lanes.length < 2 ? lanes : withoutRepeats(lanes.sort((a, b) => a - b));
  }

  /** Counts the lanes that may differ, some of them twice; undefined when it may be all. */
  countApart(other: Trail): number | undefined {
    const [mine, theirs] = [this.#entries, other.#entries];
    const common = commonMark(mine, theirs);
    return common && mine.length - common[0] + theirs.length - common[1];
  }
}

/** Adds the lanes of a trail from an index on, without its marks. */
function collectLanes(entries: readonly number[], from: number, lanes: number[]): void {
  for (let at = from; at < entries.length; at++) {
    const entry = entries[at] ?? -1;
    if (entry >= 0) lanes.push(entry);
  }
}

/** Shortens sorted lanes to one of each. */
function withoutRepeats(lanes: number[]): number[] {
  let count = 0;
  for (const lane of lanes) if (count === 0 || lane !== lanes[count - 1]) lanes[count++] = lane;
  lanes.length = count;
  return lanes;
}

/** Returns the indexes of the last common mark; undefined when there is none. */
function commonMark(
  mine: readonly number[],
  theirs: readonly number[],
): readonly [number, number] | undefined {
  let at = lastMarkIn(mine, mine.length);
  let otherAt = lastMarkIn(theirs, theirs.length);
  while (at >= 0 && otherAt >= 0) {
    const [mark = 0, other = 0] = [mine[at], theirs[otherAt]];
    if (mark === other) return [at, otherAt];
    if (mark < other) at = lastMarkIn(mine, at);
    else otherAt = lastMarkIn(theirs, otherAt);
  }
  return undefined;
}

/** Returns the index of the last mark before an index; -1 when there is none. */
function lastMarkIn(entries: readonly number[], before: number): number {
  for (let at = before - 1; at >= 0; at--) if ((entries[at] ?? 0) < 0) return at;
  return -1;
}
