import * as fc from 'fast-check';
import t from 'tap';

import { AuthenticTiles } from '../../../../server/tlog/tree/authentic-tiles.ts';
import { formatTilePath, parseLogPath } from '../../../../server/tlog/tree/tile-name.ts';
import { edgeTiles } from '../../../../server/tlog/tree/tile-layout.ts';
import {
  verifyConsistency,
  verifyInclusion,
  type TreeHead,
} from '../../../../server/tlog/tree/verify.ts';
import { caseCount } from '../../../support/case-count.ts';
import { hasher, LogDouble, numberedEntries } from '../../../support/log-double.ts';
import { Rfc6962 } from '../../../support/rfc6962.ts';

/** Reads the file at a path through the tiles. */
async function readFile(tiles: AuthenticTiles, path: string): Promise<void> {
  const { kind, name } = parseLogPath(path);
  if (kind === 'tile') await tiles.tile(name.level, name.index);
  else await tiles.entries(name.index);
}

/** Changes each so-manieth byte of every file, and answers those that nobody noticed. */
async function unnoticed(log: LogDouble, tree: TreeHead, step: number): Promise<string[]> {
  const missed: string[] = [];
  for (const [path, bytes] of log.files) {
    await readFile(new AuthenticTiles(hasher, log, tree), path);
    for (let at = 0; at < bytes.length; at += step) {
      log.files.set(path, Uint8Array.from(bytes).with(at, (bytes[at] ?? 0) ^ (1 << (at % 8))));
      const reading = readFile(new AuthenticTiles(hasher, log, tree), path);
      const failure = await reading.catch((error: unknown) => error);
      if (!(failure instanceof Error && failure.name.endsWith('Fault'))) {
        missed.push(`${path} ${at}`);
      }
    }
    log.files.set(path, bytes);
  }
  return missed;
}

t.test('every changed byte of a tile or a bundle is noticed', async (t) => {
  const small = new LogDouble();
  t.same(await unnoticed(small, small.grow(numberedEntries(21)), 1), []);
  const large = new LogDouble();
  t.same(await unnoticed(large, large.grow(numberedEntries(300)), 37), []);
});

t.test('tiles of a wrong length are noticed', async (t) => {
  const log = new LogDouble();
  const tree = log.grow(numberedEntries(300));
  for (const [path, bytes] of log.files) {
    for (const wrong of [
      bytes.subarray(1),
      bytes.subarray(0, -1),
      bytes.subarray(0, -32),
      new Uint8Array(),
      Buffer.concat([bytes, Buffer.alloc(1)]),
      Buffer.concat([bytes, Buffer.alloc(32)]),
    ]) {
      log.files.set(path, wrong);
      const reading = readFile(new AuthenticTiles(hasher, log, tree), path);
      await t.rejects(reading, { name: /Fault$/ }, `${path}: ${wrong.length}`);
    }
    log.files.set(path, bytes);
  }
});

t.test('tiles of random logs prove what the RFC says', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 600 }),
      fc.maxSafeNat(),
      fc.maxSafeNat(),
      async (entries, anyIndex, anyOld) => {
        const reference = new Rfc6962(entries);
        const log = new LogDouble();
        const old = log.grow(entries.slice(0, 1 + (anyOld % entries.length)));
        const tree = log.grow(entries.slice(old.size));
        t.same(tree.root, reference.root(0, tree.size));
        const tiles = new AuthenticTiles(hasher, log, tree);
        const index = anyIndex % tree.size;
        const inclusion = await tiles.proveInclusion(index);
        t.same(inclusion, reference.path(index, 0, tree.size));
        const leaf = { hash: await tiles.leafHash(index), index };
        verifyInclusion(hasher, leaf, tree, inclusion);
        const consistency = await tiles.proveConsistency(old.size);
        t.same(consistency, reference.proof(old.size, tree.size));
        verifyConsistency(hasher, old, tree, consistency);
        const bundle = await tiles.entries(Math.floor(index / 256));
        t.same(Buffer.from(bundle[index % 256] ?? ''), Buffer.from(entries[index] ?? ''));
      },
    ),
    { numRuns: caseCount(60) },
  );
});

t.test('tiles of another log do not have the root', async (t) => {
  const log = new LogDouble();
  const tree = log.grow(numberedEntries(300));
  const other = new LogDouble();
  other.grow(numberedEntries(301).slice(1));
  const tiles = new AuthenticTiles(hasher, other, tree);
  await t.rejects(tiles.proveInclusion(0), { name: 'ProofFault' });
  await t.rejects(tiles.proveConsistency(7), { name: 'ProofFault' });
  await t.rejects(tiles.entries(0), { name: 'ProofFault' });
});

t.test('a source that failed is asked again', async (t) => {
  const log = new LogDouble();
  const tree = log.grow(numberedEntries(300));
  const tiles = new AuthenticTiles(hasher, log, tree);
  const path = formatTilePath(edgeTiles(300)[0] ?? { level: 0, index: 0, width: 1 });
  const bytes = log.read(path);
  log.files.delete(path);
  await t.rejects(tiles.proveInclusion(299));
  log.files.set(path, bytes);
  const proof = await tiles.proveInclusion(299);
  verifyInclusion(hasher, { hash: await tiles.leafHash(299), index: 299 }, tree, proof);
});

t.test('there are no tiles beyond the tree', async (t) => {
  const log = new LogDouble();
  const tree = log.grow(numberedEntries(256));
  const tiles = new AuthenticTiles(hasher, log, tree);
  await t.rejects(tiles.tile(0, 1), { name: 'RangeError' });
  await t.rejects(tiles.tile(2, 0), { name: 'RangeError' });
  await t.rejects(tiles.entries(1), { name: 'RangeError' });
});
