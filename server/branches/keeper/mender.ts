import type { Damage, DamageList } from '../../history/damage.ts';
import { StorageFault } from '../../history/envelope.ts';
import { logPrefix, sequencesOf, snapshotPrefix } from '../../history/keys.ts';
import type { SealedLog } from '../../history/sealed-log-store.ts';
import type { Snapshots } from '../../history/snapshots.ts';
import type { HistoryTable } from '../../history/sql.ts';
import type { Metrics } from '../../metrics.ts';
import type { Environment } from '../../model/environment.ts';
import type { BranchAddress, JournalStore, StoredSegment } from '../journal-store.ts';
import type { Loader } from '../loader.ts';
import { Pace } from '../pace.ts';

export interface MenderParts {
  readonly damage: Pick<DamageList, 'of' | 'mended'>;
  readonly sealed: Pick<SealedLog, 'read' | 'remake'>;
  readonly snapshots: Pick<Snapshots, 'examine' | 'remake'>;
  readonly table: Pick<HistoryTable, 'snapshotRows'>;
  readonly loader: Pick<Loader, 'startAt'>;
  /** The part of the journal that is in PostgreSQL. */
  readonly rows: Pick<JournalStore, 'segments'>;
  readonly environment: Environment;
  readonly metrics: Metrics;
}

/**
 * Makes stored objects anew that were found missing or damaged: a sealed part of a journal from
 * its rows, a snapshot from the journal. What cannot be made anew stays in the list.
 */
export class Mender {
  readonly #parts: MenderParts;

  constructor(parts: MenderParts) {
    this.#parts = parts;
  }

  /** Fails with a StorageFault that names the first object that cannot be made anew. */
  async run(address: BranchAddress): Promise<void> {
    const damages = this.#parts.damage.of(address);
    if (damages.length === 0) return;
    const prefix = logPrefix(address.workbookId, address.branchNo);
    const logs = damages.filter(({ objectKey }) => objectKey.startsWith(prefix));
    let fault: StorageFault | undefined;
    for (const damage of logs) {
      try {
        await this.#mendLog(address, damage);
      } catch (error) {
        // A snapshot behind the gap can be made anew all the same.
        if (!(error instanceof StorageFault)) throw error;
        fault ??= error;
      }
    }
    if (logs.length < damages.length) await this.#mendSnapshots(address, damages);
    if (fault) throw fault;
  }

  async #mendLog(address: BranchAddress, damage: Damage): Promise<void> {
    const { damage: list, sealed, metrics } = this.#parts;
    const { objectKey } = damage;
    const segments = await this.#rowsOf(address, objectKey);
    if (segments) {
      await sealed.remake(objectKey, segments);
      metrics.objectsMended.inc();
    }
    // Without rows somebody else has to put it back, and may have done so.
    await sealed.read(objectKey);
    list.mended(damage);
  }

  /** All segments that the object was made of; undefined when some are in PostgreSQL no more. */
  async #rowsOf(address: BranchAddress, objectKey: string): Promise<StoredSegment[] | undefined> {
    const { firstSeq, lastSeq } = sequencesOf(objectKey);
    const found: StoredSegment[] = [];
    for (let next = firstSeq; next <= lastSeq;) {
      const page = await this.#parts.rows.segments(address, next - 1, lastSeq);
      const isNext = page[0]?.firstSeq === next;
      const last = page.at(-1);
      if (!isNext || !last) return undefined;
      found.push(...page);
      next = last.lastSeq + 1;
    }
    return found.at(-1)?.lastSeq === lastSeq ? found : undefined;
  }

  /**
   * Mends all snapshots in their order, because a pack that is damaged may be needed by several.
   */
  async #mendSnapshots(address: BranchAddress, damages: readonly Damage[]): Promise<void> {
    const { damage, snapshots, table, metrics } = this.#parts;
    const { workbookId, branchNo } = address;
    const logs = logPrefix(workbookId, branchNo);
    const rows = await table.snapshotRows(address);
    const noted = damages
      .filter(({ objectKey }) => objectKey.startsWith(snapshotPrefix(workbookId, branchNo)))
      .map(({ objectKey }) => sequencesOf(objectKey).firstSeq);
    const seqs = [...new Set([...rows.map(({ seq }) => seq), ...noted])].toSorted((a, b) => a - b);
    const sound = new Set<string>();
    for (const seq of seqs) {
      const { damaged } = await snapshots.examine(address, seq, sound);
      if (damaged.length === 0) continue;
      await this.#remake(address, seq);
      metrics.objectsMended.inc();
    }
    // The list has grown by what was met on the way, and all of it is whole by now.
    for (const one of damage.of(address)) if (!one.objectKey.startsWith(logs)) damage.mended(one);
  }

  async #remake(address: BranchAddress, seq: number): Promise<void> {
    const { loader, snapshots, environment } = this.#parts;
    const { state, content, hash: chainHash, packs } = await loader.startAt(address, seq);
    const pace = new Pace(environment);
    const run = pace.run.bind(pace);
    await snapshots.remake(address, { content, state, chainHash, packs, run });
  }
}
