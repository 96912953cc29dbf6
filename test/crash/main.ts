import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { createFormulas } from '../../server/compute/formulas.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { mainProgram } from '../support/service-process.ts';
import { CrashLoop } from './crash-loop.ts';
import { HistoryCrash, keeperPlaces, requestPlaces, type RequestKind } from './history-crash.ts';
import { archivePlaces, LifeCycleCrash, purgePlaces } from './life-cycle-crash.ts';
import { MergesCrash, placesOf, type ApplyRequest } from './merges-crash.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    writers: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const roundCount = Number(values.rounds);
process.stdout.write(`${roundCount} rounds, ${values.writers} writers, --seed ${values.seed}\n`);

const dataDirectory = await mkdtemp(join(await realpath(tmpdir()), 'quire-crash-'));
await chmod(dataDirectory, 0o711);
const endings: (() => unknown)[] = [];
const cleanup = { teardown: (action: () => unknown) => void endings.push(action) };
const random = new SeededRandom(Number(values.seed));
const started = performance.now();
try {
  const report = await CrashLoop.run(
    {
      dataDirectory,
      program: mainProgram,
      formulas: createFormulas(),
      random,
      writerCount: Number(values.writers),
      cleanup,
    },
    roundCount,
    (round) => {
      if (round % 10 === 0) process.stdout.write(`round ${round}\n`);
    },
  );
  const lives = await LifeCycleCrash.start({ dataDirectory, random, cleanup });
  for (const place of archivePlaces) await lives.archiveAt(place);
  for (const place of purgePlaces) await lives.purgeAt(place);
  await lives.stop();
  const history = await HistoryCrash.start({ dataDirectory, random, cleanup });
  for (const kind of Object.keys(requestPlaces) as RequestKind[]) {
    for (const place of requestPlaces[kind]) await history.requestAt(kind, place);
  }
  await history.wakeKeeper();
  for (const place of keeperPlaces) await history.keepAt(place);
  await history.checkAll();
  await history.stop();
  const merges = await MergesCrash.start({ dataDirectory, random, cleanup });
  for (const request of Object.keys(placesOf) as ApplyRequest[]) {
    for (const place of placesOf[request]) await merges.applyAt(request, place);
  }
  await merges.stop();
  const all = [report, lives, history, merges];
  const faults = all.flatMap((one) => one.faults);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${JSON.stringify({ ...report, faults, seconds })}\n`);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  for (const end of endings.toReversed()) await end();
  await rm(dataDirectory, { recursive: true, force: true });
}
