import type { Pace } from '../../branches/pace.ts';
import { disclose, StorageFault } from '../../history/envelope.ts';
import { sequencesOf, snapshotKey } from '../../history/keys.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { NodeSink } from '../../state/nodes/nodes.ts';
import { putState, type StateTrimmings } from '../../state/tree/state-node.ts';
import { rowPlace, VerifyFault } from './fault.ts';
import type { CheckedPacks } from './packs.ts';
import type { SnapshotEntry, StoredBranch } from './sql.ts';
import type { StateHashes } from './state-hashes.ts';
import { objectFault, type Reader, type StoredObjects } from './stored-objects.ts';

const magic = 'QSN1';

/** A snapshot that should be stored. */
export interface ListedSnapshot {
  readonly seq: number;
  readonly place: string;
  /** Entry of the snapshot; undefined for one found by listing the store. */
  readonly entry: SnapshotEntry | undefined;
}

interface StoredSnapshot {
  readonly seq: number;
  readonly root: string;
  readonly chainHash: string;
  readonly packs: readonly string[];
  readonly trimmings: StateTrimmings;
}

/** Result of replaying the journal up to a snapshot's position. */
export interface ReplayedPosition {
  readonly state: BranchState;
  readonly chainHash: Buffer;
  readonly hashes: StateHashes;
}

/** The snapshots of a branch: its rows, or what the store lists if there are none. */
export function listedSnapshots(
  workbookId: string,
  { branchNo, snapshots }: StoredBranch,
  objects: StoredObjects,
): ListedSnapshot[] {
  if (snapshots.length === 0) {
    const places = [...objects.keys].filter((key) => key.startsWith(`snapshot/${branchNo}/`));
    return places.map((place) => ({ seq: sequencesOf(place).firstSeq, place, entry: undefined }));
  }
  return snapshots.map((entry) => {
    const { seq, objectKey } = entry;
    const place = objects.placeOf(objectKey);
    if (place === undefined || objectKey !== snapshotKey(workbookId, branchNo, seq)) {
      throw snapshotRowFault({ branchNo, seq });
    }
    return { seq, place, entry };
  });
}

/** A state after the head that no row names: the branch was longer once. */
export function snapshotBeyond(
  { branchNo, head, snapshots }: StoredBranch,
  objects: StoredObjects,
): string | undefined {
  const known = new Set(snapshots.map(({ objectKey }) => objects.placeOf(objectKey)));
  const prefix = `snapshot/${branchNo}/`;
  return [...objects.keys].find((place) => {
    return place.startsWith(prefix) && !known.has(place) && sequencesOf(place).firstSeq > head;
  });
}

/** Compares stored states with replayed ones, node by node. */
export class SnapshotCheck {
  readonly #objects: StoredObjects;
  readonly #packs: CheckedPacks;
  readonly #pace: Pace;
  /** Nodes that are stored, with all below them, in the packs of the snapshot before. */
  readonly #stored = new Set<string>();
  #storedIn: readonly string[] = [];

  constructor(objects: StoredObjects, packs: CheckedPacks, pace: Pace) {
    this.#objects = objects;
    this.#packs = packs;
    this.#pace = pace;
  }

  /** Fails unless the snapshot is the state that was replayed, and every node of it is stored. */
  async check(
    branchNo: number,
    { seq, place, entry }: ListedSnapshot,
    replayed: ReplayedPosition,
  ): Promise<void> {
    const reader = { branchNo, seq };
    const snapshot = await this.#read(place, reader);
    const { state, chainHash, hashes } = replayed;
    const { form, hash } = await hashes.like(snapshot.root);
    const isSo =
      snapshot.seq === seq &&
      snapshot.root === hash &&
      snapshot.chainHash === chainHash.toString('hex') &&
      JSON.stringify(snapshot.trimmings) === JSON.stringify(state.trimmings);
    if (!isSo) throw objectFault(place, reader, 'wrong_snapshot');
    if (entry && entry.root.toString('hex') !== hash) throw snapshotRowFault(reader);
    const packs: ReadonlySet<string>[] = [];
    for (const name of snapshot.packs) packs.push(await this.#packs.nodesOf(name, reader));
    this.#keepFor(snapshot.packs);
    const sink = new PresenceSink(packs, this.#stored);
    this.#pace.begin();
    await this.#pace.run(putState(sink, state, form));
    if (!sink.isMissing) return;
    this.#stored.clear();
    throw objectFault(place, reader, 'wrong_snapshot');
  }

  async #read(place: string, reader: Reader): Promise<StoredSnapshot> {
    const object = await this.#objects.read(place, reader);
    try {
      // The bytes are what was written, which their hash vouches for.
      return JSON.parse(disclose(magic, place, object).toString('utf8')) as StoredSnapshot;
    } catch (error) {
      if (error instanceof StorageFault || error instanceof SyntaxError) {
        throw objectFault(place, reader, 'damaged');
      }
      throw error;
    }
  }

  #keepFor(packs: readonly string[]): void {
    if (!this.#storedIn.every((name) => packs.includes(name))) this.#stored.clear();
    this.#storedIn = packs;
  }
}

/** Takes every node of a state that is not known to be stored, and asks the packs for it. */
class PresenceSink implements NodeSink {
  readonly #packs: readonly ReadonlySet<string>[];
  readonly #stored: Set<string>;
  isMissing = false;

  constructor(packs: readonly ReadonlySet<string>[], stored: Set<string>) {
    this.#packs = packs;
    this.#stored = stored;
  }

  has(hash: Buffer): boolean {
    return this.#stored.has(hash.toString('latin1'));
  }

  put(_kind: unknown, hash: Buffer): void {
    const name = hash.toString('latin1');
    if (this.#packs.some((nodes) => nodes.has(name))) this.#stored.add(name);
    else this.isMissing = true;
  }
}

function snapshotRowFault({ branchNo, seq }: Reader): VerifyFault {
  const where = rowPlace('snapshot', branchNo, seq);
  const hint = 'Delete this row, or restore it from a backup: a branch wakes without it, too.';
  return new VerifyFault({ branchNo, seq, what: 'wrong_entry', where, hint });
}
