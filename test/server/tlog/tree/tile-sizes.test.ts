import t from 'tap';

import { TreeEdge } from '../../../../server/tlog/tree/edge.ts';
import { RootBuilder } from '../../../../server/tlog/tree/root.ts';
import { edgeTiles, tilesOfGrowth } from '../../../../server/tlog/tree/tile-layout.ts';
import { tilesOfTree, tileWidth } from '../../../../server/tlog/tree/tile-layout.ts';
import { formatTilePath, type TileName } from '../../../../server/tlog/tree/tile-name.ts';
import { hasher, LogDouble, numberedEntries } from '../../../support/log-double.ts';
import { Rfc6962 } from '../../../support/rfc6962.ts';

/** Runs long: a tree grows through 65,800 entries. */

/** Around every size at which a tile becomes full or a level begins. */
const sizes = [0, 1, 2, 255, 256, 257, 511, 512, 513, 65_280, 65_535, 65_536, 65_537];
const sizeMost = 65_800;

const entries = numberedEntries(sizeMost);
const reference = new Rfc6962(entries);

/** A tile as its definition has it: each hash is the root over its own entries. */
function definedTile({ level, index, width }: TileName): Buffer {
  const span = 256 ** level;
  const hashes = Array.from({ length: width }, (_, position) => {
    const first = (index * 256 + position) * span;
    return reference.root(first, first + span);
  });
  return Buffer.concat(hashes);
}

function paths(names: Iterable<TileName>): string[] {
  return [...names].map(formatTilePath).toSorted();
}

t.test('a tree of each size has the tiles and the root of the definition', async (t) => {
  for (const size of sizes) {
    const log = new LogDouble();
    const { root } = log.grow(entries.slice(0, size));
    t.same(root, reference.root(0, size), `root of ${size}`);
    const tiles = [...log.files.keys()].filter((path) => !path.includes('entries'));
    t.same(tiles.toSorted(), paths(tilesOfTree(size)), `tiles of ${size}`);
    const wrong = [...tilesOfTree(size)].filter(
      (name) => !definedTile(name).equals(log.readTile(name)),
    );
    t.same(wrong, [], `every tile of ${size} is as defined`);
  }
});

t.test('the tiles of the sizes in the specification are those', async (t) => {
  t.same(paths(tilesOfTree(0)), []);
  t.same(paths(tilesOfTree(256)), ['tile/0/000', 'tile/1/000.p/1']);
  t.same(paths(tilesOfTree(257)), ['tile/0/000', 'tile/0/001.p/1', 'tile/1/000.p/1']);
  t.same(paths(tilesOfTree(300)), ['tile/0/000', 'tile/0/001.p/44', 'tile/1/000.p/1']);
  const large = paths(tilesOfTree(70_000));
  t.equal(large.filter((path) => /^tile\/0\/\d{3}$/.test(path)).length, 273);
  t.same(
    large.filter((path) => !/^tile\/0\/\d{3}$/.test(path)),
    ['tile/0/273.p/112', 'tile/1/000', 'tile/1/001.p/17', 'tile/2/000.p/1'],
  );
});

t.test('a tree that grows step by step is the one that grew at once', async (t) => {
  const steps = [0, 1, 1, 2, 255, 256, 257, 300, 511, 512, 513, 1_000, 65_535, 65_536, 65_537];
  const log = new LogDouble();
  const edge = new TreeEdge(hasher);
  let old = 0;
  for (const size of steps) {
    log.grow(entries.slice(old, size));
    const grown = edge.grow(entries.slice(old, size).map((entry) => hasher.leaf(entry)));
    const names = grown.map(({ name }) => name);
    t.same(paths(names), paths(tilesOfGrowth(old, size)), `tiles from ${old} to ${size}`);
    t.same(edge.root(), reference.root(0, size), `root of ${size}`);
    const wrong = grown.filter(({ name, bytes }) => !definedTile(name).equals(bytes));
    t.same(wrong, [], `every new tile of ${size} is as defined`);
    t.same(paths(edgeTiles(size)), paths([...tilesOfTree(size)].filter((n) => n.width < 256)));
    old = size;
  }
});

t.test('a tree is taken up again from its partial tiles', async (t) => {
  const log = new LogDouble();
  for (const size of sizes) {
    const tree = log.grow(entries.slice(log.entries.length, size));
    const edge = TreeEdge.open(hasher, tree, (name) => log.readTile(name));
    const next = Math.min(size + 300, sizeMost);
    const grown = edge.grow(entries.slice(size, next).map((entry) => hasher.leaf(entry)));
    t.equal(edge.size, next);
    t.same(edge.root(), reference.root(0, next), `from ${size} to ${next}`);
    t.same(paths(grown.map(({ name }) => name)), paths(tilesOfGrowth(size, next)));
    const wrong = grown.filter(({ name, bytes }) => !definedTile(name).equals(bytes));
    t.same(wrong, []);
  }
});

t.test('a root that is built leaf by leaf is the one of the definition', async (t) => {
  const builder = new RootBuilder(hasher);
  const wrong: number[] = [];
  for (let size = 0; size <= 1_030; size++) {
    if (!reference.root(0, size).equals(builder.root())) wrong.push(size);
    builder.push(hasher.leaf(entries[size] ?? new Uint8Array()));
  }
  t.same(wrong, []);
});

t.test('partial tiles of another tree are not taken up', async (t) => {
  const log = new LogDouble();
  const tree = log.grow(entries.slice(0, 300));
  const other = new LogDouble();
  other.grow(numberedEntries(301).slice(1));
  const open = (size: number, source: LogDouble): TreeEdge =>
    TreeEdge.open(hasher, { ...tree, size }, (name) => source.readTile(name));
  t.throws(() => open(300, other), { name: 'ProofFault' });
  t.throws(() => TreeEdge.open(hasher, { size: 0, root: tree.root }, () => new Uint8Array()), {
    name: 'ProofFault',
  });
  t.equal(open(300, log).size, 300);
});

t.test('widths stay right where the tree is larger than 32 bits count', async (t) => {
  const size = 2 ** 52 + 3 * 2 ** 40 + 257;
  t.equal(tileWidth({ level: 0, index: (size - 1) / 256 }, size), 1);
  t.same(edgeTiles(size), [
    { level: 0, index: (size - 1) / 256, width: 1 },
    { level: 1, index: (size - 257) / 65_536, width: 1 },
    { level: 5, index: 16, width: 3 },
    { level: 6, index: 0, width: 16 },
  ]);
});
