import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

import { App } from '../../server/app.ts';
import { realEnvironment } from '../../server/foundation.ts';
import { readConfig } from '../../server/config.ts';
import type { Environment } from '../../server/model/environment.ts';
import { FormulaDouble } from './formula-double.ts';

/** The place where this process is to end as by a power cut; a file can say so while it runs. */
const { QUIRE_CRASH_AT: crashPlace, QUIRE_CRASH_FILE: crashFile } = process.env;

function isCrashPlace(place: string): boolean {
  if (place === crashPlace) return true;
  return (
    crashFile !== undefined && existsSync(crashFile) && readFileSync(crashFile, 'utf8') === place
  );
}

const environment: Environment = {
  ...realEnvironment,
  checkpoint: async (place) => {
    if (isCrashPlace(place)) process.kill(process.pid, 'SIGKILL');
  },
};

// What main.ts does, for tests and benches of the journal that need no calculation.
const app = await App.start(readConfig(), { environment, formulas: new FormulaDouble() });
process.once('SIGTERM', () => {
  void app.stop().then(() => process.exit(0));
});
process.stdout.write(`Quire is ready: ${app.address}\n`);
