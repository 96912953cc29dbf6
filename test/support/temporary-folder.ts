import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

/** A folder that is gone after the test. Everybody may enter it, as the database's account must. */
export async function makeTemporaryFolder(t: Pick<Test, 'teardown'>): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'quire-test-'));
  await chmod(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
