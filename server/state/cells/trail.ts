/** Entries at most; those of one that grew beyond are forgotten. */
const entriesMost = 256;
/** Entries of a copy at most: the last ones. */
const copiedMost = 128;
const entryBytes = 8;

/** Marks count down, so that of two of them the lower one was made later. */
let lastMark = 0;

/**
 * The lanes of a block that were written lately, in order, with a mark wherever a copy was made:
 * what two copies do not share was written to one of them since the last mark that both have. A
 * lane is a number from 0 up, a mark one below.
 */
export class Trail {
  #entries: number[] = [];

  get byteCount(): number {
    return this.#entries.length * entryBytes;
  }

  /** Goes on from the same content, which nobody writes to under this name any more. */
  copy(): Trail {
    const last = this.#entries.at(-1);
    if (last === undefined || last >= 0) this.#entries.push(--lastMark);
    const copy = new Trail();
    copy.#entries = this.#entries.slice(-copiedMost);
    return copy;
  }

  /** Notes a write; before the first copy nobody asks. */
  note(from: number, to: number): void {
    if (this.#entries.length === 0) return;
    if (this.#entries.length + to - from > entriesMost) {
      this.#entries = [];
      return;
    }
    for (let lane = from; lane < to; lane++) this.#entries.push(lane);
  }

  /** Lanes that may not be the same, in their order; undefined where all may not be. */
  apartFrom(other: Trail): number[] | undefined {
    const [mine, theirs] = [this.#entries, other.#entries];
    const common = commonMark(mine, theirs);
    if (!common) return undefined;
    const lanes = new Set([...mine.slice(common[0]), ...theirs.slice(common[1])]);
    return [...lanes].filter((lane) => lane >= 0).sort((a, b) => a - b);
  }
}

/** Indexes of the last mark that both have; undefined if there is none. */
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

/** Index of the last mark before another index; -1 if there is none. */
function lastMarkIn(entries: readonly number[], before: number): number {
  for (let at = before - 1; at >= 0; at--) if ((entries[at] ?? 0) < 0) return at;
  return -1;
}
