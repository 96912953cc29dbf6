import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import type { Environment } from '../../model/environment.ts';
import { hasCode } from '../../model/error-code.ts';
import { makeFolders } from '../../storage/folders.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { parseCheckpoint } from '../note/checkpoint.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import { formatVerifierKey, type VerifierKey } from '../note/verifier-key.ts';
import type { PublishedTree } from './published.ts';
import type { LogSigner } from './signing-keys.ts';

const ownerOnly = { file: 0o600, folder: 0o700 } as const;
const nameDigits = 32;

/** The newest checkpoint that this machine has shown. */
export interface RememberedTree {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  /** Milliseconds since the Unix epoch. */
  readonly notedAt: number;
}

export interface LogMemoryParts {
  /** Folder of the memory; undefined where nothing is to be remembered. */
  readonly folder: string | undefined;
  readonly signer: Pick<LogSigner, 'keys' | 'origin'>;
  readonly environment: Pick<Environment, 'now'>;
  readonly report: (step: string, error: unknown) => void;
}

/**
 * Remembers the log that this machine has last shown, in a file outside the database and the object
 * store: an operator who restores both from a copy is told that the world has seen more. The file
 * is found by the name of the log and its key, so that a new installation on the same address has
 * its own.
 */
export class LogMemory {
  readonly #parts: LogMemoryParts;
  /** Content of the file, as far as this process knows. */
  #noted: string | undefined;
  #isBroken = false;

  constructor(parts: LogMemoryParts) {
    this.#parts = parts;
  }

  /** Reads the remembered tree; undefined without one that the log has signed. */
  async read(): Promise<RememberedTree | undefined> {
    const { folder, signer } = this.#parts;
    if (folder === undefined) return undefined;
    const found: RememberedTree[] = [];
    for (const key of signer.keys) {
      const remembered = await this.#readFile(join(folder, nameOf(signer.origin, key)));
      if (remembered) found.push(remembered);
    }
    return found.toSorted((one, other) => other.size - one.size)[0];
  }

  async #readFile(path: string): Promise<RememberedTree | undefined> {
    try {
      const text = await readFile(path, 'utf8');
      const [, at = '', note = ''] = /^noted ([^\n]+)\n\n(.*)$/s.exec(text) ?? [];
      const { signer } = this.#parts;
      const verified = await verifyNote(nodeCrypto, parseNote(note), signer.keys);
      const { origin, size, root } = parseCheckpoint(verified.text);
      const notedAt = Date.parse(at);
      if (origin !== signer.origin || Number.isNaN(notedAt)) throw new FormatFault('another log');
      return { size, root, note, notedAt };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      if (error instanceof FormatFault || error instanceof ProofFault) {
        this.#parts.report(`read ${path}, which is passed over`, error);
        return undefined;
      }
      throw error;
    }
  }

  /** Notes a tree before anybody is shown it. A failure to write does not stop the log. */
  async note({ note }: Pick<PublishedTree, 'note'>): Promise<void> {
    const { folder, signer, report } = this.#parts;
    const [key] = signer.keys;
    if (folder === undefined || key === undefined || note === this.#noted) return;
    try {
      await makeFolders(folder, ownerOnly.folder);
      await this.#write(join(folder, nameOf(signer.origin, key)), note);
      this.#noted = note;
      this.#isBroken = false;
    } catch (error) {
      // Once is enough: a folder that cannot be written to stays so.
      if (!this.#isBroken) report(`remember the checkpoint in ${folder} (TLOG_MEMORY_DIR)`, error);
      this.#isBroken = true;
    }
  }

  async #write(path: string, note: string): Promise<void> {
    const at = new Date(this.#parts.environment.now()).toISOString();
    const staged = `${path}.new`;
    const file = await open(staged, 'w', ownerOnly.file);
    try {
      await file.writeFile(`noted ${at}\n\n${note}`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(staged, path);
  }
}

function nameOf(origin: string, key: VerifierKey): string {
  const hash = createHash('sha256')
    .update(`${origin}\n${formatVerifierKey(key)}`)
    .digest('hex');
  return `tlog-${hash.slice(0, nameDigits)}`;
}

function isAbsent(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}
