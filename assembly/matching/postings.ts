import { at as overlay } from '../memory/pointer';

/** Bytes of a room's head; the kept rows come after it, then their scores. */
const PLACE_BYTES: usize = 64;

/** Room in which a thread adds up the weights of rows for a query; the host writes its head. */
@unmanaged
class Workplace {
  /** Rows of all terms, 32 bits each, and their weights, as floats of 32 bits. */
  rows: usize = 0;
  weights: usize = 0;
  /** The sum of each row, a float of 32 bits; 0 between two queries. */
  sums: usize = 0;
  /** Rows that have a sum, 32 bits each, as many as there are rows. */
  touched: usize = 0;
  rowCount: u32 = 0;
  /** Rows from this one on are not kept. */
  below: u32 = 0;
  /** Block of each row, 32 bits, which has to equal `block`; 0 if any will do. */
  blocks: usize = 0;
  block: u32 = 0;
  /** Rows that are kept. */
  most: u32 = 0;
  /** Rows that were noted since the best were last asked for. */
  noted: u32 = 0;
}

/**
 * Adds the postings of a term, from one up to another, to the sums of their rows, and notes rows
 * that had none. The result is how many are noted now.
 */
export function addPostings(address: usize, from: u32, to: u32, weight: f64): u32 {
  const place = overlay<Workplace>(address);
  const sums = place.sums;
  const touched = place.touched;
  const rowCount = place.rowCount;
  let noted = place.noted;
  let posting = place.rows + ((<usize>from) << 2);
  const end = place.rows + ((<usize>to) << 2);
  const toWeight = place.weights - place.rows;
  for (; posting < end; posting += 4) {
    const row = load<u32>(posting);
    const sum = sums + ((<usize>row) << 2);
    const before = load<f32>(sum);
    if (before === 0) {
      // Sums of hashed terms may come back to nothing, and rows be noted more than once.
      if (noted < rowCount) store<u32>(touched + ((<usize>noted) << 2), row);
      noted++;
    }
    store<f32>(sum, <f32>(<f64>before + weight * <f64>load<f32>(posting + toWeight)));
  }
  place.noted = noted;
  return noted;
}

/** Rows and scores that are kept, a heap whose top is the worst; lower rows win ties. */
let keptRows: usize = 0;
let keptScores: usize = 0;
let keptCount: u32 = 0;

/**
 * Keeps the rows with the highest sums, in no order, and leaves all sums at zero. The result is how
 * many are kept: their rows, 32 bits each, begin 64 bytes behind the place, and behind as many as
 * may be kept their scores, floats of 64 bits.
 */
export function keepBest(address: usize): u32 {
  const place = overlay<Workplace>(address);
  const most = place.most;
  keptRows = address + PLACE_BYTES;
  keptScores = keptRows + ((((<usize>most) << 2) + 7) & ~7);
  keptCount = 0;
  // Where more were noted than there are rows, each may have a sum.
  const isListed = place.noted <= place.rowCount;
  const count = isListed ? place.noted : place.rowCount;
  for (let index: u32 = 0; index < count; index++) {
    const row = isListed ? load<u32>(place.touched + ((<usize>index) << 2)) : index;
    const sum = place.sums + ((<usize>row) << 2);
    const score = <f64>load<f32>(sum);
    store<f32>(sum, 0);
    if (score > 0 && isWanted(place, row)) offer(row, score, most);
  }
  place.noted = 0;
  return keptCount;
}

function isWanted(place: Workplace, row: u32): bool {
  if (row >= place.below) return false;
  const blocks = place.blocks;
  return blocks === 0 || load<u32>(blocks + ((<usize>row) << 2)) === place.block;
}

function offer(row: u32, score: f64, most: u32): void {
  if (keptCount < most) {
    put(keptCount, row, score);
    rise(keptCount++);
  } else if (isWorse(0, row, score)) {
    put(0, row, score);
    sink();
  }
}

function rowAt(index: u32): u32 {
  return load<u32>(keptRows + ((<usize>index) << 2));
}

function scoreAt(index: u32): f64 {
  return load<f64>(keptScores + ((<usize>index) << 3));
}

function put(index: u32, row: u32, score: f64): void {
  store<u32>(keptRows + ((<usize>index) << 2), row);
  store<f64>(keptScores + ((<usize>index) << 3), score);
}

function isWorse(index: u32, row: u32, score: f64): bool {
  const own = scoreAt(index);
  return own < score || (own === score && rowAt(index) > row);
}

function rise(start: u32): void {
  const row = rowAt(start);
  const score = scoreAt(start);
  let index = start;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (isWorse(parent, row, score)) break;
    put(index, rowAt(parent), scoreAt(parent));
    index = parent;
  }
  put(index, row, score);
}

function sink(): void {
  const row = rowAt(0);
  const score = scoreAt(0);
  let index: u32 = 0;
  for (;;) {
    let child: u32 = 2 * index + 1;
    if (child >= keptCount) break;
    const other: u32 = child + 1;
    if (other < keptCount && isWorse(other, rowAt(child), scoreAt(child))) child = other;
    if (!isWorse(child, row, score)) break;
    put(index, rowAt(child), scoreAt(child));
    index = child;
  }
  put(index, row, score);
}
