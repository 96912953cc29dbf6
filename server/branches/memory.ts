import type { Environment } from '../model/environment.ts';
import { Scale } from '../state/ids/scale.ts';
import { RecentUse } from './recent-use.ts';

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
/** Times that a newcomer must be used more than one that was there, to stay in its place. */
const newcomerFactor = 2;
/** Entries compared at a time, the least recently used ones. */
const comparedAtOnce = 1_024;
/** Entries that had to leave and whose use is still known. */
const departedMost = 1_000;

interface Entry {
  readonly resident: Resident;
  readonly use: RecentUse;
}

interface WorkbookShare {
  readonly residents: Set<Resident>;
  bytes: number;
}

/**
 * The states in the memory of this process, by weight. A workbook is weighed as one, because its
 * branches and positions share what did not change between them. If all together are too heavy,
 * those that were used least of late leave unless they are busy; one always stays. Those that were
 * there before have an advantage: two that have no room together, used in turn, would otherwise
 * both be read anew each time.
 */
export class StateMemory {
  readonly #options: MemoryOptions;
  /** Entries in order of their last use. */
  readonly #entries = new Map<string, Entry>();
  /** Use of entries that had to leave, the longest gone first. */
  readonly #departed = new Map<string, RecentUse>();
  /** Keys of entries that came since the last weighing. */
  readonly #newcomers = new Set<string>();
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
    return this.#entries.size;
  }

  /** Number of entries that had to leave. */
  get departureCount(): number {
    return this.#departureCount;
  }

  enter(key: string, resident: Resident): void {
    const use = this.#entries.get(key)?.use ?? this.#departed.get(key) ?? new RecentUse();
    this.remove(key);
    this.#departed.delete(key);
    use.note(this.#options.environment.now());
    this.#entries.set(key, { resident, use });
    this.#newcomers.add(key);
    const { workbookId } = resident;
    const share = this.#shares.get(workbookId) ?? { residents: new Set<Resident>(), bytes: 0 };
    share.residents.add(resident);
    this.#shares.set(workbookId, share);
    this.changed(workbookId);
  }

  /** Marks an entry as used. */
  touch(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.use.note(this.#options.environment.now());
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    const { workbookId } = entry.resident;
    this.#entries.delete(key);
    this.#newcomers.delete(key);
    this.#shares.get(workbookId)?.residents.delete(entry.resident);
    this.changed(workbookId);
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
    while (this.#isTooHeavy && this.#makeRoom());
    this.#newcomers.clear();
  }

  get #isTooHeavy(): boolean {
    return this.#bytes > this.#options.bytesMost && this.#entries.size > 1;
  }

  /** Makes some of the least recently used leave until there is room; false if none can. */
  #makeRoom(): boolean {
    const candidates = this.#candidates();
    for (const [key, { resident, use }] of candidates) {
      if (!this.#isTooHeavy) break;
      this.remove(key);
      this.#noteDeparture(key, use);
      resident.leave();
      this.#weighWorkbook(resident.workbookId);
    }
    return candidates.length > 0;
  }

  /** Returns entries that can leave, those that were used least first. */
  #candidates(): (readonly [string, Entry])[] {
    const now = this.#options.environment.now();
    const found: { worth: number; keyed: readonly [string, Entry] }[] = [];
    for (const keyed of this.#entries) {
      if (found.length === comparedAtOnce) break;
      const [key, { resident, use }] = keyed;
      if (!resident.isIdle) continue;
      const factor = this.#newcomers.has(key) ? 1 : newcomerFactor;
      found.push({ worth: use.at(now) * factor, keyed });
    }
    return found.sort((a, b) => a.worth - b.worth).map(({ keyed }) => keyed);
  }

  #noteDeparture(key: string, use: RecentUse): void {
    this.#departureCount++;
    this.#departed.set(key, use);
    const [oldest] = this.#departed.size > departedMost ? this.#departed.keys() : [];
    if (oldest !== undefined) this.#departed.delete(oldest);
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
