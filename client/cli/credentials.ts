import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

import { environment } from './environment.ts';
import { notWritten, Stop } from './stop.ts';

/** A consent of a person, by which a key is renewed. */
export interface Grant {
  readonly refreshToken: string;
  readonly clientId: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string;
  /** End of the key in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A stored profile: a service, and the credential for it. */
export interface Profile {
  readonly url: string;
  readonly key?: string;
  /** Token that claims the agent, or completes a sign-in by mail. */
  readonly claimToken?: string;
  readonly grant?: Grant;
}

const file = join(environment.configFolder, 'credentials.json');
/** File that exists while a process renews a key. */
export const credentialsLock = `${file}.lock`;

/** Reads the profiles by name, from a file that only its owner may read. */
export function readProfiles(): Record<string, Profile> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Stop(1, `${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    return (JSON.parse(text) as { profiles?: Record<string, Profile> }).profiles ?? {};
  } catch (error) {
    const detail = `${file} is damaged: ${(error as Error).message}.`;
    throw new Stop(1, `${detail} Mend it, or delete it and sign in again.`);
  }
}

/** Stores a profile; undefined deletes it. */
export function keepProfile(name: string, profile: Profile | undefined): void {
  const { [name]: _, ...others } = readProfiles();
  const profiles = profile === undefined ? others : { ...others, [name]: profile };
  const next = `${file}.${process.pid}`;
  try {
    makeFolders(environment.configFolder);
    writeFileSync(next, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600 });
    chmodSync(next, 0o600);
    renameSync(next, file);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Makes a folder and those above it. `recursive` of Node never ends where none can be, as in /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolders(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another command may have been faster.
    if (!existsSync(folder)) throw error;
  }
}
