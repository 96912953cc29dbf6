import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';

import { createMigratedDatabase } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Settings of processes of one service that share nothing but the database and the objects. */
export async function sharedSettings(t: Pick<Test, 'teardown'>): Promise<Record<string, string>> {
  const folder = await makeTemporaryFolder(t);
  return {
    DATABASE_URL: await createMigratedDatabase(),
    OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
    TLOG_ORIGIN: 'quire.test/log',
    TLOG_KEY_FILE: `${folder}/tlog.key`,
    TLOG_MEMORY_DIR: 'off',
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
  };
}
