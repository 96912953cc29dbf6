import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { addDatabase, beside, SharedPostgres } from '../support/shared-postgres.ts';
import { processSettings } from '../support/process-settings.ts';
import { LiveCrash } from './live-crash.ts';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1000' },
    together: { type: 'string', default: '4' },
    minutes: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const [count, together] = [Number(values.schedules), Number(values.together)];
process.stdout.write(`${count} schedules, ${together} at once, --seed ${values.seed}\n`);

const endings: (() => unknown)[] = [];
const cleanup = { teardown: (action: () => unknown) => void endings.push(action) };
const started = performance.now();
const end = started + Number(values.minutes) * 60_000;
try {
  const folder = await makeTemporaryFolder(cleanup);
  const postgres = await SharedPostgres.start(() => undefined);
  cleanup.teardown(() => postgres.stop());
  const { url, template } = postgres.address;
  const settings = processSettings(folder, beside(url, await addDatabase(url, template)));
  const loop = await LiveCrash.start({ cleanup, settings, folder, hasLongPauses: true });
  const { report } = loop;
  let done = 0;
  for (; done < count && report.faults.length === 0; done += together) {
    if (performance.now() > end) break;
    await loop.round(Number(values.seed) + done, Math.min(together, count - done));
    process.stdout.write(
      `${done} ${JSON.stringify({ ...report, faults: report.faults.length })}\n`,
    );
  }
  await loop.stop();
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${JSON.stringify({ schedules: done, ...report, seconds })}\n`);
  if (report.faults.length > 0) process.exitCode = 1;
} finally {
  for (const action of endings.toReversed()) await action();
}
