import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

import { App } from '../../server/app.ts';
import { realEnvironment } from '../../server/foundation.ts';
import { readConfig } from '../../server/config.ts';
import type { Environment } from '../../server/model/environment.ts';
import { FormulaDouble } from './formula-double.ts';
import { bundledTasks } from './programs.ts';

/**
 * Place where this process ends as by a power cut; a file can name it at run time. With a number,
 * that many have to reach the place, and the first ones wait for the last.
 */
const { QUIRE_CRASH_AT: crashPlace, QUIRE_CRASH_FILE: crashFile } = process.env;

let waitingCount = 0;

/** Returns how many have to reach a place before the process ends there; 0 for any other place. */
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

/** Starts like main.ts, for tests and benches of the journal that calculate nothing. */
async function run(): Promise<void> {
  const config = readConfig();
  // Starting a thread takes a fifth of a start, and most of these processes are killed.
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
