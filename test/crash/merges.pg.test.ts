import t from 'tap';

import { someOf } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { testSeed } from '../support/test-seed.ts';
import { MergesCrash, placesOf, type ApplyRequest } from './merges-crash.ts';

/** Runs long: the process is killed at places of a merge. */

/** Places of each request; `npm run crash` kills it at all of them. */
const someCount = 2;

t.test('a kill -9 while a merge is applied leaves the old head or the new one', async (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const random = new SeededRandom(seed);
  const dataDirectory = await makeDataDirectory(t);
  const crash = await MergesCrash.start({ dataDirectory, random, cleanup: t });
  for (const request of Object.keys(placesOf) as ApplyRequest[]) {
    for (const place of someOf(placesOf[request], someCount, random)) {
      await crash.applyAt(request, place);
      t.same(crash.faults, [], `${request} at ${place}`);
    }
  }
  await crash.applyUnderLoad();
  t.same(crash.faults, [], 'under load');
  await crash.stop();
});
