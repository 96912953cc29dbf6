import t from 'tap';

import { genesisHash, SegmentWriter } from '../../../server/branches/segment.ts';
import type { FoundFault } from '../../../server/maintenance/verify/fault.ts';
import { failureOf } from '../../support/failure-of.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { recordsOf, StoredWorkbook, type BranchRows } from '../../support/stored-workbook.ts';

/** Runs long: a store is damaged in every place in turn. */

const set = (a1: string, input: unknown, id?: string) => ({
  kind: 'cells.set',
  payload: { sheet: 'One', cells: [{ a1, input }] },
  ...(id !== undefined && { id }),
});

/**
 * main: 1-3, 4-5 and 6-7 sealed in two objects, 8-9 and 10 not; snapshots at 3 and 9, commits at 5
 * and 10. `middle` begins at main@5 and is sealed whole, `leaf` begins in it, `empty` in nothing new.
 */
async function build(): Promise<StoredWorkbook> {
  const book = new StoredWorkbook();
  const main = book.begin('main');
  main.write({ kind: 'sheet.add', payload: { name: 'One' } }, set('A1', 1, 'x1'), set('B2', '=A1'));
  await main.snapshot();
  main.write(set('C3', 'text', 'x2'), { kind: 'commit', payload: { message: 'first', tag: 'v1' } });
  await main.seal();
  const middle = main.fork('middle', 5);
  main.write(set('A2', 2), { kind: 'rows.insert', payload: { sheet: 'One', before: 1 } });
  await main.seal();
  main.write(set('A1', 3), set('A9', '=SUM(A1:A5)'));
  await main.snapshot();
  main.write({ kind: 'commit', payload: { message: '' } });
  middle.write(set('A1', 'other'), set('D4', true));
  await middle.seal();
  await middle.snapshot();
  const leaf = middle.fork('leaf', 1);
  leaf.write(set('A1', 'leaf'));
  leaf.fork('empty', 0);
  return book;
}

async function firstBad(book: StoredWorkbook): Promise<FoundFault | null> {
  return (await book.verify()).firstBad;
}

function flip(bytes: Uint8Array, at: number, mask: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ mask;
  return flipped;
}

const whole = await build();
const [firstLog = '', secondLog = ''] = whole.places.filter((place) => place.startsWith('log/1/'));

t.test('a workbook that is as it was written is ok', async (t) => {
  const found = await whole.verify();
  t.equal(found.firstBad, null);
  t.equal(found.unlisted, 0);
  t.match(found.branches, [
    { branch: 'main', head: 10, deleted: false, stateHash: /^[0-9a-f]{64}$/ },
    { branch: 'middle', head: 2 },
    { branch: 'leaf', head: 1 },
    { branch: 'empty', head: 0 },
  ]);
  t.same(
    found.branches.map(({ checked }) => checked),
    [
      { segments: 5, ops: 10, sealed: 2, snapshots: 2, commits: 2 },
      { segments: 1, ops: 2, sealed: 1, snapshots: 1, commits: 0 },
      { segments: 1, ops: 1, sealed: 0, snapshots: 0, commits: 0 },
      { segments: 0, ops: 0, sealed: 0, snapshots: 0, commits: 0 },
    ],
  );
  t.equal(found.packs, whole.places.filter((place) => place.startsWith('pack/')).length);
  t.ok(found.nodes > 20);
});

t.test('one branch is looked at with those it begins in', async (t) => {
  const { branches, unlisted } = await whole.verify('leaf');
  t.same(
    branches.map(({ branch }) => branch),
    ['main', 'middle', 'leaf'],
  );
  t.equal(unlisted, null);
  t.match(await failureOf(() => whole.verify('none')), { key: 'branchNotFound' });
});

t.test('rows whose operations are sealed may be gone, and the lists of objects too', async (t) => {
  const hashes = (await whole.verify()).branches.map(({ stateHash }) => stateHash);
  for (const goneThrough of [3, 5, 7]) {
    const book = whole.copy();
    const main = book.branch(1);
    main.hot = main.hot.filter(({ lastSeq }) => lastSeq > goneThrough);
    const found = await book.verify();
    t.equal(found.firstBad, null);
    t.same(
      found.branches.map(({ stateHash }) => stateHash),
      hashes,
    );
    main.sealed = [];
    main.snapshots = [];
    const listed = await book.verify();
    t.equal(listed.firstBad, null);
    t.equal(listed.unlisted, 4);
  }
});

t.test('what a crash left in the store is counted and no fault', async (t) => {
  const book = whole.copy();
  book.put('log/1/0000000000000008-0000000000000009', book.object(firstLog));
  book.put(`pack/${'0'.repeat(64)}`, Buffer.from('half a pack'));
  const found = await book.verify();
  t.equal(found.firstBad, null);
  t.equal(found.unlisted, 2);
});

/** All places of a small thing, and some of any other. */
function sampled(length: number, isSmall: boolean, random: SeededRandom): number[] {
  const all = Array.from({ length }, (_, at) => at);
  return isSmall ? all : all.filter(() => random.between(0, length) < 12);
}

t.test('every byte of every object counts', async (t) => {
  const random = new SeededRandom(7);
  const smallPack = whole.places
    .filter((place) => place.startsWith('pack/'))
    .toSorted((a, b) => whole.object(a).length - whole.object(b).length)[0];
  for (const place of whole.places) {
    const bytes = whole.object(place);
    const isSmall = place === firstLog || place === smallPack;
    const wrong: number[] = [];
    for (const at of sampled(bytes.length, isSmall, random)) {
      const book = whole.copy();
      book.put(place, flip(bytes, at, 1 << random.between(0, 7)));
      const bad = await firstBad(book);
      if (bad?.where !== place || bad.what !== 'damaged') wrong.push(at);
    }
    t.same(wrong, [], `${place}: ${isSmall ? 'all' : 'some'} of ${bytes.length} bytes`);
  }
});

t.test('an object that is cut off, empty, or not there is named', async (t) => {
  for (const place of whole.places) {
    const bytes = whole.object(place);
    for (const part of [bytes.subarray(0, -1), bytes.subarray(0, 36), Buffer.alloc(0)]) {
      const book = whole.copy();
      book.put(place, part);
      t.match(await firstBad(book), { where: place, what: 'damaged' });
    }
    const book = whole.copy();
    book.put(place, undefined);
    t.match(await firstBad(book), { where: place, what: 'missing' });
  }
});

t.test('objects that stand in for one another are named', async (t) => {
  const book = whole.copy();
  book.put(firstLog, whole.object(secondLog));
  book.put(secondLog, whole.object(firstLog));
  t.match(await firstBad(book), { where: firstLog, what: 'misplaced', branchNo: 1, seq: 1 });
  const later = whole.copy();
  later.put(secondLog, whole.object(firstLog));
  t.match(await firstBad(later), { where: secondLog, what: 'misplaced', seq: 6 });
  const snapshots = whole.places.filter((place) => place.startsWith('snapshot/1/'));
  const older = whole.copy();
  older.put(snapshots[1] ?? '', whole.object(snapshots[0] ?? ''));
  t.match(await firstBad(older), { where: snapshots[1], what: 'wrong_snapshot', seq: 9 });
});

const bytesOfRow = ['body', 'hash', 'previousHash'] as const;
type Member = (typeof bytesOfRow)[number];

t.test('every byte of every row of the journal counts', async (t) => {
  const random = new SeededRandom(8);
  const rows = whole.branches.flatMap(({ branchNo, hot }) =>
    hot.map((segment, index) => ({ branchNo, segment, index })),
  );
  const spoilt = async (place: (typeof rows)[number], member: Member, at: number) => {
    const book = whole.copy();
    const damaged = row(book.branch(place.branchNo), place.index);
    damaged[member] = flip(damaged[member], at, 1 << random.between(0, 7));
    return firstBad(book);
  };
  for (const place of rows) {
    const { branchNo, segment } = place;
    const flips = bytesOfRow.flatMap((member) =>
      sampled(segment[member].length, branchNo === 3, random).map((at) => ({ member, at })),
    );
    const wrong: unknown[] = [];
    for (const { member, at } of flips) {
      const bad = await spoilt(place, member, at);
      const where = `postgres:segment/${branchNo}/${segment.firstSeq}`;
      if (bad?.where !== where || bad.what !== 'damaged') wrong.push({ member, at });
    }
    t.same(wrong, [], `branch ${branchNo}, operation ${segment.firstSeq}: ${flips.length} bytes`);
  }
});

/** Each changes one thing of main, and says where that has to be found. */
const changes: readonly [what: string, where: string, change: (main: BranchRows) => void][] = [
  ['missing', 'segment/1/8', (main) => void main.hot.splice(3, 1)],
  ['missing', 'segment/1/10', (main) => void main.hot.pop()],
  ['missing', 'segment/1/4', (main) => void main.hot.splice(1, 1)],
  ['misplaced', 'segment/1/8', (main) => main.hot.splice(3, 1, { ...row(main, 3), lastSeq: 8 })],
  ['misplaced', 'segment/1/9', (main) => main.hot.splice(3, 1, { ...row(main, 3), firstSeq: 9 })],
  ['wrong_head', 'branch/1', (main) => void (main.head = 9)],
  ['wrong_head', 'branch/1', (main) => void (main.head = 11)],
  ['wrong_head', 'branch/1', (main) => void (main.headHash = flip(main.headHash, 31, 128))],
  ['damaged', 'segment/1/1', (main) => void (row(main, 0).hash = genesisHash)],
  ['missing', 'sealed_segment/1/8', (main) => void (main.sealedSeq = 8)],
  ['wrong_head', 'branch/1', (main) => void (main.sealedSeq = 5)],
  ['wrong_entry', 'sealed_segment/1/6', (main) => void (sealed(main, 1).byteCount += 1)],
  ['wrong_entry', 'sealed_segment/1/6', (main) => void (sealed(main, 1).lastSeq = 6)],
  ['wrong_entry', 'sealed_segment/1/1', (main) => void (sealed(main, 0).objectKey += '0')],
  ['wrong_entry', 'snapshot/1/9', (main) => void (snapshot(main, 1).root = genesisHash)],
  ['wrong_entry', 'snapshot/1/4', (main) => void (snapshot(main, 0).seq = 4)],
  ['wrong_entry', 'snapshot/1/3', (main) => void (snapshot(main, 0).objectKey = 'wb/wb_2/x')],
];

function row({ hot }: BranchRows, index: number) {
  const found = hot[index];
  if (!found) throw new Error(`no row ${index}`);
  return found;
}

function sealed(main: BranchRows, index: number) {
  const found = main.sealed[index];
  if (!found) throw new Error(`no sealed row ${index}`);
  return found;
}

function snapshot(main: BranchRows, index: number) {
  const found = main.snapshots[index];
  if (!found) throw new Error(`no snapshot ${index}`);
  return found;
}

t.test('rows that say something else than the journal are named', async (t) => {
  for (const [what, where, change] of changes) {
    const book = whole.copy();
    change(book.branch(1));
    const bad = await firstBad(book);
    t.match(bad, { what, where: `postgres:${where}` }, `${what} ${where}: ${change.toString()}`);
  }
});

t.test('rows of the journal that were exchanged are named', async (t) => {
  const book = whole.copy();
  const { hot } = book.branch(1);
  const [third, fourth] = [row(book.branch(1), 2), row(book.branch(1), 3)];
  const { body, hash, previousHash } = fourth;
  hot[3] = { ...fourth, body: third.body, hash: third.hash, previousHash: third.previousHash };
  hot[2] = { ...third, body, hash, previousHash };
  t.match(await firstBad(book), { where: 'postgres:segment/1/6', what: 'broken_chain', seq: 6 });
});

t.test('a journal that was written anew behind its own chain is found', async (t) => {
  const forge = (branchNo: number): { book: StoredWorkbook; branch: BranchRows; hash: Buffer } => {
    const book = whole.copy();
    const branch = book.branch(branchNo);
    const last = row(branch, branch.hot.length - 1);
    const [record] = recordsOf(last);
    if (!record) throw new Error('no record');
    const writer = new SegmentWriter(last.firstSeq, last.previousHash);
    writer.append({ ...record, writer: 'somebody else' });
    branch.hot[branch.hot.length - 1] = { ...writer.close() };
    return { book, branch, hash: writer.hash };
  };
  const leaf = forge(3);
  const bad = await firstBad(leaf.book);
  t.match(bad, { where: 'postgres:branch/3', what: 'wrong_head', seq: 1 });
  leaf.branch.headHash = leaf.hash;
  t.equal(await firstBad(leaf.book), null, 'all that only the log could tell');
  const main = forge(1);
  main.branch.headHash = main.hash;
  t.match(await firstBad(main.book), { where: 'postgres:branch_commit/1/10' });
});

t.test('commits and tags say what the journal says', async (t) => {
  const alterations: readonly [where: string, change: (main: BranchRows) => void][] = [
    ['branch_commit/1/5', (main) => void (main.commits = main.commits.slice(1))],
    ['branch_commit/1/10', (main) => void (main.commits = main.commits.slice(0, 1))],
    ['branch_commit/1/5', (main) => alter(main, { stateHash: genesisHash })],
    ['branch_commit/1/5', (main) => alter(main, { chainHash: genesisHash })],
    ['branch_commit/1/5', (main) => alter(main, { message: 'another' })],
    ['branch_commit/1/5', (main) => alter(main, { tag: 'v2' })],
    ['branch_commit/1/5', (main) => alter(main, { committedBy: 'agt_2' })],
    ['branch_commit/1/4', (main) => alter(main, { seq: 4 })],
    ['branch_commit/1/77', (main) => void (main.commits = [...main.commits, commitAt(77)])],
    ['commit_tag/v1', (main) => void (main.tags = [])],
    ['commit_tag/v1', (main) => void (main.tags = [{ tag: 'v1', seq: 4 }])],
    ['commit_tag/v2', (main) => void (main.tags = [...main.tags, { tag: 'v2', seq: 4 }])],
  ];
  for (const [where, change] of alterations) {
    const book = whole.copy();
    change(book.branch(1));
    const bad = await firstBad(book);
    t.match(bad, { where: `postgres:${where}`, what: 'wrong_commit' }, change.toString());
  }
  const unfinished = whole.copy();
  alter(unfinished.branch(1), { stateHash: null, chainHash: null });
  t.equal(await firstBad(unfinished), null, 'a commit that stopped before its hashes is none');
});

function alter(main: BranchRows, change: Partial<BranchRows['commits'][number]>): void {
  main.commits = main.commits.map((entry, index) =>
    index === 0 ? { ...entry, ...change } : entry,
  );
}

function commitAt(seq: number): BranchRows['commits'][number] {
  return { seq, tag: null, message: '', committedBy: 'x', stateHash: null, chainHash: null };
}

t.test('a branch begins in its parent, or it is named', async (t) => {
  const alterations: readonly ((middle: BranchRows) => void)[] = [
    (middle) => void (middle.baseHash = flip(middle.baseHash, 0, 1)),
    (middle) => void (middle.forkSeq = 4),
    (middle) => void (middle.forkSeq = 11),
    (middle) => void (middle.parentNo = 7),
    (middle) => void (middle.parentNo = 3),
  ];
  for (const change of alterations) {
    const book = whole.copy();
    change(book.branch(2));
    const { firstBad: bad, branches } = await book.verify();
    t.match(bad, { where: 'postgres:branch/2', what: 'wrong_fork' }, change.toString());
    t.match(branches, [{ branch: 'main' }, { stateHash: null }, { stateHash: null }, {}]);
  }
});

t.test('an operation that is written twice is named', async (t) => {
  const book = new StoredWorkbook();
  const main = book.begin('main');
  main.write({ kind: 'sheet.add', payload: { name: 'One' } }, set('A1', 1, 'same'));
  main.write(set('A1', 2, 'same'));
  const bad = await firstBad(book);
  t.match(bad, {
    where: 'postgres:segment/1/3',
    what: 'duplicate_id',
    seq: 3,
    hint: /operation 2/,
  });
});

t.test('a snapshot of another state is named, though all its hashes fit', async (t) => {
  const book = new StoredWorkbook();
  const main = book.begin('main');
  main.write({ kind: 'sheet.add', payload: { name: 'One' } }, set('A1', 1));
  const other = new StoredWorkbook();
  const theirs = other.begin('main');
  theirs.write({ kind: 'sheet.add', payload: { name: 'One' } }, set('A1', 2));
  await theirs.snapshot();
  for (const place of other.places) book.put(place, other.object(place));
  main.rows.snapshots.push(...theirs.rows.snapshots);
  t.match(await firstBad(book), { what: 'wrong_snapshot', where: /^snapshot\/1\/0+2$/ });
});

t.test('damage in several places is named by the first, whatever it is', async (t) => {
  const random = new SeededRandom(20_261);
  for (let round = 0; round < 30; round++) {
    const book = whole.copy();
    const places = whole.places.filter((place) => place.startsWith('log/'));
    const damaged = places.filter(() => random.between(0, 1) === 0);
    for (const place of damaged) {
      const bytes = whole.object(place);
      book.put(place, flip(bytes, random.between(0, bytes.length - 1), random.between(1, 255)));
    }
    t.equal((await firstBad(book))?.where, damaged[0], damaged.join(' '));
  }
});

t.test('what changes between two readings is no fault', async (t) => {
  const book = whole.copy();
  const main = book.branch(1);
  const { hot } = main;
  // As if rows were trimmed after the rows of the branch were read: the second reading is right.
  main.hot = hot.slice(2);
  let readings = 0;
  Object.defineProperty(main, 'sealedSeq', {
    get: () => (readings++ < 1 ? 8 : 7),
    enumerable: true,
  });
  t.equal(await firstBad(book), null);
  t.ok(readings > 1);
});
