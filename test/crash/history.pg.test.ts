import t from 'tap';

import { SeededRandom } from '../support/seeded-random.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { testSeed } from '../support/test-seed.ts';
import { HistoryCrash, keeperPlaces, requestPlaces, type RequestKind } from './history-crash.ts';

t.test('a kill -9 while history is stored or trimmed loses nothing', async (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const crash = await HistoryCrash.start({
    dataDirectory: await makeDataDirectory(t),
    random: new SeededRandom(seed),
    cleanup: t,
  });
  for (const kind of Object.keys(requestPlaces) as RequestKind[]) {
    for (const place of requestPlaces[kind]) {
      await crash.requestAt(kind, place);
      t.same(crash.faults, [], `${kind} at ${place}`);
    }
  }
  await crash.wakeKeeper();
  t.same(crash.faults, [], 'kept');
  for (const place of keeperPlaces) {
    await crash.keepAt(place);
    t.same(crash.faults, [], `keeper at ${place}`);
  }
  await crash.checkAll();
  t.same(crash.faults, [], 'later');
  await crash.stop();
});
