import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Returns a variable without the line that a file ended with; an empty one counts as missing. */
function given(name: string): string | undefined {
  const value = process.env[name]?.trim();
  return value === '' ? undefined : value;
}

/** Environment of the command; no other file reads process.env. */
export const environment = {
  url: given('QUIRE_URL'),
  key: given('QUIRE_KEY'),
  profile: given('QUIRE_PROFILE'),
  /** Program that opens an address. */
  browser: given('BROWSER'),
  configFolder: join(given('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'quire'),
  hasNoColor: given('NO_COLOR') !== undefined || process.env['TERM'] === 'dumb',
  forcesColor: given('FORCE_COLOR') !== undefined,
} as const;

/** Returns the environment of a service that this command starts. */
export function serviceEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}
