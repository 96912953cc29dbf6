import { fileURLToPath } from 'node:url';

import { runCommand, type CommandOutcome } from './log-command.ts';

const storeProgram = fileURLToPath(new URL('../../server/store-main.js', import.meta.url));

/** Runs `npm run store -- …` with these settings and no others. */
export function runStoreCommand(
  parameters: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<CommandOutcome> {
  return runCommand(storeProgram, parameters, settings);
}
