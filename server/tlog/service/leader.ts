import { equalBytes } from '../encoding/bytes.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { formatCheckpoint, parseCheckpoint, type Checkpoint } from '../note/checkpoint.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import { hasher } from '../statements/statement-row.ts';
import { AuthenticTiles } from '../tree/authentic-tiles.ts';
import { TreeEdge } from '../tree/edge.ts';
import { edgeTiles } from '../tree/tile-layout.ts';
import { verifyConsistency, type TreeHead } from '../tree/verify.ts';
import { bundleStart, growTree, packEdge, unpackEdge } from './growth.ts';
import { LogHalted } from './halted.ts';
import type { Published } from './published.ts';
import type { LogSigner } from './signing-keys.ts';
import type { LogState, LogTable, SignedTree } from './sql.ts';
import type { TileStore } from './tile-store.ts';

export interface LeaderParts {
  readonly table: LogTable;
  readonly tiles: TileStore;
  readonly signer: LogSigner;
  readonly published: Published;
  /** Called at places where a crash would be felt. */
  readonly crashPoint: (place: string) => Promise<void>;
}

/** What one transaction took. */
export interface Gathered {
  /** Whether nothing was left. */
  readonly isAll: boolean;
  /** How long the oldest had waited; null when there were none. */
  readonly oldestMilliseconds: number | null;
}

/** One transaction takes so many out of the outbox. */
const batchMost = 4_096;
/** Entries that are made into tiles at a time. */
const strideEntries = 65_536;

/**
 * The one that writes the log, as long as its epoch is the last. PostgreSQL decides: an entry has
 * its index there, and what is signed is there, before anybody sees either. The rest follows from
 * that, so after a failure this object is dropped and the next one does the same again.
 */
export class Leader {
  readonly #parts: LeaderParts;
  readonly #epoch: number;
  readonly #edge: TreeEdge;
  #sequenced: number;

  private constructor(parts: LeaderParts, state: LogState, edge: TreeEdge) {
    this.#parts = parts;
    this.#epoch = state.epoch;
    this.#sequenced = state.sequenced;
    this.#edge = edge;
  }

  /**
   * Takes the log over; undefined while another process has it. Fails with LogHalted if it is not
   * the log that others have seen.
   */
  static async take(parts: LeaderParts): Promise<Leader | undefined> {
    const { table, signer } = parts;
    await table.nameLog(signer.origin);
    const state = await table.takeOver();
    if (state === undefined) return undefined;
    await parts.crashPoint('tlog.taken');
    try {
      return await Leader.#open(parts, state);
    } catch (error) {
      // What another process changed meanwhile does not fit what was read before.
      if (error instanceof LogHalted) await table.renew(state.epoch);
      throw error;
    }
  }

  static async #open(parts: LeaderParts, state: LogState): Promise<Leader> {
    const { table, signer } = parts;
    if (state.origin !== signer.origin) {
      throw new LogHalted(`the log began as ${state.origin}, and is to go on as ${signer.origin}`);
    }
    const signed = await table.signed();
    checkSigned(state, signed);
    const leader = new Leader(parts, state, openEdge(state));
    await leader.#catchUp(signed);
    return leader;
  }

  /** Entries in the tree. */
  get size(): number {
    return this.#edge.size;
  }

  /** Whether there is anything to do. */
  async hasWork(): Promise<boolean> {
    return this.isBehind || (await this.#parts.table.hasPending());
  }

  renew(): Promise<void> {
    return this.#parts.table.renew(this.#epoch);
  }

  release(): Promise<void> {
    return this.#parts.table.release(this.#epoch);
  }

  /** Gives what waits its index. */
  async sequence(): Promise<Gathered> {
    const batch = await this.#parts.table.sequence(this.#epoch, batchMost);
    const { sequenced, takenCount, oldestMilliseconds } = batch;
    this.#sequenced = sequenced;
    await this.#parts.crashPoint('tlog.sequenced');
    return { isAll: takenCount < batchMost, oldestMilliseconds };
  }

  /** Whether there are entries that are not in the tree. */
  get isBehind(): boolean {
    return this.#edge.size < this.#sequenced;
  }

  /** Entries with an index go into the tree, once their tiles are durable. */
  async integrate(): Promise<void> {
    const { table, tiles, crashPoint } = this.#parts;
    while (this.isBehind) {
      const size = this.#edge.size;
      const start = bundleStart(size);
      const end = Math.min(this.#sequenced, start + strideEntries);
      await tiles.put(growTree(this.#edge, await table.entries(start, end)));
      await crashPoint('tlog.tiles');
      const tree = { size: end, root: this.#edge.root(), edge: packEdge(this.#edge) };
      await table.integrate({ epoch: this.#epoch, size }, tree);
      await crashPoint('tlog.integrated');
    }
  }

  /** Signs the tree, after it was proven from the tiles that it begins with the one before. */
  async sign(): Promise<SignedTree> {
    const { table, signer, crashPoint } = this.#parts;
    const signed = await table.sign(this.#epoch, async (tree, before) => {
      if (before) await this.#checkGrowth(before, tree);
      const checkpoint = { origin: signer.origin, extensions: [], ...tree };
      return signer.sign(formatCheckpoint(checkpoint));
    });
    await crashPoint('tlog.signed');
    return signed;
  }

  /** The proof that one tree begins with another, for a witness. */
  proveGrowth(oldSize: number, tree: TreeHead): Promise<Uint8Array[]> {
    const source = this.#parts.tiles.source(this.#edge.size);
    return new AuthenticTiles(hasher, source, tree).proveConsistency(oldSize);
  }

  async #checkGrowth(before: TreeHead, tree: TreeHead): Promise<void> {
    try {
      if (before.size > tree.size) throw new ProofFault(`it has shrunk from ${before.size}`);
      verifyConsistency(hasher, before, tree, await this.proveGrowth(before.size, tree));
    } catch (error) {
      if (!(error instanceof ProofFault)) throw error;
      throw new LogHalted(`size ${tree.size} is not a growth of what was signed: ${error.message}`);
    }
  }

  /** What others have seen in the object store must be a past of ours; what it lacks is written. */
  async #catchUp(signed: SignedTree | undefined): Promise<void> {
    const seen = await this.#readStored();
    if (seen === undefined) {
      const isPublished = signed !== undefined && signed.publishedAt !== null;
      if (isPublished && this.size > 0) await this.#rewrite(undefined);
      return;
    }
    await this.#checkSeen(seen, signed);
    if (signed === undefined || seen.size === signed.size) return;
    await this.#rewrite(seen);
    await this.#parts.tiles.putCheckpoint(signed.publishedNote ?? signed.note);
  }

  async #checkSeen(
    seen: Checkpoint & { readonly note: string },
    signed: SignedTree | undefined,
  ): Promise<void> {
    const { table, published } = this.#parts;
    if (seen.size > (signed?.size ?? -1)) {
      // The world has seen it, so that is what the world goes on seeing.
      published.show({ ...seen, publishedAt: 0 });
      throw new LogHalted(
        `the object store has a checkpoint of size ${seen.size}, newer than any in the database: ` +
          'the database was restored from an older backup',
      );
    }
    const own = await table.signed(seen.size);
    if (own?.root.equals(seen.root) === true) return;
    throw new LogHalted(`the checkpoint of size ${seen.size} in the object store is another one`);
  }

  async #readStored(): Promise<(Checkpoint & { readonly note: string }) | undefined> {
    const { tiles, signer } = this.#parts;
    const text = await tiles.checkpoint();
    if (text === undefined) return undefined;
    try {
      const note = await verifyNote(nodeCrypto, parseNote(text), signer.keys);
      const checkpoint = parseCheckpoint(note.text);
      if (checkpoint.origin === signer.origin) return { ...checkpoint, note: text };
      throw new ProofFault(`it is of ${checkpoint.origin}`);
    } catch (error) {
      if (!(error instanceof FormatFault || error instanceof ProofFault)) throw error;
      throw new LogHalted(`the checkpoint in the object store is not ours: ${error.message}`);
    }
  }

  /** Writes again what lies between what the store has seen and the tree. */
  async #rewrite(seen: TreeHead | undefined): Promise<void> {
    const { table, tiles } = this.#parts;
    const edge = seen ? await this.#edgeOf(seen) : new TreeEdge(hasher);
    while (edge.size < this.size) {
      const start = bundleStart(edge.size);
      const end = Math.min(this.size, start + strideEntries);
      await tiles.put(growTree(edge, await table.entries(start, end)));
    }
    if (!equalBytes(edge.root(), this.#edge.root())) {
      throw new LogHalted('the entries in the database are not those of its tree');
    }
  }

  async #edgeOf(seen: TreeHead): Promise<TreeEdge> {
    const source = this.#parts.tiles.source(seen.size);
    const parts = new Map<string, Uint8Array>();
    const edge = new AuthenticTiles(hasher, source, seen);
    for (const { level, index, width } of edgeTiles(seen.size)) {
      parts.set(`${level} ${index} ${width}`, (await edge.tile(level, index)).bytes);
    }
    return TreeEdge.open(hasher, seen, ({ level, index, width }) => {
      return parts.get(`${level} ${index} ${width}`) ?? new Uint8Array();
    });
  }
}

function openEdge(state: LogState): TreeEdge {
  try {
    return unpackEdge(state, state.edge);
  } catch (error) {
    if (!(error instanceof ProofFault || error instanceof FormatFault)) throw error;
    throw new LogHalted(`the tree in tlog_state is damaged: ${error.message}`);
  }
}

function checkSigned(state: LogState, signed: SignedTree | undefined): void {
  if (!signed) return;
  const isSame = signed.size === state.size && signed.root.equals(state.root);
  if (signed.size < state.size || isSame) return;
  throw new LogHalted(
    `size ${signed.size} was signed, and the tree in tlog_state of size ${state.size} is another`,
  );
}
