import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { credentialsLock, keepProfile, readProfiles, type Profile } from './credentials.ts';
import { form, granted } from './oauth.ts';

/** A key is renewed this long before its end, as a call may take its time. */
const reserveMilliseconds = 60_000;
/** Age at which a lock is ignored: its process has died. */
const lockMilliseconds = 15_000;
const lookMilliseconds = 50;

/**
 * Resolves with the key of a profile, renewed if it is about to end. A refresh token works once, so
 * of concurrent commands one renews the key and the others read what it stored.
 */
export async function renewedKey(name: string, signal: AbortSignal): Promise<string | undefined> {
  const now = readProfiles()[name];
  if (!isEnding(now)) return now?.key;
  await lock(signal);
  try {
    const profile = readProfiles()[name];
    if (!profile || !isEnding(profile)) return profile?.key;
    const { refreshToken, clientId, tokenEndpoint } = profile.grant;
    const fields = {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
    };
    const tokens = await form(tokenEndpoint, fields, signal);
    const next = { ...profile, ...granted(tokens, profile.grant) };
    keepProfile(name, next);
    return next.key;
  } finally {
    rmSync(credentialsLock, { force: true });
  }
}

type Granted = Profile & { readonly grant: NonNullable<Profile['grant']> };

function isEnding(profile: Profile | undefined): profile is Granted {
  const grant = profile?.grant;
  return grant !== undefined && Date.now() > grant.expiresAt - reserveMilliseconds;
}

async function lock(signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      closeSync(openSync(credentialsLock, 'wx', 0o600));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      dropIfOld();
    }
    await sleep(lookMilliseconds, undefined, { signal });
  }
}

function dropIfOld(): void {
  const found = statSync(credentialsLock, { throwIfNoEntry: false });
  if (found && Date.now() - found.mtimeMs > lockMilliseconds)
    rmSync(credentialsLock, { force: true });
}
