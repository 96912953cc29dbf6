import { createHash } from 'node:crypto';
import type { KeptParts } from '../model/file-reader.ts';
import { DamagedObject } from '../storage/damaged-object.ts';
import type { Objects } from '../storage/objects.ts';

/**
 * Parts of files that imports keep, one object each, named by its SHA-256. An object lies among the
 * objects of its workbook, so that all branches find it and a purge takes it along.
 */
export class KeptFiles {
  readonly #objects: Pick<Objects, 'get' | 'put' | 'deletePrefix'>;

  constructor(objects: Pick<Objects, 'get' | 'put' | 'deletePrefix'>) {
    this.#objects = objects;
  }

  /** Resolves when it is durable. */
  async keep(workbookId: string, { name, bytes }: KeptParts): Promise<void> {
    await this.#objects.put(keyOf(workbookId, name), bytes);
  }

  /** Returns undefined where the file is missing, or is not what was put. */
  async read(workbookId: string, name: string): Promise<Uint8Array | undefined> {
    try {
      const bytes = await this.#objects.get(keyOf(workbookId, name));
      return bytes && sha256(bytes) === name ? bytes : undefined;
    } catch (error) {
      if (error instanceof DamagedObject) return undefined;
      throw error;
    }
  }

  /** Removes the parts of a workbook that was never visible. */
  async removeAll(workbookId: string): Promise<void> {
    await this.#objects.deletePrefix(prefixOf(workbookId));
  }
}

function prefixOf(workbookId: string): string {
  return `wb/${workbookId}/file/`;
}

function keyOf(workbookId: string, name: string): string {
  return prefixOf(workbookId) + name;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
