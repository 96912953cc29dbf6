import type { IdSpan, Order } from '../../server/state/ids/order.ts';

/** Id of a row as a number: sequence number of the run and offset. */
type ModelId = number;

const offsetsMost = 1_000_000;
/** A prime number above all lengths of lists. */
const farStep = 1_000_003;

function branchOf(sequence: number): number {
  return sequence === 0 ? 0 : 1 + (sequence % 3);
}

function spanFor(id: ModelId, length: number): IdSpan {
  const sequence = Math.floor(id / offsetsMost);
  return { branch: branchOf(sequence), sequence, offset: id % offsetsMost, length };
}

/** Model of an order: a plain list of ids, without those of the genesis run. */
export class OrderModel {
  readonly ids: ModelId[];
  /** Deleted ids in their former order; they may come back. */
  readonly gone: ModelId[] = [];

  constructor(count: number) {
    this.ids = Array.from({ length: count }, (_, offset) => offset);
  }

  insert(order: Order, at: number, sequence: number, count: number): Order {
    const first = sequence * offsetsMost;
    this.ids.splice(at, 0, ...Array.from({ length: count }, (_, k) => first + k));
    return order.insert(at, [spanFor(first, count)]);
  }

  delete(order: Order, at: number, count: number): Order {
    this.gone.push(...this.ids.splice(at, count));
    return order.delete(at, count);
  }

  /** Restores the ids that were deleted last, in order, one span each. */
  restore(order: Order, at: number, most: number): Order {
    const back = this.gone.splice(Math.max(0, this.gone.length - most));
    this.ids.splice(at, 0, ...back);
    const spans = back.map((id) => spanFor(id, 1));
    return order.insert(at, spans);
  }

  move(order: Order, from: number, count: number, before: number): Order {
    if (before < from || before > from + count) {
      const taken = this.ids.splice(from, count);
      this.ids.splice(before > from ? before - count : before, 0, ...taken);
    }
    return order.move(from, count, before);
  }

  spansAt(at: number, count: number): IdSpan[] {
    const spans: IdSpan[] = [];
    let first = 0;
    const listed = this.ids.slice(at, at + count);
    for (const [index, id] of listed.entries()) {
      const isLast = listed[index + 1] !== id + 1;
      if (!isLast) continue;
      spans.push(spanFor(listed[first] ?? 0, index + 1 - first));
      first = index + 1;
    }
    return spans;
  }

  copy(): OrderModel {
    const copy = new OrderModel(0);
    copy.ids.push(...this.ids);
    copy.gone.push(...this.gone);
    return copy;
  }

  /** Throws where an order is not this list. */
  check(order: Order): void {
    const spans = this.spansAt(0, this.ids.length);
    same(order.spansAt(0, this.ids.length), spans, 'spans');
    for (let index = 0; index < this.ids.length; index++) {
      // Distant positions, because the latest result is cached.
      const position = (index * farStep) % this.ids.length;
      const id = this.ids[position] ?? -1;
      const { branch, sequence, offset } = spanFor(id, 1);
      const found = order.positionOf(branch, sequence, offset);
      if (found !== position) throw new Error(`id ${id} is at ${found}, not at ${position}`);
      if (position % 7 === 0) same(order.idAt(position), { branch, sequence, offset }, 'id');
    }
    for (const id of this.gone) {
      const { branch, sequence, offset } = spanFor(id, 1);
      const found = order.positionOf(branch, sequence, offset);
      if (found !== undefined) throw new Error(`deleted id ${id} is at ${found}`);
    }
    let count = 0;
    for (const span of order.spans()) if (span.length > 0) count++;
    if (order.spanCount !== count) throw new Error(`${count} spans are not ${order.spanCount}`);
  }

  /** Throws where the pieces of some ids of a run are not where the list has them. */
  checkPieces(order: Order, span: IdSpan): void {
    const first = span.sequence * offsetsMost + span.offset;
    const places = new Map(this.ids.map((id, position) => [id, position]));
    const expected: { position: number; length: number; skipped: number }[] = [];
    for (let skipped = 0; skipped < span.length; skipped++) {
      const position = places.get(first + skipped);
      const last = expected.at(-1);
      if (position === undefined) continue;
      const isNext = last && last.skipped + last.length === skipped;
      if (isNext && last.position + last.length === position) last.length++;
      else expected.push({ position, length: 1, skipped });
    }
    same(order.piecesOf(span), expected, 'pieces');
  }
}

function same(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a.slice(0, 400)} instead of ${b.slice(0, 400)}`);
}
