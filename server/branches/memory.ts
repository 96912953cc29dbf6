import type { Environment } from '../model/environment.ts';
import { Scale } from '../state/ids/scale.ts';

/** An entry of the memory that can leave while idle and be loaded again. */
export interface Resident {
  readonly workbookId: string;
  readonly isIdle: boolean;
  weigh(scale: Scale): void;
  /** Removes it from memory. */
  leave(): void;
}

export interface MemoryOptions {
  readonly bytesMost: number;
  readonly environment: Pick<Environment, 'after' | 'now'>;
}

/** Changes within this time are weighed together. */
const weighMilliseconds = 100;
/** Share of the time spent on weighing, while there is room: one part in this. */
const restPerWeighing = 20;
const restMilliseconds = 1_000;

interface WorkbookShare {
  readonly residents: Set<Resident>;
  bytes: number;
}

/**
 * The states in the memory of this process, by weight. A workbook is weighed as one, because its
 * branches and positions share what did not change between them. If all together are too heavy, the
 * least recently used ones leave unless they are busy; the last used one always stays.
 */
export class StateMemory {
  readonly #options: MemoryOptions;
  /** Entries in order of their last use. */
  readonly #residents = new Map<string, Resident>();
  readonly #shares = new Map<string, WorkbookShare>();
  readonly #unweighed = new Set<string>();
  #bytes = 0;
  #departureCount = 0;
  #isDue = false;
  /** Duration of the last weighing. */
  #weighingMilliseconds = 0;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get bytesMost(): number {
    return this.#options.bytesMost;
  }

  /** Returns the bytes of a workbook at its last weighing. */
  bytesOf(workbookId: string): number {
    return this.#shares.get(workbookId)?.bytes ?? 0;
  }

  get residentCount(): number {
    return this.#residents.size;
  }

  /** Number of entries that had to leave. */
  get departureCount(): number {
    return this.#departureCount;
  }

  enter(key: string, resident: Resident): void {
    this.remove(key);
    this.#residents.set(key, resident);
    const { workbookId } = resident;
    const share = this.#shares.get(workbookId) ?? { residents: new Set<Resident>(), bytes: 0 };
    share.residents.add(resident);
    this.#shares.set(workbookId, share);
    this.changed(workbookId);
  }

  /** Marks an entry as used. */
  touch(key: string): void {
    const resident = this.#residents.get(key);
    if (!resident) return;
    this.#residents.delete(key);
    this.#residents.set(key, resident);
  }

  remove(key: string): void {
    const resident = this.#residents.get(key);
    if (!resident) return;
    this.#residents.delete(key);
    this.#shares.get(resident.workbookId)?.residents.delete(resident);
    this.changed(resident.workbookId);
  }

  /** Notes that the memory of a workbook has grown or shrunk. */
  changed(workbookId: string): void {
    this.#unweighed.add(workbookId);
    if (this.#isDue) return;
    this.#isDue = true;
    const { environment } = this.#options;
    const rest = Math.min(restMilliseconds, this.#weighingMilliseconds * restPerWeighing);
    environment.after(Math.max(weighMilliseconds, rest), () => {
      this.#isDue = false;
      const start = environment.now();
      this.weigh();
      this.#weighingMilliseconds = environment.now() - start;
    });
  }

  /** Weighs what changed, and makes room. */
  weigh(): void {
    const changed = [...this.#unweighed];
    this.#unweighed.clear();
    for (const workbookId of changed) this.#weighWorkbook(workbookId);
    if (this.#bytes <= this.#options.bytesMost) return;
    const last = [...this.#residents.keys()].at(-1);
    for (const [key, resident] of this.#residents) {
      if (this.#bytes <= this.#options.bytesMost) break;
      if (key === last || !resident.isIdle) continue;
      this.remove(key);
      resident.leave();
      this.#departureCount++;
      this.#weighWorkbook(resident.workbookId);
    }
  }

  #weighWorkbook(workbookId: string): void {
    const share = this.#shares.get(workbookId);
    if (!share) return;
    const scale = new Scale();
    for (const resident of share.residents) resident.weigh(scale);
    this.#bytes += scale.bytes - share.bytes;
    share.bytes = scale.bytes;
    if (share.residents.size === 0) this.#shares.delete(workbookId);
  }
}
