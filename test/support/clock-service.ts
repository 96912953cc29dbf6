import process from 'node:process';

import { App } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { MovingClock } from './moving-clock.ts';
import { bundledTasks } from './programs.ts';

/**
 * Seconds by which SIGUSR2 moves the clock of the service; more would count as a paused process.
 */
const stepSeconds = 2;

/** Starts the service with a clock that a test moves instead of waiting. */
async function run(): Promise<void> {
  const clock = new MovingClock();
  process.on('SIGUSR2', () => clock.forward(stepSeconds));
  const app = await App.start(readConfig(), { ...bundledTasks, environment: clock.environment });
  process.once('SIGTERM', () => {
    void app.stop().then(() => process.exit(0));
  });
  process.stdout.write(`Quire is ready: ${app.address}\n`);
}

void run();
