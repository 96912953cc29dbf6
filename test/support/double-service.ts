import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

import { App } from '../../server/app.ts';
import { realEnvironment } from '../../server/foundation.ts';
import { readConfig } from '../../server/config.ts';
import type { Environment } from '../../server/model/environment.ts';
import { FormulaDouble } from './formula-double.ts';
import { bundledTasks } from './programs.ts';

/**
 * The place where this process is to end as by a power cut; a file can say so while it runs. With a
 * number behind it, that many have to come to the place: the first of them wait there for the last.
 */
const { QUIRE_CRASH_AT: crashPlace, QUIRE_CRASH_FILE: crashFile } = process.env;

let waitingCount = 0;

/** How many have to come to the place before it is the end; 0 where it is another place. */
function countAt(place: string): number {
  if (place === crashPlace) return 1;
  if (crashFile === undefined || !existsSync(crashFile)) return 0;
  const [wanted, count = '1'] = readFileSync(crashFile, 'utf8').split(' ');
  return place === wanted ? Number(count) : 0;
}

const environment: Environment = {
  ...realEnvironment,
  checkpoint: async (place) => {
    const count = countAt(place);
    if (count === 0) return;
    waitingCount++;
    if (waitingCount >= count) process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  },
};

/** Starts as main.ts does, for tests and benches of the journal that need no calculation. */
async function run(): Promise<void> {
  const config = readConfig();
  // A thread that is begun takes a fifth of a start, and most of these starts end in a kill.
  const given = { ...bundledTasks, environment, formulas: new FormulaDouble(), threadsAtStart: 0 };
  const app = await App.start(config, given);
  process.once('SIGTERM', () => {
    void app.stop().then(() => process.exit(0));
  });
  // Its address may be that of a balancer.
  const port = app.ports[config.role === 'all' ? 'api' : config.role];
  process.stdout.write(`Quire listens: ${port}\n`);
  process.stdout.write(`Quire is ready: ${app.address}\n`);
}

void run();
