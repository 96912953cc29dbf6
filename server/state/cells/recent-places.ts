import { runKey, type LineId, type Order } from '../ids/order.ts';

/** Consecutive lines of one run, where they stand. */
export interface Placed {
  readonly run: number;
  readonly offset: number;
  readonly length: number;
  readonly position: number;
}

interface Recent {
  readonly order: WeakRef<Order>;
  readonly placed: Placed;
}

/** Ends of one formula that are remembered. */
const recentMost = 64;

/** Places of lines: each end of the formula before, as the next one mostly has its own beside them. */
export class RecentPlaces {
  readonly #recent: Recent[] = [];
  #next = 0;

  /** Begins the next formula. */
  restart(): void {
    this.#next = 0;
  }

  /** Finds a line by its id. */
  of(order: Order, { branch, sequence, offset }: LineId): Placed {
    const known = this.#known(order);
    const run = runKey(branch, sequence);
    const isHere = known?.run === run && isWithin(offset, known.offset, known.length);
    if (isHere) return known;
    const position = order.positionOf(branch, sequence, offset);
    if (position === undefined) throw new Error('a formula is older than its cell');
    return this.#found(order, position);
  }

  /** Finds a line by its position. */
  at(order: Order, position: number): Placed {
    const known = this.#known(order);
    if (known && isWithin(position, known.position, known.length)) return known;
    return this.#found(order, position);
  }

  #known(order: Order): Placed | undefined {
    const recent = this.#recent[this.#next++];
    return recent?.order.deref() === order ? recent.placed : undefined;
  }

  #found(order: Order, position: number): Placed {
    const placed = order.spanAt(position);
    const at = this.#next - 1;
    if (at < recentMost) this.#recent[at] = { order: new WeakRef(order), placed };
    return placed;
  }
}

function isWithin(line: number, from: number, count: number): boolean {
  return line >= from && line < from + count;
}
