import { addressOf, at } from '../memory/pointer';
import { IndexRecord, giveBytes, takeBytes } from './index-record';

/**
 * Results over the last rows of a column, from each 64th row on: `STDEV(A9:A$99)` takes that from
 * row 65 on and the rows above that. Who asks says what is kept.
 */
@unmanaged
export class Tail {
  /** The next of this column, or 0. */
  next: u32 = 0;
  /** One past the last row. */
  end: u32 = 0;
  kind: u32 = 0;
  questions: u32 = 0;
  /** The first row from which something is known, a multiple of 64; `end` or more for none. */
  row0: u32 = 0;
  /** Address of what is known, by row / 64; 0 as long as there is no room. */
  start: u32 = 0;
  byteCount: u32 = 0;
}

const TAIL_BYTES: u32 = offsetof<Tail>();
/** Rows between two places of a tail, as a shift. */
export const TAIL_BITS: u32 = 6;
/** Tails of a column. */
const KEPT_MOST: u32 = 4;

/** Puts the tail of a kind before `end` first, a new one in the place of the least recent. */
export function tailOf(index: IndexRecord, kind: u32, end: u32): Tail {
  const head = addressOf(index) + offsetof<IndexRecord>('tails');
  let link: usize = head;
  let count: u32 = 0;
  for (let place = <usize>load<u32>(link); place; place = <usize>load<u32>(link)) {
    const tail = at<Tail>(place);
    const isFound = tail.end == end && tail.kind == kind;
    if (isFound || ++count == KEPT_MOST) {
      store<u32>(link, tail.next);
      if (!isFound) emptyTail(index, tail, kind, end);
      return putFirst(head, tail);
    }
    link = place + offsetof<Tail>('next');
  }
  const fresh = at<Tail>(takeBytes(index, TAIL_BYTES));
  emptyTail(index, fresh, kind, end);
  return putFirst(head, fresh);
}

function putFirst(head: usize, tail: Tail): Tail {
  tail.next = load<u32>(head);
  store<u32>(head, <u32>addressOf(tail));
  return tail;
}

function emptyTail(index: IndexRecord, tail: Tail, kind: u32, end: u32): void {
  forgetTail(index, tail);
  tail.kind = kind;
  tail.end = end;
  tail.row0 = u32.MAX_VALUE;
  tail.questions = 0;
}

function forgetTail(index: IndexRecord, tail: Tail): void {
  giveBytes(index, tail.start, tail.byteCount);
  tail.start = tail.byteCount = 0;
  tail.row0 = u32.MAX_VALUE;
}

/** Makes room for places of so many bytes each. */
export function openTail(index: IndexRecord, tail: Tail, placeBytes: u32): void {
  if (tail.start) return;
  tail.byteCount = ((tail.end >> TAIL_BITS) + 1) * placeBytes;
  tail.start = <u32>takeBytes(index, tail.byteCount);
}

/** Rows from `row0` on have changed or wait. */
export function cutTails(index: IndexRecord, row0: u32): void {
  let place = <usize>index.tails;
  while (place) {
    const tail = at<Tail>(place);
    place = tail.next;
    if (row0 < tail.end) forgetTail(index, tail);
  }
}

/** Gives all memory back. */
export function dropTails(index: IndexRecord): void {
  while (index.tails) {
    const place = <usize>index.tails;
    const tail = at<Tail>(place);
    index.tails = tail.next;
    forgetTail(index, tail);
    giveBytes(index, place, TAIL_BYTES);
  }
}
