import { execFile, spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from '../../model/error-code.ts';

/**
 * Under which account PostgreSQL runs. It refuses to run as root, so root runs it as `postgres`;
 * everybody else runs it as themselves.
 */
export interface Account {
  /** Account that must own its files; undefined for the account of this process. */
  readonly owner: Owner | undefined;
  spawn(program: string, programArguments: readonly string[], options: SpawnOptions): ChildProcess;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const run = promisify(execFile);

const accountName = 'postgres';

/** A fixed environment: PGDATA, PGPORT or a locale of the shell must not reach the database. */
const programEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** Linux capability numbers; either lets a process walk through folders closed to it. */
const traversalCapabilities = [
  { name: 'dac_read_search', bit: 2n },
  { name: 'dac_override', bit: 1n },
];

/** `folders` must be reachable for the account: the programs and the data directory. */
export async function chooseAccount(folders: readonly string[]): Promise<Account> {
  if (process.getuid?.() !== 0) return ownAccount;
  const owner = await findOrCreateOwner();
  const closed = await findClosedFolder(folders, owner);
  return closed === undefined ? otherAccount(owner) : privilegedAccount(owner, closed);
}

const ownAccount: Account = {
  owner: undefined,
  spawn: (program, programArguments, options) =>
    spawn(program, programArguments, { ...options, env: programEnvironment }),
};

function otherAccount(owner: Owner): Account {
  return {
    owner,
    spawn: (program, programArguments, options) =>
      spawn(program, programArguments, { ...options, ...owner, env: programEnvironment }),
  };
}

/**
 * The data directory may lie below a folder that only root may enter, /root for one. Rather than
 * open that folder to everybody, the database gets the one capability to pass through it.
 */
async function privilegedAccount(owner: Owner, closedFolder: string): Promise<Account> {
  const capability = await findTraversalCapability();
  if (capability === undefined) {
    throw new Error(
      `PostgreSQL cannot run as root, and the account "${accountName}" cannot enter ${closedFolder}: set DATA_DIR (and install Quire) below a folder that everybody may enter, run Quire as an ordinary user, or set DATABASE_URL`,
    );
  }
  const wrapper = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=+${capability}`,
    `--bounding-set=-all,+${capability}`,
    // initdb asks access() about its programs, which otherwise answers without capabilities.
    '--securebits=+no_setuid_fixup',
    '--',
  ];
  return {
    owner,
    spawn: (program, programArguments, options) =>
      spawn('setpriv', [...wrapper, program, ...programArguments], {
        ...options,
        env: programEnvironment,
      }),
  };
}

async function findTraversalCapability(): Promise<string | undefined> {
  try {
    await run('setpriv', ['--version'], { env: programEnvironment });
    const status = await readFile('/proc/self/status', 'utf8');
    const held = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
    return traversalCapabilities.find(({ bit }) => ((held >> bit) & 1n) === 1n)?.name;
  } catch (error) {
    // Neither setpriv nor /proc is everywhere.
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function findClosedFolder(
  folders: readonly string[],
  owner: Owner,
): Promise<string | undefined> {
  for (const folder of folders) {
    try {
      // Asked of the kernel rather than worked out from modes: lists of access rights count too.
      await run('test', ['-x', folder], { ...owner, env: programEnvironment });
    } catch (error) {
      if (hasCode(error, 'ENOENT')) throw error;
      return folder;
    }
  }
  return undefined;
}

async function findOrCreateOwner(): Promise<Owner> {
  const found = await findOwner();
  if (found !== undefined) return found;
  try {
    await run(
      'useradd',
      ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', accountName],
      { env: programEnvironment },
    );
  } catch (cause) {
    throw new Error(
      `PostgreSQL cannot run as root, and the account "${accountName}" could not be made: create it, run Quire as an ordinary user, or set DATABASE_URL`,
      { cause },
    );
  }
  const created = await findOwner();
  if (created === undefined) throw new Error(`the new account "${accountName}" cannot be found`);
  return created;
}

async function findOwner(): Promise<Owner | undefined> {
  try {
    const uid = await run('id', ['-u', accountName], { env: programEnvironment });
    const gid = await run('id', ['-g', accountName], { env: programEnvironment });
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch (error) {
    // `id` ends with 1 if there is no such account; a missing `id` is another matter.
    if (hasCode(error, 1)) return undefined;
    throw error;
  }
}
