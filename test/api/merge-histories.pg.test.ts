import t from 'tap';

import { BranchPlayer } from '../support/branch-player.ts';
import { branchHistory } from '../support/branch-histories.ts';
import { caseCount } from '../support/case-count.ts';
import { makeBook } from '../support/merged-book.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

// Random histories of three or four branches: rings of merges, merges that crossed, squashed ones,
// those that are taken back and made again. QUIRE_CASES plays more of them. Runs long: each of them
// asks the service some hundred times.

t.test('merges of several branches lose nothing, from either direction', async (t) => {
  let mergedCount = 0;
  for (let at = 0; at < caseCount(6); at++) {
    const seed = testSeed * 100_000 + at;
    const player = new BranchPlayer(await makeBook());
    await player.play(branchHistory(new SeededRandom(seed)));
    mergedCount += player.mergedCount;
    t.strictSame(player.faults, [], `history ${seed}`);
  }
  t.ok(mergedCount > 0, 'some of them are merged');
});
