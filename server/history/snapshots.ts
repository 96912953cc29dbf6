import { LRUCache } from 'lru-cache';

import type { Environment } from '../model/environment.ts';
import type { Objects } from '../storage/objects.ts';
import { BranchState } from '../state/branch-state.ts';
import type { NodeKind } from '../state/tree/nodes.ts';
import { getState, putState, type StateTrimmings } from '../state/tree/state-node.ts';
import type { WorkbookContent } from './content.ts';
import { disclose, enclose, StorageFault } from './envelope.ts';
import { packKey, sequencesOf, snapshotKey, snapshotPrefix } from './keys.ts';
import { Pack, PackSource, PackWriter } from './pack.ts';
import type { BranchKey, HistoryTable } from './sql.ts';

const magic = 'QSN1';
/** So many packs are read to open a snapshot; then everything is put into one. */
const packsMost = 8;
const packCacheBytes = 128 << 20;

/** A stored state, without its nodes. */
export interface Snapshot {
  readonly seq: number;
  /** Hash of the state, in hex. */
  readonly root: string;
  /** The journal's hash chain after operation `seq`, in hex. */
  readonly chainHash: string;
  /** Packs that hold the nodes. */
  readonly packs: readonly string[];
  readonly trimmings: StateTrimmings;
}

export interface WrittenSnapshot extends Snapshot {
  /** Nodes that were not stored before, by kind. */
  readonly written: ReadonlyMap<NodeKind, number>;
  readonly byteCount: number;
}

/** Runs a stepwise computation without holding the thread for long. */
export type Run = <Result>(steps: Generator<void, Result>) => Promise<Result>;

export interface SnapshotWriting {
  readonly content: WorkbookContent;
  /** A state that nobody changes meanwhile. */
  readonly state: BranchState;
  readonly chainHash: Buffer;
  /** Packs of the snapshot that the state came from, directly or by way of its parents. */
  readonly packs: readonly string[];
  readonly run: Run;
}

export type SnapshotIndex = Pick<HistoryTable, 'noteSnapshot' | 'snapshotBefore'>;

/** States in object storage. What two of them share is stored once. */
export class Snapshots {
  readonly #objects: Objects;
  readonly #table: SnapshotIndex;
  readonly #environment: Pick<Environment, 'checkpoint'>;
  readonly #packs: LRUCache<string, Pack>;

  constructor(
    objects: Objects,
    table: SnapshotIndex,
    environment: Pick<Environment, 'checkpoint'> = {},
  ) {
    this.#objects = objects;
    this.#table = table;
    this.#environment = environment;
    this.#packs = new LRUCache({
      maxSize: packCacheBytes,
      sizeCalculation: ({ byteCount }) => Math.min(byteCount + 1, packCacheBytes),
    });
  }

  /** Resolves once the snapshot is durable and can be found. */
  async write(address: BranchKey, writing: SnapshotWriting): Promise<WrittenSnapshot> {
    const { content, state, chainHash, run } = writing;
    const base = writing.packs.length < packsMost ? writing.packs : [];
    const writer = new PackWriter((hash) => content.isStored(hash, base));
    const root = await run(putState(writer, state));
    let byteCount = 0;
    const packs = [...base];
    if (writer.nodeCount > 0) {
      const { name, object } = await writer.close();
      await this.#objects.put(packKey(address.workbookId, name), object, { ifNoneMatch: '*' });
      content.notePack(name, writer.hashes());
      packs.push(name);
      byteCount += object.length;
    }
    await this.#environment.checkpoint?.('snapshot.packed');
    const { trimmings } = state;
    const snapshot: Snapshot = {
      seq: trimmings.head,
      root: root.toString('hex'),
      chainHash: chainHash.toString('hex'),
      packs,
      trimmings,
    };
    const objectKey = snapshotKey(address.workbookId, address.branchNo, snapshot.seq);
    const object = enclose(magic, Buffer.from(JSON.stringify(snapshot)));
    await this.#objects.put(objectKey, object, { ifNoneMatch: '*' });
    await this.#environment.checkpoint?.('snapshot.stored');
    await this.#table.noteSnapshot(address, { seq: snapshot.seq, root, objectKey });
    await this.#environment.checkpoint?.('snapshot.noted');
    return { ...snapshot, written: writer.written, byteCount: byteCount + object.length };
  }

  /** The latest snapshot at or before an operation. With `list` the store is asked if need be. */
  async before(address: BranchKey, seq: number, list: boolean): Promise<Snapshot | undefined> {
    const row = await this.#table.snapshotBefore(address, seq);
    if (row) return this.read(row.objectKey);
    if (!list) return undefined;
    let latest: string | undefined;
    for await (const key of this.keys(address)) {
      if (sequencesOf(key).firstSeq <= seq) latest = key;
    }
    return latest === undefined ? undefined : this.read(latest);
  }

  keys({ workbookId, branchNo }: BranchKey): AsyncIterable<string> {
    return this.#objects.list(snapshotPrefix(workbookId, branchNo));
  }

  async read(objectKey: string): Promise<Snapshot> {
    const object = await this.#objects.get(objectKey);
    if (!object) throw new StorageFault(`${objectKey} is missing`);
    // The bytes are what write() wrote, which their hash vouches for.
    return JSON.parse(disclose(magic, objectKey, object).toString('utf8')) as Snapshot;
  }

  /** Fails with a StorageFault unless all that it needs can be read and is what was written. */
  async confirm(address: BranchKey, seq: number): Promise<void> {
    const { workbookId, branchNo } = address;
    const snapshot = await this.read(snapshotKey(workbookId, branchNo, seq));
    for (const name of snapshot.packs) await this.readPack(workbookId, name);
  }

  async open(
    { branchNo }: BranchKey,
    { snapshot, content, run }: { snapshot: Snapshot; content: WorkbookContent; run: Run },
  ): Promise<BranchState> {
    const packs = await Promise.all(snapshot.packs.map((name) => this.#pack(content, name)));
    const { coding, blocks: pool } = content;
    const { trimmings } = snapshot;
    const place = { branchNo, trimmings, coding, pool };
    // The latest packs have most of what there is to find.
    const source = new PackSource(packs.toReversed());
    const root = Buffer.from(snapshot.root, 'hex');
    return BranchState.restore(await run(getState(source, root, place)));
  }

  /** Reads a pack from the store, whatever is in memory. */
  async readPack(workbookId: string, name: string): Promise<Pack> {
    const key = packKey(workbookId, name);
    const object = await this.#objects.get(key);
    if (!object) throw new StorageFault(`${key} is missing`);
    return new Pack(key, object);
  }

  async #pack(content: WorkbookContent, name: string): Promise<Pack> {
    const key = packKey(content.workbookId, name);
    const known = this.#packs.get(key);
    const pack = known ?? (await this.readPack(content.workbookId, name));
    if (!known) this.#packs.set(key, pack);
    content.notePack(name, pack.hashes());
    return pack;
  }
}
