import { OwnScale, type Scale, type Weighable } from '../state/ids/scale.ts';
import { openBytes, weighState } from '../state/state-weight.ts';
import type { LiveStart } from './live-branch.ts';

interface Beside {
  readonly bytes: number;
  /** Parts that it may share with more positions than the next one. */
  readonly shared: ReadonlySet<Weighable>;
}

/** A state that is kept for later readers of it or of a later position. Nobody changes it. */
interface Kept {
  readonly start: LiveStart;
  /** Bytes of its own beside the next position; undefined when that has to be weighed. */
  beside: Beside | undefined;
  /** Blocks of it that were read, when somebody looked last. */
  openBytes: number;
  /** Bytes that were open when `beside` was weighed; later growth is added to it. */
  placedBytes: number;
  /** Counts up. */
  usedAt: number;
  /** Nobody has asked for it but once. */
  isPassing: boolean;
  /** True when blocks of it may have been read since the last look. */
  isUsed: boolean;
}

/** Operations between positions that stay though nobody has asked for them but once. */
const passingOperations = 32;

/** Looked at each time that all are weighed: some milliseconds, if they have to be weighed anew. */
const checkedAtOnce = 2;

/**
 * The older positions of a branch that are in memory. They share nearly everything, and weighing
 * all of them on one scale would take as long as all have blocks. So each is weighed once, beside
 * the one after it, and the last one with all else of the workbook. What is read of one later is
 * added to its weight at once; they are weighed again one after another, if that is needed.
 */
export class KeptPositions {
  /** By sequence. */
  readonly #kept: Kept[] = [];
  #useCount = 0;
  /** Whose turn it was to be looked at, the latest first. */
  #checkedAt = 0;
  /**
   * Positions in a row that were unchanged when they were checked, since the last weighing of all.
   */
  #unchangedCount = 0;

  get count(): number {
    return this.#kept.length;
  }

  seqs(): number[] {
    return this.#kept.map(({ start }) => start.state.head);
  }

  /**
   * Answers the sequence of a position that need not stay beside this one: whoever reads the head
   * of a busy branch would leave one at each operation.
   */
  add(start: LiveStart, { isPassing = false } = {}): number | undefined {
    const at = this.#indexAfter(start.state.head);
    const usedAt = ++this.#useCount;
    const bytes = openBytes(start.state);
    this.#kept.splice(at, 0, {
      start,
      beside: undefined,
      openBytes: bytes,
      placedBytes: bytes,
      usedAt,
      isPassing,
      isUsed: true,
    });
    this.#forgetWeightAt(at - 1);
    this.#unchangedCount = -checkedAtOnce;
    const [earlier, before] = at >= 2 ? this.#kept.slice(at - 2, at) : [];
    if (!isPassing || !earlier || before?.isPassing !== true) return undefined;
    const apart = start.state.head - earlier.start.state.head;
    return apart <= passingOperations ? before.start.state.head : undefined;
  }

  /** The latest at or before an operation, which is in use now. */
  nearest(most: number): LiveStart | undefined {
    const kept = this.#kept[this.#indexAfter(most) - 1];
    if (!kept) return undefined;
    if (kept.start.state.head === most) kept.isPassing = false;
    kept.usedAt = ++this.#useCount;
    kept.isUsed = true;
    this.#unchangedCount = -checkedAtOnce;
    return kept.start;
  }

  /** Sequence of the one that nobody asked for the longest time. */
  get leastUsed(): number | undefined {
    let least = this.#kept[0];
    for (const kept of this.#kept) if (least && kept.usedAt < least.usedAt) least = kept;
    return least?.start.state.head;
  }

  drop(seq: number): void {
    const at = this.#indexAfter(seq) - 1;
    if (this.#kept[at]?.start.state.head !== seq) return;
    this.#kept.splice(at, 1);
    this.#forgetWeightAt(at - 1);
  }

  /** Puts the share of one on the scale; answers whether there is more to be weighed later. */
  weigh(seq: number, scale: Scale): boolean {
    const at = this.#indexAfter(seq) - 1;
    const kept = this.#kept[at];
    if (!kept) return false;
    if (kept.isUsed) kept.openBytes = openBytes(kept.start.state);
    kept.isUsed = false;
    const next = this.#kept[at + 1];
    if (next) {
      if (!kept.beside) this.#place(kept);
      kept.beside ??= besideOf(kept.start, next.start);
      scale.add(kept.beside.bytes + unplaced(kept));
      for (const thing of kept.beside.shared) scale.share(thing);
      return false;
    }
    weighStart(kept.start, scale);
    return this.#check();
  }

  /** Looks at some, and answers whether to go on soon. */
  #check(): boolean {
    const { length } = this.#kept;
    for (let count = 0; count < Math.min(checkedAtOnce, length); count++) {
      this.#checkedAt = (this.#checkedAt || length) - 1;
      const kept = this.#kept[Math.min(this.#checkedAt, length - 1)];
      this.#unchangedCount++;
      if (kept) this.#place(kept);
    }
    return this.#unchangedCount < length;
  }

  /**
   * Has a position weighed again after it was read, and the one before it: parts that stood in both
   * may be in that one alone by now.
   */
  #place(kept: Kept): void {
    kept.openBytes = openBytes(kept.start.state);
    if (kept.openBytes === kept.placedBytes) return;
    kept.placedBytes = kept.openBytes;
    kept.beside = undefined;
    this.#forgetWeightAt(this.#indexAfter(kept.start.state.head) - 2);
    this.#unchangedCount = -checkedAtOnce;
  }

  #forgetWeightAt(at: number): void {
    const kept = this.#kept[at];
    if (kept) kept.beside = undefined;
  }

  /** Index of the first position after an operation. */
  #indexAfter(seq: number): number {
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle]?.start.state.head ?? Infinity) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function unplaced({ openBytes: bytes, placedBytes }: Kept): number {
  return Math.max(0, bytes - placedBytes);
}

function besideOf({ state }: LiveStart, next: LiveStart): Beside {
  const scale = new OwnScale();
  weighState(next.state, scale, state);
  const { bytes } = scale;
  scale.shared.clear();
  weighState(state, scale, next.state);
  return { bytes: scale.bytes - bytes, shared: scale.shared };
}

function weighStart({ state, content }: LiveStart, scale: Scale): void {
  weighState(state, scale);
  if (scale.isNew(content)) scale.add(content.byteCount);
}
