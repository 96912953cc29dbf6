import { chmod } from 'node:fs/promises';
import { makeFolders } from './folders.ts';

/**
 * Makes the folder. A root process makes it passable but not readable, because the database's
 * account has to pass through.
 */
export async function makeDataDirectory(dataDirectory: string): Promise<void> {
  const made = await makeFolders(dataDirectory, 0o700);
  if (made !== undefined && process.getuid?.() === 0) await chmod(dataDirectory, 0o711);
}
