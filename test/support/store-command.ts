import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { CommandOutcome } from './log-command.ts';

const program = fileURLToPath(new URL('../../server/store-main.js', import.meta.url));

/** Runs `npm run store -- …` with these settings and no others. */
export function runStoreCommand(
  parameters: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<CommandOutcome> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...parameters], { env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      resolve({ code, output: stdout + stderr });
    });
  });
}
