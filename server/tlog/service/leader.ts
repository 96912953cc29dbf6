import { equalBytes } from '../encoding/bytes.ts';
import { FormatFault, ProofFault } from '../encoding/fault.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { formatCheckpoint } from '../note/checkpoint.ts';
import { parseNote, verifyNote } from '../note/note.ts';
import { hasher } from '../statements/statement-row.ts';
import { AuthenticTiles } from '../tree/authentic-tiles.ts';
import { TreeEdge } from '../tree/edge.ts';
import { edgeTiles } from '../tree/tile-layout.ts';
import { verifyConsistency, type TreeHead } from '../tree/verify.ts';
import { damageFailure } from './damage.ts';
import { bundleStart, growTree, packEdge, unpackEdge } from './growth.ts';
import { LogHalted } from './halted.ts';
import type { Published } from './published.ts';
import { SeenOtherwise, type ForkCheck, type SeenTree } from './fork-check.ts';
import type { LogSigner } from './signing-keys.ts';
import type { LogState, LogTable, SignedTree } from './sql.ts';
import type { LogFiles } from './log-files.ts';
import type { TileStore } from './tile-store.ts';

export interface LeaderParts {
  readonly table: LogTable;
  readonly tiles: TileStore;
  readonly files: LogFiles;
  readonly signer: LogSigner;
  readonly published: Published;
  readonly forks: ForkCheck;
  /** Called at places where a crash would be felt. */
  readonly crashPoint: (place: string) => Promise<void>;
}

/** Result of taking entries from the outbox in one transaction. */
export interface Gathered {
  /** True when nothing was left. */
  readonly isAll: boolean;
  /** Wait of the oldest entry in milliseconds; null when there were none. */
  readonly oldestMilliseconds: number | null;
}

/** Entries that one transaction takes out of the outbox at most. */
const batchMost = 4_096;
/** Entries that are made into tiles at a time. */
const strideEntries = 65_536;

/**
 * The process that writes the log, as long as its epoch is the last. PostgreSQL decides: an entry
 * has its index there, and what is signed is there, before anybody sees either. The rest follows
 * from that, so after a failure this object is dropped and the next one does the same again.
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
      // Another process may have changed the log since the state was read, so that they do not fit.
      if (error instanceof LogHalted) await table.renew(state.epoch);
      throw error;
    }
  }

  static async #open(parts: LeaderParts, state: LogState): Promise<Leader> {
    const { table, published } = parts;
    const seen = await parts.forks.check(state).catch((error: unknown) => {
      // The tree was published, so it stays the published one.
      if (error instanceof SeenOtherwise && error.isNewer) {
        published.show({ ...error.seen, publishedAt: 0 });
      }
      throw error;
    });
    const signed = await table.signed();
    const leader = new Leader(parts, state, openEdge(state));
    await leader.#catchUp(seen, signed);
    return leader;
  }

  /** Entries in the tree. */
  get size(): number {
    return this.#edge.size;
  }

  /** Returns whether there is anything to do. */
  async hasWork(): Promise<boolean> {
    return this.isBehind || (await this.#parts.table.hasPending());
  }

  renew(): Promise<void> {
    return this.#parts.table.renew(this.#epoch);
  }

  release(): Promise<void> {
    return this.#parts.table.release(this.#epoch);
  }

  /** Gives waiting entries their index. */
  async sequence(): Promise<Gathered> {
    const batch = await this.#parts.table.sequence(this.#epoch, batchMost);
    const { sequenced, takenCount, oldestMilliseconds } = batch;
    this.#sequenced = sequenced;
    await this.#parts.crashPoint('tlog.sequenced');
    return { isAll: takenCount < batchMost, oldestMilliseconds };
  }

  /** True when there are entries that are not in the tree. */
  get isBehind(): boolean {
    return this.#edge.size < this.#sequenced;
  }

  /** Entries with an index go into the tree, once their tiles are durable. */
  async integrate(): Promise<void> {
    const { table, files, crashPoint } = this.#parts;
    while (this.isBehind) {
      const size = this.#edge.size;
      const start = bundleStart(size);
      const end = Math.min(this.#sequenced, start + strideEntries);
      await files.put(growTree(this.#edge, await table.entries(start, end)));
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
    await this.#checkOwn(signed);
    return signed;
  }

  /** Checks that the log itself has signed the tree, as no other may be published. */
  async #checkOwn({ note, size, root }: SignedTree): Promise<void> {
    const { signer } = this.#parts;
    const text = formatCheckpoint({ origin: signer.origin, extensions: [], size, root });
    if (parseNote(note).text !== text) throw damageFailure(`postgres:tlog_signed/${size}`);
    await verifyNote(nodeCrypto, parseNote(note), signer.keys);
  }

  /** The proof that one tree begins with another, for a witness. */
  proveGrowth(oldSize: number, tree: TreeHead): Promise<Uint8Array[]> {
    const stored = { size: this.#edge.size, root: this.#edge.root() };
    const source = this.#parts.files.source(stored);
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

  /** Writes to the object store what it lacks of the published tree. */
  async #catchUp(seen: SeenTree | undefined, signed: SignedTree | undefined): Promise<void> {
    if (signed === undefined || seen?.size === signed.size) return;
    const isPublished = signed.publishedAt !== null;
    if (seen === undefined && !isPublished) return;
    if (this.size > 0) await this.#rewrite(seen);
    await this.#parts.tiles.putCheckpoint(signed.publishedNote ?? signed.note);
  }

  /** Writes the files again that lie between the tree that the store has seen and this one. */
  async #rewrite(seen: TreeHead | undefined): Promise<void> {
    const { table, files } = this.#parts;
    const edge = seen ? await this.#edgeOf(seen) : new TreeEdge(hasher);
    while (edge.size < this.size) {
      const start = bundleStart(edge.size);
      const end = Math.min(this.size, start + strideEntries);
      await files.put(growTree(edge, await table.entries(start, end)));
    }
    if (!equalBytes(edge.root(), this.#edge.root())) {
      throw new LogHalted('the entries in the database are not those of its tree');
    }
  }

  async #edgeOf(seen: TreeHead): Promise<TreeEdge> {
    const source = this.#parts.files.source(seen);
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
