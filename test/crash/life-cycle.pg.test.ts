import t from 'tap';

import { SeededRandom } from '../support/seeded-random.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { testSeed } from '../support/test-seed.ts';
import { archivePlaces, LifeCycleCrash, purgePlaces } from './life-cycle-crash.ts';

/** Runs long: the process is killed at each place of archive, restore and purge. */

t.test('a kill -9 while archiving or purging leaves it done, or not begun', async (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const crash = await LifeCycleCrash.start({
    dataDirectory: await makeDataDirectory(t),
    random: new SeededRandom(seed),
    cleanup: t,
  });
  for (const place of archivePlaces) {
    await crash.archiveAt(place);
    t.same(crash.faults, [], place);
  }
  for (const place of purgePlaces) {
    await crash.purgeAt(place);
    t.same(crash.faults, [], place);
  }
  await crash.stop();
});
