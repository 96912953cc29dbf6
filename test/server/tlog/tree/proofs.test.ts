import * as fc from 'fast-check';
import t from 'tap';

import { AuthenticTiles } from '../../../../server/tlog/tree/authentic-tiles.ts';
import { planConsistency, planInclusion } from '../../../../server/tlog/tree/proof-plan.ts';
import { buildProof } from '../../../../server/tlog/tree/proof-plan.ts';
import { formatTilePath, type TileName } from '../../../../server/tlog/tree/tile-name.ts';
import { Tile } from '../../../../server/tlog/tree/tile.ts';
import {
  verifyConsistency,
  verifyInclusion,
  type TreeHead,
} from '../../../../server/tlog/tree/verify.ts';
import { caseCount } from '../../../support/case-count.ts';
import { changedBytes, hasher, LogDouble, numberedEntries } from '../../../support/log-double.ts';
import { Rfc6962 } from '../../../support/rfc6962.ts';

const entryCount = 66_000;
const entries = numberedEntries(entryCount);
const reference = new Rfc6962(entries);
const log = new LogDouble();

// Every partial width the tests read is there: a log keeps those of each published size.
const knownSizes = new Map<number, TreeHead>();
const boundaries = [255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 65_793, 66_000];
for (const size of [...Array.from({ length: 140 }, (_, n) => n), ...boundaries]) {
  knownSizes.set(size, log.grow(entries.slice(log.entries.length, size)));
}

function headOf(size: number): TreeHead {
  const head = knownSizes.get(size);
  if (!head) throw new Error(`there is no head of ${size}`);
  return head;
}

const known = new Map<string, Tile>();

function tileOf(name: TileName): Tile {
  const path = formatTilePath(name);
  const tile = known.get(path) ?? new Tile(hasher, name, log.readTile(name));
  known.set(path, tile);
  return tile;
}

function inclusion(index: number, size: number): Uint8Array[] {
  const plan = planInclusion(index, size);
  return buildProof(hasher, plan, plan.tiles.map(tileOf));
}

function consistency(old: number, size: number): Uint8Array[] {
  const plan = planConsistency(old, size);
  return buildProof(hasher, plan, plan.tiles.map(tileOf));
}

function leafOf(index: number): { hash: Uint8Array; index: number } {
  return { hash: hasher.leaf(entries[index] ?? new Uint8Array()), index };
}

/**
 * Returns whether it ends with a ProofFault: an assertion for each of thousands takes longer than
 * the proofs.
 */
function isRefused(verify: () => void): boolean {
  try {
    verify();
    return false;
  } catch (error) {
    return error instanceof Error && error.name === 'ProofFault';
  }
}

/** One of the hashes with one byte changed, in every way. */
function* changes(
  parts: readonly Uint8Array[],
): Generator<{ readonly place: number; readonly changed: Uint8Array }> {
  for (const [place, part] of parts.entries()) {
    for (const changed of changedBytes(part)) yield { place, changed };
  }
}

t.test('all proofs in small trees are those of the RFC, and verify', async (t) => {
  const wrong: string[] = [];
  for (let size = 1; size <= 70; size++) {
    for (let index = 0; index < size; index++) {
      const proof = inclusion(index, size);
      const expected = reference.path(index, 0, size);
      if (!Buffer.concat(proof).equals(Buffer.concat(expected))) wrong.push(`${index} ${size}`);
      verifyInclusion(hasher, leafOf(index), headOf(size), proof);
    }
    for (let old = 1; old <= size; old++) {
      const proof = consistency(old, size);
      const expected = reference.proof(old, size);
      if (!Buffer.concat(proof).equals(Buffer.concat(expected))) wrong.push(`${old} ${size}`);
      verifyConsistency(hasher, headOf(old), headOf(size), proof);
    }
  }
  t.same(wrong, []);
});

const anySize = fc.oneof(fc.constantFrom(...boundaries), fc.integer({ min: 1, max: 139 }));

t.test('proofs across tiles are those of the RFC, and verify', async (t) => {
  fc.assert(
    fc.property(anySize, fc.maxSafeNat(), (size, any) => {
      const index = any % size;
      const proof = inclusion(index, size);
      t.ok(Buffer.concat(proof).equals(Buffer.concat(reference.path(index, 0, size))));
      verifyInclusion(hasher, leafOf(index), headOf(size), proof);
    }),
    { numRuns: caseCount(200) },
  );
  fc.assert(
    fc.property(anySize, anySize, (one, other) => {
      const [old, size] = one < other ? [one, other] : [other, one];
      const proof = consistency(old, size);
      t.ok(Buffer.concat(proof).equals(Buffer.concat(reference.proof(old, size))));
      verifyConsistency(hasher, headOf(old), headOf(size), proof);
    }),
    { numRuns: caseCount(200) },
  );
});

t.test('a proof needs few tiles', async (t) => {
  let most = 0;
  for (let round = 0; round < 1_000; round++) {
    const index = (round * 7_919) % 65_793;
    most = Math.max(most, planInclusion(index, 65_793).tiles.length);
  }
  // Its own tile of each level, and the partial ones.
  t.ok(most <= 2 * 3, `${most} tiles`);
});

t.test('a proof of inclusion does for its leaf, place and tree alone', async (t) => {
  for (const [index, size] of [
    [0, 1],
    [0, 2],
    [6, 7],
    [3, 7],
    [255, 257],
    [256, 257],
    [65_536, 65_537],
    [300, 65_793],
  ] as const) {
    const tree = headOf(size);
    const leaf = leafOf(index);
    const proof = inclusion(index, size);
    verifyInclusion(hasher, leaf, tree, proof);
    const refuse = (
      what: string,
      given: { leaf?: typeof leaf; tree?: TreeHead; proof?: Uint8Array[] },
    ): void => {
      const verify = (): void =>
        verifyInclusion(hasher, given.leaf ?? leaf, given.tree ?? tree, given.proof ?? proof);
      if (!isRefused(verify)) t.fail(`${index} in ${size}: ${what}`);
    };
    for (let other = Math.max(0, index - 40); other < index + 40; other++) {
      if (other !== index) refuse(`as leaf ${other}`, { leaf: { ...leaf, index: other } });
    }
    refuse('no such leaf', { leaf: { ...leaf, index: size } });
    // Other sizes may have the same way: that a root belongs to a size, the checkpoint says.
    refuse('a tree that ends before it', { tree: { ...tree, size: index } });
    refuse('an empty tree', { tree: { size: 0, root: hasher.empty() } });
    refuse('a hash more', { proof: [...proof, hasher.empty()] });
    refuse('a hash before', { proof: [hasher.empty(), ...proof] });
    if (proof.length > 0) refuse('a hash less', { proof: proof.slice(0, -1) });
    if (proof.length > 0) refuse('the first is missing', { proof: proof.slice(1) });
    if (proof.length > 1) refuse('in reverse', { proof: proof.toReversed() });
    refuse('a short hash', { proof: [...proof, new Uint8Array(31)] });
    refuse('a short root', { tree: { size, root: tree.root.subarray(1) } });
  }
});

t.test('every changed byte of a proof of inclusion is noticed', async (t) => {
  for (const [index, size] of [
    [2, 7],
    [255, 257],
    [65_536, 65_793],
  ] as const) {
    const tree = headOf(size);
    const leaf = leafOf(index);
    const parts = [leaf.hash, tree.root, ...inclusion(index, size)];
    for (const { place, changed } of changes(parts)) {
      const [hash = changed, root = changed, ...proof] = parts.with(place, changed);
      const verify = (): void => verifyInclusion(hasher, { index, hash }, { size, root }, proof);
      if (!isRefused(verify)) t.fail(`${index} in ${size}: hash ${place}`);
    }
  }
});

t.test('every changed byte of a proof of consistency is noticed', async (t) => {
  for (const [old, size] of [
    [1, 2],
    [3, 7],
    [4, 7],
    [256, 512],
    [257, 65_537],
  ] as const) {
    const parts = [headOf(old).root, headOf(size).root, ...consistency(old, size)];
    for (const { place, changed } of changes(parts)) {
      const [oldRoot = changed, root = changed, ...proof] = parts.with(place, changed);
      const verify = (): void =>
        verifyConsistency(hasher, { size: old, root: oldRoot }, { size, root }, proof);
      if (!isRefused(verify)) t.fail(`${old} to ${size}: hash ${place}`);
    }
  }
});

t.test('a proof of consistency does for its two trees alone', async (t) => {
  const verify = (old: TreeHead, tree: TreeHead, proof: Uint8Array[]) => (): void =>
    verifyConsistency(hasher, old, tree, proof);
  const fault = { name: 'ProofFault' };
  const pairs = [
    [3, 7],
    [4, 7],
    [6, 8],
    [255, 256],
    [256, 257],
    [65_536, 65_537],
  ] as const;
  for (const [old, size] of pairs) {
    const proof = consistency(old, size);
    t.throws(verify(headOf(old), headOf(size), [...proof, hasher.empty()]), fault);
    t.throws(verify(headOf(old), headOf(size), [hasher.empty(), ...proof]), fault);
    t.throws(verify(headOf(old), headOf(size), proof.slice(0, -1)), fault);
    t.throws(verify(headOf(old), headOf(size), []), fault);
    t.throws(verify({ ...headOf(old), size: old - 1 }, headOf(size), proof), fault);
    t.throws(verify({ ...headOf(old), size: old + 1 }, headOf(size), proof), fault);
  }
  t.throws(verify(headOf(7), headOf(3), consistency(3, 7)), fault, 'a rollback');
});

t.test('equal sizes have equal roots, and everything begins with nothing', async (t) => {
  const empty = { size: 0, root: hasher.empty() };
  const fault = { name: 'ProofFault' };
  verifyConsistency(hasher, empty, empty, []);
  verifyConsistency(hasher, empty, headOf(7), []);
  verifyConsistency(hasher, headOf(7), headOf(7), []);
  const other = { size: 7, root: headOf(6).root };
  t.throws(() => verifyConsistency(hasher, headOf(7), other, []), fault, 'a fork');
  t.throws(() => verifyConsistency(hasher, headOf(7), headOf(7), [hasher.empty()]), fault);
  t.throws(() => verifyConsistency(hasher, empty, headOf(7), [hasher.empty()]), fault);
  t.throws(() => verifyConsistency(hasher, { size: 0, root: other.root }, headOf(7), []), fault);
});

t.test('what cannot be asked for is an error of the caller', async (t) => {
  const wrong = [
    [-1, 7],
    [7, 7],
    [0, 0],
    [0.5, 7],
    [Number.NaN, 7],
    [0, 2 ** 53],
  ] as const;
  for (const [index, size] of wrong) {
    t.throws(() => planInclusion(index, size), { name: 'RangeError' }, `${index} of ${size}`);
  }
  for (const [old, size] of [
    [8, 7],
    [-1, 7],
    [1.5, 7],
    [0, 2 ** 53],
  ] as const) {
    t.throws(() => planConsistency(old, size), { name: 'RangeError' }, `${old} to ${size}`);
  }
  const tiles = new AuthenticTiles(hasher, log, headOf(7));
  await t.rejects(tiles.proveInclusion(7), { name: 'RangeError' });
});

t.test('plans are right where trees are larger than 32 bits count', async (t) => {
  const size = 2 ** 50 + 5;
  const last = { level: 0, index: 2 ** 42, width: 5 };
  t.same(planInclusion(2 ** 50 + 4, size), {
    tiles: [last, { level: 6, index: 0, width: 4 }],
    hashes: [[{ tile: 0, height: 2, position: 0 }], [{ tile: 1, height: 2, position: 0 }]],
  });
  t.same(planConsistency(2 ** 50, size), {
    tiles: [last],
    hashes: [
      [
        { tile: 0, height: 2, position: 0 },
        { tile: 0, height: 0, position: 4 },
      ],
    ],
  });
  t.equal(planInclusion(0, size).hashes.length, 51);
});
