import { LRUCache } from 'lru-cache';

import type { Environment } from '../model/environment.ts';
import type { Objects, PutOptions } from '../storage/objects.ts';
import { BranchState } from '../state/branch-state.ts';
import type { NodeKind } from '../state/nodes/nodes.ts';
import { getState, putState, type StateTrimmings } from '../state/tree/state-node.ts';
import type { WorkbookContent } from './content.ts';
import type { DamageList } from './damage.ts';
import { disclose, enclose, readObject, StorageFault } from './envelope.ts';
import { packKey, sequencesOf, snapshotKey, snapshotPrefix } from './keys.ts';
import { Pack, PackSource, PackWriter } from './pack.ts';
import type { BranchKey, HistoryTable } from './sql.ts';

const magic = 'QSN1';
/** Packs that are read to open a snapshot at most; beyond that all nodes are put into one. */
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
  /** State that does not change meanwhile. */
  readonly state: BranchState;
  readonly chainHash: Buffer;
  /** Packs of the snapshot that the state came from, directly or by way of its parents. */
  readonly packs: readonly string[];
  readonly run: Run;
}

export type SnapshotIndex = Pick<HistoryTable, 'noteSnapshot' | 'snapshotBefore'>;

/** The place of a snapshot, before it was read. */
export interface SnapshotPlace {
  readonly seq: number;
  readonly objectKey: string;
  /** True if only the listing of the store knows of it: it may be of a history that is no more. */
  readonly isListed?: boolean;
}

export interface SnapshotParts {
  readonly objects: Objects;
  readonly table: SnapshotIndex;
  /** Packs in it are not built on. */
  readonly damage: Pick<DamageList, 'has' | 'note'>;
  readonly environment?: Pick<Environment, 'checkpoint'>;
}

/** States in object storage. What two of them share is stored once. */
export class Snapshots {
  readonly #objects: Objects;
  readonly #table: SnapshotIndex;
  readonly #damage: Pick<DamageList, 'has' | 'note'>;
  readonly #environment: Pick<Environment, 'checkpoint'>;
  readonly #packs: LRUCache<string, Pack>;

  constructor({ objects, table, damage, environment = {} }: SnapshotParts) {
    this.#objects = objects;
    this.#table = table;
    this.#damage = damage;
    this.#environment = environment;
    this.#packs = new LRUCache({
      maxSize: packCacheBytes,
      sizeCalculation: ({ byteCount }) => Math.min(byteCount + 1, packCacheBytes),
    });
  }

  /** Resolves once the snapshot is durable and can be found. */
  async write(address: BranchKey, writing: SnapshotWriting): Promise<WrittenSnapshot> {
    const packs = await this.#usable(address, writing.content, writing.packs);
    const written = await this.#put(address, { ...writing, packs }, { ifNoneMatch: '*' });
    if (written) return written;
    // A snapshot of the same position exists, by another process or an earlier attempt; beside a
    // database from a backup it may be of a history that is no more, and is then replaced.
    const { workbookId, branchNo } = address;
    const key = snapshotKey(workbookId, branchNo, writing.state.head);
    const snapshot = await faultOf(this.read(key));
    const chainHash = writing.chainHash.toString('hex');
    if (!(snapshot instanceof StorageFault) && snapshot.chainHash === chainHash) {
      const usable = await this.#usable(address, writing.content, snapshot.packs);
      if (usable.length === snapshot.packs.length) return this.#note(address, snapshot);
    }
    return this.remake(address, writing);
  }

  /** Replaces the snapshot, on packs that were all read from the store. */
  async remake(address: BranchKey, writing: SnapshotWriting): Promise<WrittenSnapshot> {
    const { content } = writing;
    const packs: string[] = [];
    for (const name of writing.packs) {
      const pack = await faultOf(this.readPack(content.workbookId, name));
      if (pack instanceof StorageFault) continue;
      content.notePack(name, pack);
      packs.push(name);
    }
    const written = await this.#put(address, { ...writing, packs }, {});
    if (!written) throw new Error('a snapshot that may replace another one was not written');
    return written;
  }

  /** Returns undefined if an object of that name exists and may not be replaced. */
  async #put(
    address: BranchKey,
    { content, state, chainHash, packs, run }: SnapshotWriting,
    options: PutOptions,
  ): Promise<WrittenSnapshot | undefined> {
    const base = packs.length < packsMost ? packs : [];
    const writer = new PackWriter((hash) => content.isStored(hash, base));
    const root = await run(putState(writer, state));
    const pack = writer.nodeCount > 0 ? await this.#putPack(content, writer) : undefined;
    await this.#environment.checkpoint?.('snapshot.packed');
    const { trimmings } = state;
    const snapshot: Snapshot = {
      seq: trimmings.head,
      root: root.toString('hex'),
      chainHash: chainHash.toString('hex'),
      packs: pack ? [...base, pack.name] : base,
      trimmings,
    };
    const objectKey = snapshotKey(address.workbookId, address.branchNo, snapshot.seq);
    const object = enclose(magic, Buffer.from(JSON.stringify(snapshot)));
    const fate = await this.#objects.put(objectKey, object, options);
    if (fate === 'exists') return undefined;
    await this.#environment.checkpoint?.('snapshot.stored');
    const noted = await this.#note(address, snapshot);
    const byteCount = (pack?.byteCount ?? 0) + object.length;
    return { ...noted, written: writer.written, byteCount };
  }

  async #note(address: BranchKey, snapshot: Snapshot): Promise<WrittenSnapshot> {
    const { seq } = snapshot;
    const objectKey = snapshotKey(address.workbookId, address.branchNo, seq);
    const root = Buffer.from(snapshot.root, 'hex');
    await this.#table.noteSnapshot(address, { seq, root, objectKey });
    await this.#environment.checkpoint?.('snapshot.noted');
    return { ...snapshot, written: new Map(), byteCount: 0 };
  }

  async #putPack(
    content: WorkbookContent,
    writer: PackWriter,
  ): Promise<{ name: string; byteCount: number }> {
    const { name, object } = await writer.close();
    const key = packKey(content.workbookId, name);
    const fate = await this.#objects.put(key, object, { ifNoneMatch: '*' });
    // Its name says every byte of it, so a damaged one can be put over at any time.
    if (fate === 'exists' && !(await this.#isSound(content.workbookId, name))) {
      await this.#objects.put(key, object);
    }
    content.notePack(name, { hashes: () => writer.hashes(), objectBytes: object.length });
    return { name, byteCount: object.length };
  }

  async #isSound(workbookId: string, name: string): Promise<boolean> {
    return !((await faultOf(this.readPack(workbookId, name))) instanceof StorageFault);
  }

  /** The packs without those that are known to be damaged, gone, or of another length. */
  async #usable(
    address: BranchKey,
    content: WorkbookContent,
    packs: readonly string[],
  ): Promise<string[]> {
    const usable = await Promise.all(
      packs.map(async (name) => {
        const objectKey = packKey(address.workbookId, name);
        if (this.#damage.has(objectKey)) return false;
        const byteCount = (await this.#objects.head(objectKey))?.byteCount;
        const isThere = byteCount === (content.packBytes(name) ?? byteCount);
        if (byteCount !== undefined && isThere) return true;
        this.#damage.note({ ...address, objectKey });
        return false;
      }),
    );
    return packs.filter((_, index) => usable[index]);
  }

  /** The latest at or before an operation. With `list` the store is asked if need be. */
  async find(address: BranchKey, seq: number, list: boolean): Promise<SnapshotPlace | undefined> {
    const row = await this.#table.snapshotBefore(address, seq);
    if (row || !list) return row;
    let latest: SnapshotPlace | undefined;
    for await (const objectKey of this.keys(address)) {
      const { firstSeq } = sequencesOf(objectKey);
      if (firstSeq <= seq) latest = { seq: firstSeq, objectKey, isListed: true };
    }
    return latest;
  }

  keys({ workbookId, branchNo }: BranchKey): AsyncIterable<string> {
    return this.#objects.list(snapshotPrefix(workbookId, branchNo));
  }

  async read(objectKey: string): Promise<Snapshot> {
    const object = await readObject(this.#objects, objectKey);
    // The bytes are what write() wrote, which their hash vouches for.
    return JSON.parse(disclose(magic, objectKey, object).toString('utf8')) as Snapshot;
  }

  /** Fails with a StorageFault unless all that it needs can be read and is what was written. */
  async confirm(address: BranchKey, seq: number): Promise<void> {
    const { damaged } = await this.examine(address, seq);
    const [first] = damaged;
    if (first) throw first;
  }

  /**
   * Finds the parts of a snapshot that are missing or damaged. `sound` are packs that need not be
   * read again.
   */
  async examine(
    { workbookId, branchNo }: BranchKey,
    seq: number,
    sound = new Set<string>(),
  ): Promise<{ snapshot: Snapshot | undefined; damaged: StorageFault[] }> {
    const snapshot = await faultOf(this.read(snapshotKey(workbookId, branchNo, seq)));
    if (snapshot instanceof StorageFault) return { snapshot: undefined, damaged: [snapshot] };
    const damaged: StorageFault[] = [];
    for (const name of snapshot.packs) {
      if (sound.has(name)) continue;
      const pack = await faultOf(this.readPack(workbookId, name));
      if (pack instanceof StorageFault) damaged.push(pack);
      else sound.add(name);
    }
    return { snapshot, damaged };
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

  /** Reads a pack, always from the store. */
  async readPack(workbookId: string, name: string): Promise<Pack> {
    const key = packKey(workbookId, name);
    return new Pack(key, await readObject(this.#objects, key));
  }

  async #pack(content: WorkbookContent, name: string): Promise<Pack> {
    const key = packKey(content.workbookId, name);
    const known = this.#packs.get(key);
    const pack = known ?? (await this.readPack(content.workbookId, name));
    if (!known) this.#packs.set(key, pack);
    content.notePack(name, pack);
    return pack;
  }
}

/** Returns the result, or the damage that the read met. */
async function faultOf<Result>(reading: Promise<Result>): Promise<Result | StorageFault> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StorageFault) return error;
    throw error;
  }
}
