import type { BlockPlace, HeldBlock, LineKey } from './held-block.ts';
import type { LineId } from '../ids/order.ts';
import type { HeldColumn } from './cell-column.ts';
import type { SheetCells } from './sheet-cells.ts';

/** A block of one column that may differ between two sides; it is not unpacked yet. */
export interface BlockDifference {
  readonly column: LineId;
  readonly place: BlockPlace;
  readonly from: HeldBlock | undefined;
  readonly to: HeldBlock | undefined;
}

/**
 * Yields the blocks that may differ. Columns and blocks that both sides share, or that have equal
 * hashes, are skipped without unpacking, so the cost depends on the differences only.
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
 * Yields the pair of items under each key (undefined on a side without one), except pairs known to
 * be equal.
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
