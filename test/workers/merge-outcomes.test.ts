import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import { mergeHistories, type Histories } from '../support/merge-histories.ts';
import { hold, outcomeLaws } from '../support/merge-outcome-laws.ts';
import { testSeed } from '../support/test-seed.ts';

// Results of a merge after two random histories of one base, and the states that it leaves alone.

for (const [name, histories] of mergeHistories) {
  for (const [index, [law, check]] of Object.entries(outcomeLaws).entries()) {
    t.test(`${name}: ${law}`, async (t) => {
      let mergedCount = 0;
      const counted = (played: Histories) => {
        if (hold(check, played)) mergedCount++;
      };
      const options = { numRuns: caseCount(20), seed: testSeed + 10 + index };
      t.doesNotThrow(() => fc.assert(fc.property(histories, counted), options));
      t.ok(mergedCount > 0, 'some of them could be merged');
    });
  }
}
