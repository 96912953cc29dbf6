import { HeldBlock, type LineKey, type Owner, type UnreadBlock } from './held-block.ts';
import type { LineId } from '../ids/order.ts';

/** One column, to be read only; the same object has the same cells. */
export interface HeldColumn {
  readonly id: LineId;
  readonly blocks: ReadonlyMap<LineKey, HeldBlock>;
  readonly digest: Buffer | null | undefined;
}

export interface CellColumn extends HeldColumn {
  readonly owner: Owner;
  readonly blocks: Map<LineKey, HeldBlock>;
  /** Grows whenever something may be written; never hashed. */
  writeCount: number;
  /** Hash of the stored form; undefined once a block changed, null when there is none to store. */
  digest: Buffer | null | undefined;
}

/** Owns what was read from storage. */
const storedOwner: Owner = Symbol('stored');

/** Returns a column of blocks that belong to nobody: whoever writes copies them. */
export function storedColumn(
  id: LineId,
  blocks: Iterable<HeldBlock>,
  digest: Buffer | null | undefined,
): CellColumn {
  const keyed = new Map(Array.from(blocks, (held) => [held.spot.key, held]));
  return { owner: storedOwner, id, blocks: keyed, writeCount: 0, digest };
}

/** Returns a block of such a column, to be read when somebody needs it. */
export function unreadBlock(column: LineId, unread: UnreadBlock): HeldBlock {
  const key = lineKey(unread.place, unread.place.index);
  return HeldBlock.unread(storedOwner, { column, key }, unread);
}

/** Returns the key of a column by its offset, or of a block by its index. */
export function lineKey(run: { branch: number; sequence: number }, offset: number): LineKey {
  return run.branch === 0 ? offset : lineText(run, offset);
}

export function lineText(run: { branch: number; sequence: number }, offset: number): string {
  return `${run.branch}.${run.sequence}.${offset}`;
}
