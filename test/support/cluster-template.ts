import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { realEnvironment } from '../../server/foundation.ts';
import { chooseAccount } from '../../server/storage/embedded/account.ts';
import { findBinaries } from '../../server/storage/embedded/binaries.ts';
import { openCluster } from '../../server/storage/embedded/cluster.ts';

const run = promisify(execFile);
const build = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Copies a cluster as a first start would make it, with its password, which saves seconds of
 * initdb.
 */
export async function copyCluster(dataDirectory: string): Promise<void> {
  const template = await findTemplate();
  for (const name of await readdir(template)) {
    await run('cp', ['-a', join(template, name), join(dataDirectory, name)]);
  }
}

/**
 * Makes the template beside its place and renames it, so that two test files can do it at once. Its
 * name includes the place of the build, because a copied build may have lost the owner of its
 * files.
 */
async function findTemplate(): Promise<string> {
  const binaries = await findBinaries();
  const { mtimeMs, size } = await stat(binaries.postgres);
  const facts = [binaries.folder, build, mtimeMs, size];
  const mark = createHash('sha256').update(facts.join(' ')).digest('hex');
  const template = join(build, `test-cluster-${mark.slice(0, 12)}`);
  if (await isThere(template)) return template;
  // The account of PostgreSQL may not have access to the build.
  const draft = await mkdtemp(join(await realpath(tmpdir()), 'quire-cluster-'));
  await chmod(draft, 0o711);
  const account = await chooseAccount([binaries.folder, draft]);
  await openCluster(draft, binaries, account, realEnvironment);
  const copy = `${template}.${process.pid}`;
  await mkdir(copy);
  for (const name of await readdir(draft)) await run('cp', ['-a', join(draft, name), copy]);
  await rm(draft, { recursive: true });
  try {
    await rename(copy, template);
  } catch (error) {
    if (!(await isThere(template))) throw error;
    await rm(copy, { recursive: true });
  }
  return template;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
