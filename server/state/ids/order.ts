import {
  compareIds,
  isSameRun,
  pushSpan,
  runKey,
  spanOfRun,
  type IdSpan,
  type LineId,
  type Piece,
} from './id-span.ts';
import { IdTree } from './id-tree.ts';
import { chunkAt, type SpanPlace } from './order-chunks.ts';
import type { Scale } from './scale.ts';
import { replaceSpans, treeOf } from './span-edit.ts';
import {
  collectSpans,
  goTo,
  leafWith,
  leavesOf,
  spanAt,
  weighTree,
  type LeafCursor,
  type PlacedSpan,
  type SpanLeaf,
  type SpanTree,
} from './span-tree.ts';
import { rowWidth } from './tree-parts.ts';

export { pushSpan, runKey, type IdSpan, type LineId, type Piece } from './id-span.ts';

/** Bytes of the object itself and of references to it. */
const orderBytes = 200;

/**
 * The ids of a sheet's rows or columns in order: an immutable list of spans, never of single rows.
 * It ends in the endless rest of the genesis run (0.0.k), so that a deletion draws fresh ids in at
 * the end of the grid and an insertion pushes the last ones out, without storing anything for that.
 *
 * One tree has the spans by position, another by id; each look-up and edit follows one path in
 * both, and versions share everything off those paths. No span continues the one before it, so
 * equal orders have equal spans regardless of history, although their trees may differ.
 */
export class Order {
  readonly #tree: SpanTree;
  readonly #ids: IdTree;
  /** Place of the id found last: the next one is often beside it. */
  #recent: LeafCursor | undefined;
  /**
   * Text of the order; held weakly, because the texts of all versions are larger than the versions.
   */
  #text: WeakRef<{ readonly text: string }> | undefined;

  constructor(tree: SpanTree, ids: IdTree) {
    this.#tree = tree;
    this.#ids = ids;
  }

  get spanCount(): number {
    return this.#tree.spanCount;
  }

  /** True while no line was ever inserted, deleted or moved. */
  get isUntouched(): boolean {
    return this.spanCount === 1 && this.spanAt(0).offset === 0;
  }

  /** Adds the order to the memory accounting; versions share most of it. */
  weigh(scale: Scale): void {
    if (!scale.isNew(this)) return;
    scale.add(orderBytes);
    weighTree(this.#tree, scale);
    this.#ids.weigh(scale);
  }

  /** The id at a position, as a span of length one. */
  idAt(position: number): LineId {
    const found = spanAt(this.#tree, checkPosition(position));
    const { branch, sequence } = spanOfRun(found.run, found.offset, 1);
    return { branch, sequence, offset: found.offset + (position - found.position) };
  }

  /** Returns the whole span around a position, and where it starts. */
  spanAt(position: number): PlacedSpan {
    return spanAt(this.#tree, checkPosition(position));
  }

  /** Returns the ids at `count` positions from `position`, in as few spans as possible. */
  spansAt(position: number, count: number): IdSpan[] {
    const found: IdSpan[] = [];
    collectSpans(this.#tree.root, checkPosition(position), position + count, found);
    return found;
  }

  /** Returns the position of an id; undefined if it was deleted. */
  positionOf(branch: number, sequence: number, offset: number): number | undefined {
    const found = this.#find(runKey(branch, sequence), offset);
    return found && found.position + (offset - (found.leaf.rows[found.row + 1] ?? 0));
  }

  /** Returns the positions of the ids of a span, in the order of ids, without deleted ones. */
  piecesOf(span: IdSpan): Piece[] {
    const run = runKey(span.branch, span.sequence);
    const end = span.offset + span.length;
    const pieces: Piece[] = [];
    if (span.length === 0) return pieces;
    const first = this.#find(run, span.offset);
    if (first && pushPiece(pieces, first, span) >= end) return pieces;
    const others = this.#ids.within(run, [span.offset + 1, end]);
    for (let at = 0; at < others.length; at += 2) {
      const cursor = this.#at(others[at + 1] ?? 0);
      if (goTo(cursor, run, others[at] ?? 0)) pushPiece(pieces, cursor, span);
    }
    return pieces;
  }

  /** Inserts ids before a position; none of them may be in the order already. */
  insert(position: number, spans: readonly IdSpan[]): Order {
    const added: IdSpan[] = [];
    for (const span of spans) {
      if (this.piecesOf(span).length > 0) throw new RangeError(`${idText(span)} is there already`);
      pushSpan(added, span);
    }
    checkFinite(added);
    checkDistinct(added);
    return this.#replace(checkPosition(position), 0, added);
  }

  delete(position: number, count: number): Order {
    checkPosition(position + count);
    return this.#replace(checkPosition(position), count, []);
  }

  /** Deletes lines, given in ascending order of position; near ones together. */
  deleteAll(leaving: readonly PositionSpan[]): Order {
    const parts = Array.from({ length: Math.ceil(leaving.length / atOnce) }, (_, at) =>
      leaving.slice(at * atOnce, (at + 1) * atOnce),
    );
    return parts.reduceRight<Order>((order, part) => order.#deleteStretch(part), this);
  }

  #deleteStretch(leaving: readonly PositionSpan[]): Order {
    const [first, last] = [leaving[0], leaving.at(-1)];
    if (!first || !last) return this;
    const end = last.from + last.count;
    if (end - first.from > leaving.length * nearRows) {
      return leaving.reduceRight<Order>((order, span) => order.delete(span.from, span.count), this);
    }
    checkPosition(end);
    const kept: IdSpan[] = [];
    let position = checkPosition(first.from);
    for (const { from, count } of leaving) {
      if (from > position) collectSpans(this.#tree.root, position, from, kept);
      position = from + count;
    }
    return this.#replace(first.from, end - first.from, kept);
  }

  /** Moves `count` lines from `from` so that they stand before what is now at `before`. */
  move(from: number, count: number, before: number): Order {
    if (before >= from && before <= from + count) return this;
    const spans = this.spansAt(from, count);
    const target = before > from ? before - count : before;
    const rest = this.delete(from, count);
    return rest.#replace(checkPosition(target), 0, spans);
  }

  /** The spans as text; equal for equal orders, regardless of history. */
  get text(): string {
    let held = this.#text?.deref();
    if (held === undefined) {
      const texts: string[] = [];
      for (const span of this.spans()) texts.push(`${idText(span)}+${span.length}`);
      held = { text: texts.join(' ') };
      this.#text = new WeakRef(held);
    }
    return held.text;
  }

  *spans(): Generator<IdSpan> {
    for (const { rows } of leavesOf(this.#tree.root)) {
      for (let row = 0; row < rows.length; row += rowWidth) {
        yield spanOfRun(rows[row] ?? 0, rows[row + 1] ?? 0, rows[row + 2] ?? 0);
      }
    }
  }

  /**
   * Yields the spans in chunks that are stored by content: equal for equal orders, with one or two
   * changed by an edit.
   */
  *chunks(): Generator<readonly IdSpan[]> {
    const leaves = this.leaves();
    for (let place: SpanPlace = { leaf: 0, row: 0 }; place.leaf < leaves.length;) {
      const { spans, next } = chunkAt(leaves, place);
      yield spans;
      place = next;
    }
  }

  /** Leaves from the first to the last; versions share those that no edit between them touched. */
  leaves(): SpanLeaf[] {
    return leavesOf(this.#tree.root);
  }

  #find(run: number, offset: number): LeafCursor | undefined {
    if (this.#recent && goTo(this.#recent, run, offset)) return this.#recent;
    const leaf = this.#ids.leafBefore(run, offset);
    if (leaf === undefined) return undefined;
    const cursor = this.#at(leaf);
    return goTo(cursor, run, offset) ? cursor : undefined;
  }

  #at(leaf: number): LeafCursor {
    if (this.#recent?.leaf.number !== leaf) this.#recent = leafWith(this.#tree, leaf);
    return this.#recent;
  }

  #replace(position: number, count: number, added: readonly IdSpan[]): Order {
    if (count === 0 && added.length === 0) return this;
    const left = position > 0 ? spanAt(this.#tree, position - 1) : undefined;
    const right = spanAt(this.#tree, position + count);
    const spans: IdSpan[] = [];
    if (left) pushSpan(spans, spanOfRun(left.run, left.offset, position - left.position));
    for (const span of added) pushSpan(spans, span);
    const cut = position + count - right.position;
    pushSpan(spans, spanOfRun(right.run, right.offset + cut, right.length - cut));
    let from = left?.position ?? 0;
    let to = right.position + right.length;
    // The neighbouring spans stay in their leaves if nothing was cut off or joined.
    if (left && isSame(spans[0], left)) {
      spans.shift();
      from = position;
    }
    if (isSame(spans.at(-1), right)) {
      spans.pop();
      to = right.position;
    }
    const { tree, changes } = replaceSpans(this.#tree, [from, to], spans);
    return new Order(tree, this.#ids.with(changes));
  }
}

/** Most deletions done together, if they are near one another. */
const atOnce = 512;
const nearRows = 64;

/** Consecutive positions of lines. */
interface PositionSpan {
  readonly from: number;
  readonly count: number;
}

function isSame(span: IdSpan | undefined, other: PlacedSpan): boolean {
  return (
    span?.offset === other.offset &&
    span.length === other.length &&
    runKey(span.branch, span.sequence) === other.run
  );
}

/** Adds the part of a span that is in the cursor's span; returns the offset after the latter. */
function pushPiece(pieces: Piece[], { leaf, row, position }: LeafCursor, span: IdSpan): number {
  const offset = leaf.rows[row + 1] ?? 0;
  const end = offset + (leaf.rows[row + 2] ?? 0);
  const from = Math.max(offset, span.offset);
  const length = Math.min(end, span.offset + span.length) - from;
  pieces.push({ position: position + (from - offset), length, skipped: from - span.offset });
  return end;
}

/** Makes an order of stored spans, which need no check. */
export function orderFromStored(spans: readonly IdSpan[]): Order {
  const { tree, changes } = treeOf(spans);
  return new Order(tree, IdTree.empty.with(changes));
}

/** Makes an order of ids, which must end in an endless rest. */
export function orderFromSpans(spans: Iterable<IdSpan>): Order {
  const joined: IdSpan[] = [];
  for (const span of spans) pushSpan(joined, span);
  const rest = joined.at(-1);
  if (rest?.length !== Infinity) throw new RangeError('an order ends in an endless rest');
  checkFinite(joined.slice(0, -1));
  checkDistinct(joined);
  const { tree, changes } = treeOf(joined);
  return new Order(tree, IdTree.empty.with(changes));
}

/** The order of a new sheet. */
export const genesisOrder = orderFromSpans([
  { branch: 0, sequence: 0, offset: 0, length: Infinity },
]);

function checkPosition(position: number): number {
  if (position >= 0 && position < Infinity) return position;
  throw new RangeError(`there is no position ${position}`);
}

function checkFinite(spans: readonly IdSpan[]): void {
  for (const span of spans) {
    if (Number.isSafeInteger(span.length) && span.length > 0 && span.offset >= 0) continue;
    throw new RangeError(`${idText(span)}+${span.length} cannot stand inside an order`);
  }
}

function checkDistinct(spans: readonly IdSpan[]): void {
  if (spans.length < 2) return;
  const sorted = spans.toSorted(compareIds);
  for (const [index, span] of sorted.entries()) {
    const next = sorted[index + 1];
    if (!next || !isSameRun(span, next) || span.offset + span.length <= next.offset) continue;
    throw new RangeError(`${idText(next)} is there twice`);
  }
}

function idText({ branch, sequence, offset }: LineId): string {
  return `${branch}.${sequence}.${offset}`;
}
