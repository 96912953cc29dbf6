import { hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Environment } from '../model/environment.ts';
import { hasCode } from '../model/error-code.ts';
import { makeFolders } from '../storage/folders.ts';
import { writeKeyFile } from '../storage/key-file.ts';

const keyBytes = 32;

/**
 * The secret from which all others of the identity service are derived. It is a file and not a row,
 * so that a copy of the database alone reveals neither codes nor letters.
 */
export class MasterKey {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /**
   * Reads the file, or creates it at the first start. If two processes create it, both use the
   * first one.
   */
  static async open(path: string, environment: Environment): Promise<MasterKey> {
    const found = await readKey(path);
    if (found !== undefined) return new MasterKey(found);
    await makeFolders(dirname(path), 0o700);
    const secret = Buffer.from(environment.random(keyBytes)).toString('hex');
    await writeKeyFile(path, `${secret}\n`, environment);
    const key = await readKey(path);
    if (key === undefined) throw new Error(`could not make the key file ${path}`);
    return new MasterKey(key);
  }

  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', `quire ${purpose}`, keyBytes));
  }
}

async function readKey(path: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new Error('could not read IDENTITY_KEY_FILE', { cause: error });
  }
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length === keyBytes) return key;
  throw new Error(`IDENTITY_KEY_FILE must hold ${keyBytes} bytes in hexadecimal`);
}
