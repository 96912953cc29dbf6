import { OwnScale, type Scale, type Weighable } from '../state/ids/scale.ts';
import { openBytes, weighState } from '../state/state-weight.ts';
import { toEnd } from '../state/plan/steps.ts';
import type { LiveStart } from './live-branch.ts';

interface Beside {
  readonly bytes: number;
  /** Parts that it may share with other positions than the next one. */
  readonly shared: ReadonlySet<Weighable>;
}

/** A state that is kept for later readers of it or of a later position; it never changes. */
interface Kept {
  readonly start: LiveStart;
  /** Bytes that it does not share with the next position; undefined until weighed. */
  beside: Beside | undefined;
  /** Bytes of its blocks that were in memory at the last check. */
  openBytes: number;
  /** Bytes of blocks in memory when `beside` was weighed; later growth is added. */
  placedBytes: number;
  /** Order of its last use. */
  usedAt: number;
  /** True if it was requested only once. */
  isPassing: boolean;
  /** True if blocks may have been read since the last check. */
  isUsed: boolean;
}

/** Operations between kept positions that were requested only once. */
const passingOperations = 32;

/** Number of positions checked at each weighing, which may take some milliseconds. */
const checkedAtOnce = 2;

/**
 * The older positions of a branch in memory. They share nearly everything, and weighing all on one
 * scale would take as long as they have blocks. So each is weighed once, compared with the one
 * after it, and the last one with the rest of the workbook. Blocks that are read later are added to
 * the weight at once; positions are weighed again one after another, if needed.
 */
export class KeptPositions {
  /** Positions in order of sequence. */
  readonly #kept: Kept[] = [];
  #useCount = 0;
  /** Index of the last checked position; checks go from the latest to the first. */
  #checkedAt = 0;
  /** Number of consecutive checks that found no change since the last full weighing. */
  #unchangedCount = 0;

  get count(): number {
    return this.#kept.length;
  }

  seqs(): number[] {
    return this.#kept.map(({ start }) => start.state.head);
  }

  /**
   * Adds a position; returns the sequence of another that need not stay beside it: readers of the
   * head of a busy branch would leave one at each operation.
   */
  add(start: LiveStart, { isPassing = false } = {}): number | undefined {
    const at = this.#indexAfter(start.state.head);
    const usedAt = ++this.#useCount;
    const bytes = toEnd(openBytes(start.state));
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

  /** Returns the latest position at or before an operation, and marks it as used. */
  nearest(most: number): LiveStart | undefined {
    const kept = this.#kept[this.#indexAfter(most) - 1];
    if (!kept) return undefined;
    if (kept.start.state.head === most) kept.isPassing = false;
    kept.usedAt = ++this.#useCount;
    kept.isUsed = true;
    this.#unchangedCount = -checkedAtOnce;
    return kept.start;
  }

  /** Sequence of the least recently used position. */
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

  /** Adds a position to the scale; returns whether more must be weighed later. */
  *weigh(seq: number, scale: Scale): Generator<void, boolean> {
    const kept = this.#kept[this.#indexAfter(seq) - 1];
    if (!kept) return false;
    if (kept.isUsed) {
      kept.isUsed = false;
      kept.openBytes = yield* openBytes(kept.start.state);
    }
    if (!kept.beside) yield* this.#place(kept);
    // Others may have come or gone in the pauses.
    const next = this.#kept[this.#indexAfter(kept.start.state.head)];
    if (next) {
      kept.beside ??= besideOf(kept.start, next.start);
      scale.add(kept.beside.bytes + unplaced(kept));
      for (const thing of kept.beside.shared) scale.share(thing);
      return false;
    }
    yield* weighStart(kept.start, scale);
    return yield* this.#check();
  }

  /** Checks some positions; returns whether to continue soon. */
  *#check(): Generator<void, boolean> {
    const { length } = this.#kept;
    for (let count = 0; count < Math.min(checkedAtOnce, length); count++) {
      this.#checkedAt = (this.#checkedAt || length) - 1;
      const kept = this.#kept[Math.min(this.#checkedAt, length - 1)];
      this.#unchangedCount++;
      if (kept) yield* this.#place(kept);
    }
    return this.#unchangedCount < length;
  }

  /**
   * Weighs a position again after it was read, and the one before it, whose shared parts may have
   * become its own.
   */
  *#place(kept: Kept): Generator<void, void> {
    kept.openBytes = yield* openBytes(kept.start.state);
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
  toEnd(weighState(next.state, scale, state));
  const { bytes } = scale;
  scale.shared.clear();
  toEnd(weighState(state, scale, next.state));
  return { bytes: scale.bytes - bytes, shared: scale.shared };
}

function* weighStart({ state, content }: LiveStart, scale: Scale): Generator<void, void> {
  yield* weighState(state, scale);
  if (scale.isNew(content)) scale.add(content.byteCount);
}
