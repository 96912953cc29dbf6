import { Loader } from '../../server/branches/loader.ts';
import type { JournalStore } from '../../server/branches/journal-store.ts';
import { StateMemory } from '../../server/branches/memory.ts';
import { WorkbookContents } from '../../server/history/content.ts';
import { DamageList } from '../../server/history/damage.ts';
import { Snapshots, type SnapshotIndex } from '../../server/history/snapshots.ts';
import type { Environment } from '../../server/model/environment.ts';
import type { FormulaService } from '../../server/model/formula-service.ts';
import type { Objects } from '../../server/storage/objects.ts';

/** Objects in memory. */
export class MemoryObjects implements Objects {
  readonly objects = new Map<string, Uint8Array>();

  async put(key: string, bytes: Uint8Array, options?: { ifNoneMatch?: '*' }) {
    if (options?.ifNoneMatch && this.objects.has(key)) return 'exists' as const;
    this.objects.set(key, bytes.slice());
    return 'written' as const;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.objects.get(key);
  }

  async getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined> {
    return this.objects.get(key)?.subarray(start, start + length);
  }

  async head(key: string): Promise<{ byteCount: number } | undefined> {
    const bytes = this.objects.get(key);
    return bytes && { byteCount: bytes.length };
  }

  async *list(prefix: string): AsyncGenerator<string> {
    for (const key of [...this.objects.keys()].sort()) if (key.startsWith(prefix)) yield key;
  }

  async delete(key: string): Promise<void> {
    this.objects.delete(key);
  }

  async deletePrefix(prefix: string): Promise<number> {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix));
    for (const key of keys) this.objects.delete(key);
    return keys.length;
  }

  async check(): Promise<void> {
    await Promise.resolve();
  }

  close(): void {
    this.objects.clear();
  }
}

/** Finds no snapshot by itself: each is found by listing. */
const emptyIndex: SnapshotIndex = {
  noteSnapshot: async () => undefined,
  snapshotBefore: async () => undefined,
};

export function memorySnapshots(objects = new MemoryObjects()): Snapshots {
  return new Snapshots({ objects, table: emptyIndex, damage: new DamageList() });
}

interface LoaderParts {
  readonly formulas: FormulaService;
  readonly environment: Environment;
  readonly bytesMost?: number;
}

/** A loader over a journal in memory. */
export function memoryLoader(
  store: JournalStore,
  { formulas, environment, bytesMost = 1 << 30 }: LoaderParts,
): Loader {
  const memory = new StateMemory({ bytesMost, environment });
  const contents = new WorkbookContents(formulas);
  const report = (): void => undefined;
  const hasTail = (): Promise<boolean> => Promise.resolve(true);
  const damage = new DamageList();
  const snapshots = memorySnapshots();
  return new Loader({ store, snapshots, contents, environment, memory, damage, hasTail, report });
}

/** Returns the parts that branches need beside their journal. */
export function memoryParts() {
  return {
    snapshots: memorySnapshots(),
    tags: {
      find: async () => undefined,
      findMerge: async () => undefined,
      isFirstOfName: async () => true,
    },
  };
}
