import { scratch } from '../memory/scratch';
import { REMAP_DELETE, REMAP_INSERT } from '../abi';

/**
 * New positions of rows or columns in a structural edit: pieces that stay together, by old first
 * line. Lines in no piece are deleted. It is kept in scratch memory.
 */
let pieces: usize = 0;
let pieceCount: u32 = 0;
/** First line that changes its position. */
export let firstMoved: u32 = 0;
/** Lines that a move takes along, by their old positions; none in other edits. */
let takenFrom: u32 = 0;
let takenEnd: u32 = 0;
/** Line before which a move inserts them. */
export let landing: u32 = 0;
export let lineLimit: u32 = 0;

const PIECE_BYTES: usize = 12;
/** Result of mapLine for a deleted line. */
const GONE: i32 = -1;

function addPiece(from: u32, end: u32, to: u32): void {
  if (from >= end) return;
  const place = pieces + <usize>pieceCount * PIECE_BYTES;
  pieceCount++;
  store<u32>(place, from);
  store<u32>(place, end, 4);
  store<u32>(place, to, 8);
}

/** Makes the map of an insertion, deletion or move on an axis with `limit` lines. */
export function openLineMap(operation: u32, from: u32, count: u32, before: u32, limit: u32): void {
  pieces = scratch(4 * <u32>PIECE_BYTES);
  pieceCount = 0;
  lineLimit = limit;
  firstMoved = from;
  const isMove = operation != REMAP_INSERT && operation != REMAP_DELETE;
  takenFrom = isMove ? from : 0;
  takenEnd = isMove ? from + count : 0;
  landing = before;
  if (operation == REMAP_INSERT) {
    addPiece(0, from, 0);
    addPiece(from, limit - min(count, limit - from), from + count);
  } else if (operation == REMAP_DELETE) {
    addPiece(0, from, 0);
    addPiece(from + count, limit, from);
  } else if (before <= from) {
    firstMoved = before;
    addPiece(0, before, 0);
    addPiece(before, from, before + count);
    addPiece(from, from + count, before);
    addPiece(from + count, limit, from + count);
  } else {
    addPiece(0, from, 0);
    addPiece(from, from + count, before - count);
    addPiece(from + count, before, from);
    addPiece(before, limit, before);
  }
}

/**
 * Makes the map of a deletion of spans, given as pairs of first line and count in ascending order.
 */
export function openSpansMap(spans: usize, count: u32, limit: u32): void {
  pieces = scratch((count + 1) * <u32>PIECE_BYTES);
  pieceCount = 0;
  lineLimit = limit;
  takenFrom = 0;
  takenEnd = 0;
  firstMoved = count ? load<u32>(spans) : limit;
  let next: u32 = 0;
  let gone: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const from = load<u32>(spans + ((<usize>index) << 3));
    addPiece(next, from, next - gone);
    const length = load<u32>(spans + ((<usize>index) << 3), 4);
    next = from + length;
    gone += length;
  }
  addPiece(next, limit, next - gone);
}

export function lineMapPieces(): u32 {
  return pieceCount;
}

export function pieceFrom(index: u32): u32 {
  return load<u32>(pieces + <usize>index * PIECE_BYTES);
}

/** Returns one past the last old line of a piece. */
export function pieceEnd(index: u32): u32 {
  return load<u32>(pieces + <usize>index * PIECE_BYTES, 4);
}

export function pieceTo(index: u32): u32 {
  return load<u32>(pieces + <usize>index * PIECE_BYTES, 8);
}

/** Returns the first piece that ends after a line; the number of pieces if there is none. */
export function pieceBehind(line: u32): u32 {
  let low: u32 = 0;
  let high = pieceCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieceEnd(middle) > line) high = middle;
    else low = middle + 1;
  }
  return low;
}

function pieceOf(line: u32): i32 {
  const index = pieceBehind(line);
  return index < pieceCount && line >= pieceFrom(index) ? <i32>index : -1;
}

/** Returns the new position of a line, or GONE. */
export function mapLine(line: u32): i32 {
  const index = pieceOf(line);
  if (index < 0) return GONE;
  return <i32>(line - pieceFrom(index) + pieceTo(index));
}

/** Results of mapLines. */
export let mapped0: i32 = 0;
export let mapped1: i32 = 0;
/**
 * True when the last mapped lines kept their neighbours, so that a result computed from them stays
 * valid.
 */
export let isRigid: bool = false;

/** Returns whether the line is among those that a move carries. */
export function isTaken(line: u32): bool {
  return line >= takenFrom && line < takenEnd;
}

/** Returns whether a move carries one end of a range and leaves the other. */
export function isParted(line0: u32, line1: u32): bool {
  return isTaken(line0) != isTaken(line1);
}

/**
 * Maps a range; ends that are deleted, or moved away from the rest, slide inwards. Returns false if
 * nothing is left.
 */
export function mapLines(line0: u32, line1: u32): bool {
  const first = pieceOf(line0);
  isRigid = first >= 0 && first == pieceOf(line1);
  if (isParted(line0, line1)) {
    mapParted(line0, line1);
    return true;
  }
  mapped0 = mapLine(line0);
  mapped1 = mapLine(line1);
  if (mapped0 == GONE) mapped0 = slideDown(line0, line1);
  if (mapped1 == GONE) mapped1 = slideUp(line0, line1);
  return mapped0 != GONE && mapped1 != GONE;
}

/** Keeps moved lines in the range if they are next to the lines that stayed. */
function mapParted(line0: u32, line1: u32): void {
  const isFirst = isTaken(line0);
  mapped0 = mapLine(isFirst ? takenEnd : line0);
  mapped1 = mapLine(isFirst ? line1 : takenFrom - 1);
  const taken0 = mapLine(isFirst ? line0 : takenFrom);
  const taken1 = mapLine(isFirst ? takenEnd - 1 : line1);
  if (taken0 <= mapped1 + 1 && taken1 > mapped1) mapped1 = taken1;
  if (taken1 + 1 >= mapped0 && taken0 < mapped0) mapped0 = taken0;
}

function slideDown(line0: u32, line1: u32): i32 {
  const index = pieceBehind(line0);
  if (index == pieceCount || pieceFrom(index) > line1) return GONE;
  return <i32>pieceTo(index);
}

function slideUp(line0: u32, line1: u32): i32 {
  const index = <i32>pieceBehind(line1) - 1;
  if (index < 0) return GONE;
  const last = pieceEnd(index) - 1;
  return last < line0 ? GONE : <i32>(last - pieceFrom(index) + pieceTo(index));
}
