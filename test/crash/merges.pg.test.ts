import t from 'tap';

import { SeededRandom } from '../support/seeded-random.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { testSeed } from '../support/test-seed.ts';
import { applyPlaces, MergesCrash, type ApplyPlace } from './merges-crash.ts';

t.test('a kill -9 while a merge is applied leaves the old head or the new one', async (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const crash = await MergesCrash.start({
    dataDirectory: await makeDataDirectory(t),
    random: new SeededRandom(seed),
    cleanup: t,
  });
  const undeferred = (place: ApplyPlace) => place !== 'merge.forked';
  for (const place of (Object.keys(applyPlaces) as ApplyPlace[]).filter(undeferred)) {
    await crash.applyAt('approve', place);
    t.same(crash.faults, [], `approve at ${place}`);
  }
  for (const place of ['merge.begin', 'append.written'] as const) {
    await crash.applyAt('create', place);
    t.same(crash.faults, [], `create at ${place}`);
  }
  for (const place of Object.keys(applyPlaces) as ApplyPlace[]) {
    await crash.applyAt('defer', place);
    t.same(crash.faults, [], `defer at ${place}`);
  }
  await crash.applyUnderLoad();
  t.same(crash.faults, [], 'under load');
  await crash.stop();
});
