import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Environment } from '../../model/environment.ts';
import { makeFolders } from '../../storage/folders.ts';
import { writeKeyFile } from '../../storage/key-file.ts';
import { readTextIfThere } from '../../storage/text-file.ts';
import { decodeBase64Of } from '../encoding/base64.ts';
import { openSigner } from '../node-crypto.ts';
import { formatNote, type NoteSignature } from '../note/note.ts';
import { signNote, type NoteSigner } from '../note/signer.ts';
import type { VerifierKey } from '../note/verifier-key.ts';

const seedBytes = 32;

/** Seeds of the keys that sign: the first is the log's own, others are there to be changed to. */
export type Seeds = readonly Uint8Array[];

/**
 * Reads the key file: a seed in base64 on each line, `#` before what is said about it. Without a
 * file one is made, for its owner alone.
 */
export async function readSeeds(path: string, environment: Environment): Promise<Seeds> {
  const text = (await readTextIfThere(path)) ?? (await makeKeyFile(path, environment));
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const seeds = lines.filter((line) => line !== '').map((line) => seedOf(line, path));
  if (seeds.length > 0) return seeds;
  throw new Error(`TLOG_KEY_FILE ${path} has no key`);
}

function seedOf(line: string, path: string): Uint8Array {
  try {
    return decodeBase64Of(seedBytes, line, 'a key');
  } catch {
    // The line itself is a secret, so it is not repeated.
    throw new Error(`a line of TLOG_KEY_FILE ${path} is not ${seedBytes} bytes in base64`);
  }
}

/** On disk before anything is signed with it: a lost key is the end of a log. */
async function makeKeyFile(path: string, environment: Environment): Promise<string> {
  const seed = Buffer.from(environment.random(seedBytes)).toString('base64');
  const text = `# The key of the transparency log: keep it secret, and keep it.\n${seed}\n`;
  await makeFolders(dirname(path), 0o700);
  await writeKeyFile(path, text, environment);
  // Another process may have made it meanwhile: its key is the log's.
  return readFile(path, 'utf8');
}

/** Signs what the log says. All its keys have the name of the log and sign side by side. */
export class LogSigner {
  readonly origin: string;
  readonly #signers: readonly NoteSigner[];

  constructor(origin: string, seeds: Seeds) {
    this.origin = origin;
    this.#signers = seeds.map((seed) => openSigner(origin, 'ed25519', seed));
  }

  get keys(): VerifierKey[] {
    return this.#signers.map(({ key }) => key);
  }

  async sign(text: string): Promise<string> {
    const signatures: NoteSignature[] = [];
    for (const signer of this.#signers) signatures.push(await signNote(signer, text));
    return formatNote({ text, signatures });
  }
}
