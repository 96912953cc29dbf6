import process from 'node:process';

import { App } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { FormulaDouble } from './formula-double.ts';

// What main.ts does, for tests and benches of the journal that need no calculation.
const app = await App.start(readConfig(), { formulas: new FormulaDouble() });
process.once('SIGTERM', () => {
  void app.stop().then(() => process.exit(0));
});
process.stdout.write(`Quire is ready: ${app.addresses.baseUrl}\n`);
