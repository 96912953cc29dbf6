import { LRUCache } from 'lru-cache';

import type { Environment } from '../model/environment.ts';
import type { Objects } from '../storage/objects.ts';
import type { DamageList } from './damage.ts';
import { readObject, StorageFault } from './envelope.ts';
import { branchOfKey, logKey, logPrefix, sequencesOf } from './keys.ts';
import { openSegments, sealSegments, type LogSegment } from './sealed-log.ts';
import type { BranchKey, HistoryTable, SealedRow } from './sql.ts';

/**
 * Bytes of objects kept in memory: a client that pages through old operations reads the same object
 * again and again.
 */
const cacheBytes = 32 << 20;
const segmentOverheadBytes = 512;

export type SealedIndex = Pick<HistoryTable, 'noteSealed' | 'sealedAt'>;

export interface SealedLogParts {
  readonly objects: Objects;
  readonly table: SealedIndex;
  readonly damage: Pick<DamageList, 'note'>;
  readonly environment?: Pick<Environment, 'checkpoint'>;
}

/** The part of the journals that is in object storage. */
export class SealedLog {
  readonly #objects: Objects;
  readonly #table: SealedIndex;
  readonly #recent = new LRUCache<string, readonly LogSegment[]>({
    maxSize: cacheBytes,
    sizeCalculation: (segments) => Math.min(cacheBytes, byteCountOf(segments)),
  });
  readonly #damage: Pick<DamageList, 'note'>;
  readonly #environment: Pick<Environment, 'checkpoint'>;

  constructor({ objects, table, damage, environment = {} }: SealedLogParts) {
    this.#objects = objects;
    this.#table = table;
    this.#damage = damage;
    this.#environment = environment;
  }

  /**
   * Stores consecutive segments, the first of which follows the sealed ones; they are durable when
   * it resolves. Undefined if others have sealed some of them meanwhile.
   */
  async seal(address: BranchKey, segments: readonly LogSegment[]): Promise<SealedRow | undefined> {
    const [first] = segments;
    const last = segments.at(-1);
    if (!first || !last) throw new Error('there is nothing to seal');
    const { firstSeq } = first;
    const { lastSeq } = last;
    const objectKey = logKey(address, firstSeq, lastSeq);
    const object = await sealSegments(segments);
    const fate = await this.#objects.put(objectKey, object, { ifNoneMatch: '*' });
    if (fate === 'exists') await this.#replaceOther(objectKey, object, segments);
    await this.#environment.checkpoint?.('seal.stored');
    const row = { firstSeq, lastSeq, objectKey, byteCount: object.length };
    const isNoted = await this.#table.noteSealed(address, row);
    await this.#environment.checkpoint?.('seal.noted');
    return isNoted ? row : undefined;
  }

  /** Segments of the object that holds the operation after `after`; none if none does. */
  async segmentsAfter(address: BranchKey, after: number): Promise<LogSegment[]> {
    const segments = await this.segmentsAround(address, after + 1);
    return segments.filter(({ lastSeq }) => lastSeq > after);
  }

  /** All segments of the object that holds an operation; none if none does. */
  async segmentsAround(address: BranchKey, seq: number): Promise<readonly LogSegment[]> {
    const key = await this.#keyAt(address, seq);
    if (key === undefined) return [];
    const known = this.#recent.get(key);
    const segments = known ?? (await this.read(key));
    if (!known) this.#recent.set(key, segments);
    return segments;
  }

  /** Returns the segments of `segmentsAfter`, always read from the store. */
  async storedAfter(address: BranchKey, after: number): Promise<LogSegment[]> {
    const key = await this.#keyAt(address, after + 1);
    const segments = key === undefined ? [] : await this.read(key);
    return segments.filter(({ lastSeq }) => lastSeq > after);
  }

  async #keyAt(address: BranchKey, seq: number): Promise<string | undefined> {
    const row = await this.#table.sealedAt(address, seq);
    return row?.objectKey ?? this.#findKey(address, seq);
  }

  /** Replaces an object by its right content. */
  async remake(objectKey: string, segments: readonly LogSegment[]): Promise<void> {
    await this.#objects.put(objectKey, await sealSegments(segments));
  }

  /** Fails with a StorageFault if the object is missing or damaged, and notes that it is. */
  async read(key: string): Promise<LogSegment[]> {
    try {
      return await openSegments(key, await readObject(this.#objects, key));
    } catch (error) {
      if (error instanceof StorageFault) {
        this.#damage.note({ ...branchOfKey(key), objectKey: key });
      }
      throw error;
    }
  }

  /**
   * Replaces what is damaged, or of another history: beside a database from a backup the store has
   * what was written after it. The journal of the database is the one that was acknowledged since.
   */
  async #replaceOther(
    objectKey: string,
    object: Buffer,
    segments: readonly LogSegment[],
  ): Promise<void> {
    try {
      const stored = await openSegments(objectKey, await readObject(this.#objects, objectKey));
      if (areSame(stored, segments)) return;
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error;
    }
    await this.#objects.put(objectKey, object);
  }

  keys({ workbookId, branchNo }: BranchKey): AsyncIterable<string> {
    return this.#objects.list(logPrefix(workbookId, branchNo));
  }

  async #findKey(address: BranchKey, seq: number): Promise<string | undefined> {
    for await (const key of this.keys(address)) {
      const { firstSeq, lastSeq } = sequencesOf(key);
      if (firstSeq <= seq && seq <= lastSeq) return key;
    }
    return undefined;
  }
}

/** The hash of a segment is chained to all before it, and so says every byte of it. */
function areSame(stored: readonly LogSegment[], segments: readonly LogSegment[]): boolean {
  const isSame = ({ lastSeq, hash }: LogSegment, index: number): boolean =>
    segments[index]?.lastSeq === lastSeq && segments[index].hash.equals(hash);
  return stored.length === segments.length && stored.every(isSame);
}

function byteCountOf(segments: readonly LogSegment[]): number {
  return segments.reduce((sum, { body }) => sum + body.length + segmentOverheadBytes, 1);
}
