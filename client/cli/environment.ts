import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The environment of the command; no other file of the command reads it. */
export const environment = {
  url: process.env['QUIRE_URL'],
  key: process.env['QUIRE_KEY'],
  profile: process.env['QUIRE_PROFILE'],
  /** Program that opens an address. */
  browser: process.env['BROWSER'],
  configFolder: join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'quire'),
  hasNoColor: (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb',
  forcesColor: (process.env['FORCE_COLOR'] ?? '') !== '',
} as const;

/** Returns the environment of a service that this command starts: its own, and more. */
export function serviceEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}
