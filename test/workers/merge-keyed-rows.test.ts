import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import {
  checkKeyedMerge,
  keyedHistories,
  type KeyedHistories,
} from '../support/keyed-histories.ts';
import { testSeed } from '../support/test-seed.ts';

// Laws of rows of keyed tables: the directions find the same conflicts and come to the same rows,
// no key is lost or doubled, and a merge that is computed twice is the same twice.

for (const [name, histories] of keyedHistories) {
  t.test(`${name} are merged by their keys`, async (t) => {
    let caseNumber = 0;
    const check = (played: KeyedHistories) => {
      caseNumber++;
      checkKeyedMerge(played);
    };
    fc.assert(fc.property(histories, check), { numRuns: caseCount(20), seed: testSeed });
    t.ok(caseNumber > 0);
  });
}
