import { link, open, rm } from 'node:fs/promises';

import type { Environment } from '../model/environment.ts';
import { hasCode } from '../model/error-code.ts';

const ownerOnly = 0o600;

/**
 * Writes a secret to a file for its owner alone, unless there is one already. The file is whole and
 * on disk before it has its name: a crash leaves none that is cut off, and of two processes that
 * write at the same time one wins.
 */
export async function writeKeyFile(
  path: string,
  text: string,
  environment: Environment,
): Promise<void> {
  const draft = `${path}.${Buffer.from(environment.random(6)).toString('hex')}`;
  const file = await open(draft, 'wx', ownerOnly);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    const isThere = hasCode(error, 'EEXIST');
    if (!isThere) throw error;
  } finally {
    await rm(draft);
  }
}
