import type { Test } from 'tap';

import { createMigratedDatabase } from './postgres.ts';
import { processSettings } from './process-settings.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Settings of processes of one service, on a database and a folder of their own. */
export async function sharedSettings(t: Pick<Test, 'teardown'>): Promise<Record<string, string>> {
  return processSettings(await makeTemporaryFolder(t), await createMigratedDatabase());
}
