import type { Objects } from '../storage/objects.ts';
import { StorageFault } from './envelope.ts';
import { logKey, logPrefix, sequencesOf } from './keys.ts';
import { openSegments, sealSegments, type LogSegment } from './sealed-log.ts';
import type { BranchKey, HistoryTable, SealedRow } from './sql.ts';

export type SealedIndex = Pick<HistoryTable, 'noteSealed' | 'sealedAt'>;

/** The part of the journals that is in object storage. */
export class SealedLog {
  readonly #objects: Objects;
  readonly #table: SealedIndex;

  constructor(objects: Objects, table: SealedIndex) {
    this.#objects = objects;
    this.#table = table;
  }

  /**
   * Stores consecutive segments, the first of which follows what is sealed already; they are
   * durable when it resolves. Undefined: others have sealed some of them meanwhile.
   */
  async seal(address: BranchKey, segments: readonly LogSegment[]): Promise<SealedRow | undefined> {
    const [first] = segments;
    const last = segments.at(-1);
    if (!first || !last) throw new Error('there is nothing to seal');
    const { firstSeq } = first;
    const { lastSeq } = last;
    const objectKey = logKey(address, firstSeq, lastSeq);
    const object = await sealSegments(segments);
    await this.#objects.put(objectKey, object, { ifNoneMatch: '*' });
    const row = { firstSeq, lastSeq, objectKey, byteCount: object.length };
    return (await this.#table.noteSealed(address, row)) ? row : undefined;
  }

  /** Segments of the object that holds the operation after `after`; none if none does. */
  async segmentsAfter(address: BranchKey, after: number): Promise<LogSegment[]> {
    const segments = await this.segmentsAround(address, after + 1);
    return segments.filter(({ lastSeq }) => lastSeq > after);
  }

  /** All segments of the object that holds an operation; none if none does. */
  async segmentsAround(address: BranchKey, seq: number): Promise<LogSegment[]> {
    const row = await this.#table.sealedAt(address, seq);
    const key = row?.objectKey ?? (await this.#findKey(address, seq));
    return key === undefined ? [] : this.read(key);
  }

  async read(key: string): Promise<LogSegment[]> {
    const object = await this.#objects.get(key);
    if (!object) throw new StorageFault(`${key} is missing`);
    return openSegments(key, object);
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
