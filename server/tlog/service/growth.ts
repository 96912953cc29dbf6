import { concatBytes } from '../encoding/bytes.ts';
import { hasher } from '../statements/statement-row.ts';
import { TreeEdge, type TileContent } from '../tree/edge.ts';
import { encodeBundle } from '../tree/entry-bundle.ts';
import { edgeTiles } from '../tree/tile-layout.ts';
import { formatBundlePath, formatTilePath, fullWidth } from '../tree/tile-name.ts';
import type { TreeHead } from '../tree/verify.ts';
import type { LogEntry } from './sql.ts';
import type { LogFile } from './tile-store.ts';
import { hashBytes } from '../tree/hasher.ts';

/** Returns the first entry of the bundle to which the first new entry is added. */
export function bundleStart(size: number): number {
  return size - (size % fullWidth);
}

/**
 * Appends entries to a tree and returns the resulting files, bundles first. They depend only on the
 * entries, so repetitions and concurrent calls make the same.
 */
export function growTree(edge: TreeEdge, entries: readonly LogEntry[]): LogFile[] {
  const oldSize = edge.size;
  const start = bundleStart(oldSize);
  const fresh = entries.slice(oldSize - start).map(({ leafHash }) => leafHash);
  const tiles = edge.grow(fresh).map(fileOf);
  const bundles: LogFile[] = [];
  for (let at = 0; at < entries.length; at += fullWidth) {
    const part = entries.slice(at, at + fullWidth);
    const name = { index: (start + at) / fullWidth, width: part.length };
    const bytes = encodeBundle(part.map(({ entry }) => entry));
    bundles.push({ path: formatBundlePath(name), bytes });
  }
  return [...bundles, ...tiles];
}

function fileOf({ name, bytes }: TileContent): LogFile {
  return { path: formatTilePath(name), bytes };
}

export function packEdge(edge: TreeEdge): Uint8Array {
  return concatBytes(edge.partialTiles().map(({ bytes }) => bytes));
}

/** Fails unless these partial tiles have the root of the tree. */
export function unpackEdge(tree: TreeHead, packed: Uint8Array): TreeEdge {
  const starts = new Map<number, number>();
  let at = 0;
  for (const { level, width } of edgeTiles(tree.size)) {
    starts.set(level, at);
    at += width * hashBytes;
  }
  return TreeEdge.open(hasher, tree, ({ level, width }) => {
    const start = starts.get(level) ?? 0;
    return packed.subarray(start, start + width * hashBytes);
  });
}
