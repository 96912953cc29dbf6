import { readFile } from 'node:fs/promises';

import { hasCode } from '../model/error-code.ts';

/** Reads a file as UTF-8; undefined when there is none. */
export async function readTextIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
