import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const logProgram = fileURLToPath(new URL('../../server/log-main.js', import.meta.url));

export interface CommandOutcome {
  readonly code: number;
  /** Text of both output streams. */
  readonly output: string;
}

/** Runs `npm run log -- …` with these settings and no others. */
export function runLogCommand(
  parameters: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandOutcome> {
  return runCommand(logProgram, parameters, settings);
}

/** Runs a program of the service with these settings and no others. */
export function runCommand(
  program: string,
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
