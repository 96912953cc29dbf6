import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../model/error-code.ts';

/**
 * Makes a folder and those above it that are not there, and returns the first that was made;
 * undefined when all were there. `mkdir` of Node with `recursive` never ends where the system
 * makes no folders, as below /proc.
 */
export async function makeFolders(folder: string, mode = 0o777): Promise<string | undefined> {
  const isMade = await madeOrThere(folder, mode);
  if (isMade !== undefined) return isMade ? folder : undefined;
  const above = dirname(folder);
  const oldest = above === folder ? undefined : await makeFolders(above, mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!(await isFolder(folder))) throw error;
  }
  return oldest ?? folder;
}

/** Returns whether the folder was made; undefined when one above it is missing. */
async function madeOrThere(folder: string, mode: number): Promise<boolean | undefined> {
  try {
    await mkdir(folder, { mode });
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    // A disk that is only read says so before it says that the folder is there.
    if (await isFolder(folder)) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG')) return false;
    throw error;
  }
}
