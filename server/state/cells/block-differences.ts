import type { BlockPlace, HeldBlock, LineKey } from './held-block.ts';
import type { LineId } from '../ids/order.ts';
import type { HeldColumn, SheetCells } from './sheet-cells.ts';

/** Cells of one column and up to 1,024 rows that two sides may not hold alike; nothing was read. */
export interface BlockDifference {
  readonly column: LineId;
  readonly place: BlockPlace;
  readonly from: HeldBlock | undefined;
  readonly to: HeldBlock | undefined;
}

/**
 * Yields the blocks that are not known to be equal, at a cost of the differences alone: columns and
 * blocks that both sides share, or that have equal hashes, are passed over unread.
 */
export function* blockDifferences(
  from: SheetCells | undefined,
  to: SheetCells | undefined,
): Generator<BlockDifference> {
  for (const [was, is] of differing<HeldColumn>(from?.columns, to?.columns)) {
    yield* inColumn(was, is);
  }
}

function* inColumn(
  was: HeldColumn | undefined,
  is: HeldColumn | undefined,
): Generator<BlockDifference> {
  const column = (was ?? is)?.id;
  for (const [from, to] of differing<HeldBlock>(was?.blocks, is?.blocks)) {
    const place = (from ?? to)?.place;
    if (column && place) yield { column, place, from, to };
  }
}

interface Hashed {
  readonly digest: Buffer | null | undefined;
}

/**
 * Yields the pair of items under each key, a side without one as undefined, except pairs that are
 * known to be the same.
 */
function* differing<Item extends Hashed>(
  from: ReadonlyMap<LineKey, Item> = new Map(),
  to: ReadonlyMap<LineKey, Item> = new Map(),
): Generator<readonly [Item | undefined, Item | undefined]> {
  for (const [key, item] of from) {
    const other = to.get(key);
    if (item !== other && !isEqual(item.digest, other?.digest)) yield [item, other];
  }
  for (const [key, item] of to) if (!from.has(key)) yield [undefined, item];
}

/**
 * Returns whether both hashes are known and equal; null is the hash of an item that holds nothing.
 */
function isEqual(a: Buffer | null | undefined, b: Buffer | null | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a === b || (a !== null && b !== null && a.equals(b));
}
