import { noLanes, type BlockLanes } from './block-lanes.ts';
import { cellTag, type Block } from './block.ts';

type CellLanes = Pick<BlockLanes, 'low' | 'tags' | 'numbers'>;
type FormatLanes = Pick<BlockLanes, 'formatLow' | 'formats'>;

/**
 * Returns the lanes whose contents differ, ascending; missing lanes count as blank. Of two copies
 * of a block, only lanes written since are compared.
 */
export function unequalCells(a: Block | undefined, b: Block | undefined): number[] {
  if (a === b) return [];
  const apart = a && b && a.trail.apartFrom(b.trail);
  if (apart) return apart.filter((lane) => isUnequal(a, b, lane));
  return unequalLanes(a?.lanes ?? noLanes, b?.lanes ?? noLanes);
}

function isUnequal(a: Block, b: Block, lane: number): boolean {
  const [one, other] = [a.cellAt(lane), b.cellAt(lane)];
  if (one.tag !== other.tag) return true;
  return one.tag !== cellTag.blank && one.number !== other.number;
}

function unequalLanes(a: CellLanes, b: CellLanes): number[] {
  const low = Math.max(a.low, b.low);
  const high = Math.max(low, Math.min(a.low + a.tags.length, b.low + b.tags.length));
  const unequal: number[] = [];
  for (const side of [a, b]) filledLanes(side, [side.low, low], unequal);
  collectUnequal(a, b, { low, high, unequal });
  for (const side of [a, b]) filledLanes(side, [high, side.low + side.tags.length], unequal);
  return unequal;
}

/** Returns the lanes whose styles differ, ascending. */
export function unequalStyles(one: Block | undefined, other: Block | undefined): number[] {
  const unequal: number[] = [];
  const [a, b] = [one?.formatLanes ?? noLanes, other?.formatLanes ?? noLanes];
  if (a.formats === b.formats || a.formats.length + b.formats.length === 0) return unequal;
  const low = Math.min(a.formatLow, b.formatLow);
  const high = Math.max(a.formatLow + a.formats.length, b.formatLow + b.formats.length);
  for (let lane = low; lane < high; lane++) {
    if (formatIn(a, lane) !== formatIn(b, lane)) unequal.push(lane);
  }
  return unequal;
}

function formatIn({ formatLow, formats }: FormatLanes, lane: number): number {
  return formats[lane - formatLow] ?? 0;
}

/** Lanes that are compared as bytes at once, which is fast. */
const lanesAtOnce = 128;
const numberBytes = Float64Array.BYTES_PER_ELEMENT;

/** Compares the lanes that both blocks have. */
function collectUnequal(
  a: CellLanes,
  b: CellLanes,
  { low, high, unequal }: { low: number; high: number; unequal: number[] },
): void {
  const [aTags, bTags] = [bytesOf(a.tags), bytesOf(b.tags)];
  const [aNumbers, bNumbers] = [bytesOf(a.numbers), bytesOf(b.numbers)];
  for (let from = low; from < high; from += lanesAtOnce) {
    const to = Math.min(high, from + lanesAtOnce);
    const [mine, theirs, count] = [from - a.low, from - b.low, to - from];
    const isSame =
      aTags.compare(bTags, theirs, theirs + count, mine, mine + count) === 0 &&
      aNumbers.compare(
        bNumbers,
        theirs * numberBytes,
        (theirs + count) * numberBytes,
        mine * numberBytes,
        (mine + count) * numberBytes,
      ) === 0;
    if (!isSame) pushUnequal(a, b, { from, to, unequal });
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array | Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function pushUnequal(
  { low: aLow, tags: aTags, numbers: aNumbers }: CellLanes,
  { low: bLow, tags: bTags, numbers: bNumbers }: CellLanes,
  { from, to, unequal }: { from: number; to: number; unequal: number[] },
): void {
  for (let lane = from; lane < to; lane++) {
    const tag = aTags[lane - aLow];
    const isOther = tag !== bTags[lane - bLow];
    if (!isOther && aNumbers[lane - aLow] === bNumbers[lane - bLow]) continue;
    // The number of a blank lane has no meaning.
    if (isOther || tag !== 0) unequal.push(lane);
  }
}

function filledLanes(
  { low, tags }: CellLanes,
  [from, to]: readonly [number, number],
  found: number[],
): void {
  const end = Math.min(to, low + tags.length);
  for (let lane = Math.max(from, low); lane < end; lane++) {
    if (tags[lane - low] !== cellTag.blank) found.push(lane);
  }
}
