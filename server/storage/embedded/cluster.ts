import type { ChildProcess } from 'node:child_process';
import { access, chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../model/environment.ts';
import { hasCode } from '../../model/error-code.ts';
import { makeFolders } from '../folders.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';

/** A data folder of PostgreSQL with the password of its one user. */
export interface Cluster {
  readonly folder: string;
  readonly password: string;
}

export const clusterUser = 'quire';

const passwordBytes = 24;

export async function openCluster(
  dataDirectory: string,
  binaries: Binaries,
  account: Account,
  environment: Environment,
): Promise<Cluster> {
  const folder = join(dataDirectory, 'postgres');
  const passwordFile = join(dataDirectory, 'postgres.password');
  if (!(await exists(join(folder, 'PG_VERSION')))) {
    const password = Buffer.from(environment.random(passwordBytes)).toString('base64url');
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    await createCluster({ folder, passwordFile, binaries, account });
  }
  await checkVersion(folder, await programVersion(binaries, account));
  return { folder, password: await readPassword(passwordFile) };
}

interface NewCluster {
  readonly folder: string;
  readonly passwordFile: string;
  readonly binaries: Binaries;
  readonly account: Account;
}

/** Creates a cluster beside its place and moves it in whole, so no start leaves a half-made one. */
async function createCluster({
  folder,
  passwordFile,
  binaries,
  account,
}: NewCluster): Promise<void> {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await makeFolders(draft, 0o700);
  if (account.owner !== undefined) {
    await chown(draft, account.owner.uid, account.owner.gid);
    // initdb reads the file under that account; root reads it anyway.
    await chown(passwordFile, account.owner.uid, account.owner.gid);
  }
  const options = [`--pgdata=${draft}`, `--username=${clusterUser}`, `--pwfile=${passwordFile}`];
  const fixed = ['--auth=scram-sha-256', '--no-locale', '--encoding=UTF8', '--data-checksums'];
  await runInitdb(binaries, account, [...options, ...fixed, '--no-sync']);
  // One sync at the end takes a fraction of the time of one for each file.
  await runInitdb(binaries, account, [`--pgdata=${draft}`, '--sync-only']);
  await rename(draft, folder);
}

async function runInitdb(
  binaries: Binaries,
  account: Account,
  programArguments: readonly string[],
): Promise<string> {
  const child = account.spawn(binaries.initdb, programArguments, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await exitCode(child);
  const output = Buffer.concat(chunks).toString('utf8').trim();
  if (code !== 0) throw new Error(`initdb ended with code ${code}: ${output}`);
  return output;
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
}

async function programVersion(binaries: Binaries, account: Account): Promise<string> {
  const output = await runInitdb(binaries, account, ['--version']);
  return /(\d+)(\.\d+)*/.exec(output)?.[1] ?? output;
}

async function checkVersion(folder: string, programMajor: string): Promise<void> {
  const clusterMajor = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  if (clusterMajor === programMajor) return;
  throw new Error(
    `${folder} was made by PostgreSQL ${clusterMajor}, and this Quire carries ${programMajor}: start the old version and move the data with pg_dump, or set DATABASE_URL`,
  );
}

async function readPassword(passwordFile: string): Promise<string> {
  try {
    return (await readFile(passwordFile, 'utf8')).trim();
  } catch (cause) {
    throw new Error(`${passwordFile} is missing, but its database is there: restore it`, { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
