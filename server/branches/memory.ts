import type { Environment } from '../model/environment.ts';
import { Scale } from '../state/ids/scale.ts';
import { toEnd } from '../state/plan/steps.ts';
import { Pace } from './pace.ts';
import { RecentUse } from './recent-use.ts';

/** An entry of the memory that can leave while idle and be loaded again. */
export interface Resident {
  readonly workbookId: string;
  readonly isIdle: boolean;
  /** Adds it to the memory accounting, with pauses. */
  weigh(scale: Scale): Generator<void, void>;
  /** Removes it from memory. */
  leave(): void;
}

export interface MemoryOptions {
  readonly bytesMost: number;
  readonly environment: Pick<Environment, 'after' | 'elapsed'>;
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
    use.note(this.#options.environment.elapsed());
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
    entry.use.note(this.#options.environment.elapsed());
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
    if (!this.#isDue) this.#weighLater();
  }

  #weighLater(): void {
    this.#isDue = true;
    const { environment } = this.#options;
    const rest = Math.min(restMilliseconds, this.#weighingMilliseconds * restPerWeighing);
    environment.after(Math.max(weighMilliseconds, rest), () => void this.#weighSlowly());
  }

  /** Weighs a slice at a time, as a large workbook would hold the thread for longer than a read. */
  async #weighSlowly(): Promise<void> {
    const { environment } = this.#options;
    const start = environment.elapsed();
    await new Pace(environment).run(this.#weighing());
    this.#weighingMilliseconds = environment.elapsed() - start;
    this.#isDue = false;
    if (this.#unweighed.size > 0) this.#weighLater();
  }

  /** Weighs at once what changed, and makes room. */
  weigh(): void {
    toEnd(this.#weighing());
  }

  *#weighing(): Generator<void, void> {
    const changed = [...this.#unweighed];
    const newcomers = [...this.#newcomers];
    this.#unweighed.clear();
    for (const workbookId of changed) yield* this.#weighWorkbook(workbookId);
    while (this.#isTooHeavy && (yield* this.#makeRoom()));
    for (const key of newcomers) this.#newcomers.delete(key);
  }

  get #isTooHeavy(): boolean {
    return this.#bytes > this.#options.bytesMost && this.#entries.size > 1;
  }

  /** Makes some of the least recently used leave until there is room; false if none can. */
  *#makeRoom(): Generator<void, boolean> {
    const candidates = this.#candidates();
    for (const [key, entry] of candidates) {
      if (!this.#isTooHeavy) break;
      const { resident, use } = entry;
      // It may be busy since a pause, or be another one.
      if (this.#entries.get(key) !== entry || !resident.isIdle) continue;
      this.remove(key);
      this.#noteDeparture(key, use);
      resident.leave();
      yield* this.#weighWorkbook(resident.workbookId);
    }
    return candidates.length > 0;
  }

  /** Returns entries that can leave, those that were used least first. */
  #candidates(): (readonly [string, Entry])[] {
    const now = this.#options.environment.elapsed();
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

  *#weighWorkbook(workbookId: string): Generator<void, void> {
    const share = this.#shares.get(workbookId);
    if (!share) return;
    const scale = new Scale();
    for (const resident of share.residents) yield* resident.weigh(scale);
    if (this.#shares.get(workbookId) !== share) return;
    // All may have gone during the pauses.
    const isGone = share.residents.size === 0;
    const bytes = isGone ? 0 : scale.bytes;
    this.#bytes += bytes - share.bytes;
    share.bytes = bytes;
    if (isGone) this.#shares.delete(workbookId);
  }
}
