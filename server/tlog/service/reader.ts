import { pause, type Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { ProofFault } from '../encoding/fault.ts';
import { formatProofFile } from '../note/proof-file.ts';
import { formatVerifierKey } from '../note/verifier-key.ts';
import type { StatementReceipt } from '../statements/write-statements.ts';
import { hasher } from '../statements/statement-row.ts';
import { buildProof, planConsistency, planInclusion } from '../tree/proof-plan.ts';
import type { ProofPlan } from '../tree/proof-plan.ts';
import { rootOfEdge } from '../tree/root.ts';
import { edgeTiles, tileHeight } from '../tree/tile-layout.ts';
import type { TileName } from '../tree/tile-name.ts';
import type { Tile } from '../tree/tile.ts';
import { verifyConsistency, verifyInclusion, type TreeHead } from '../tree/verify.ts';
import type { Policy } from '../note/policy.ts';
import { LeafFinder } from './leaf-finder.ts';
import type { NewestTree } from './newest-tree.ts';
import type { Published, PublishedTree } from './published.ts';
import { requestedFile } from './requested-file.ts';
import type { LogSigner } from './signing-keys.ts';
import type { LogTable } from './sql.ts';
import { damageFailure, type DamageBook } from './damage.ts';
import type { LogFiles } from './log-files.ts';

export interface ReaderParts {
  readonly table: LogTable;
  readonly files: LogFiles;
  readonly damage: DamageBook;
  readonly published: Published;
  readonly newest: NewestTree;
  readonly signer: LogSigner;
  readonly policy: Policy;
  readonly haltedReason: () => string | undefined;
  readonly environment: Pick<Environment, 'elapsed' | 'after'>;
}

const waitMilliseconds = { step: 50, most: 10_000 };

/** Proof that a leaf is in a tree. */
export interface LeafProof {
  readonly leafHash: Buffer;
  readonly leafIndex: number;
  readonly hashes: readonly Uint8Array[];
  readonly tree: PublishedTree;
}

/**
 * Outcome of a request for a proof. `pending`: it will be in a checkpoint soon; `later`: it is not
 * in the requested tree; `unknown`: it does not exist.
 */
export type ProofOutcome = LeafProof | 'pending' | 'later' | 'unknown';

/** Proof that one tree begins with another. */
export interface GrowthProof {
  readonly hashes: readonly Uint8Array[];
  readonly fromRoot: Uint8Array;
  readonly toRoot: Uint8Array;
  /** Checkpoint of the later tree; where that was never published, the newest one. */
  readonly checkpoint: string;
}

export interface FoundFile {
  readonly bytes: Uint8Array;
  readonly path: string;
}

/** The public part of the log, up to a published checkpoint. */
export class LogReader {
  readonly #parts: ReaderParts;
  readonly #finder: LeafFinder;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#finder = new LeafFinder(parts.table);
  }

  get origin(): string {
    return this.#parts.signer.origin;
  }

  /** The newest checkpoint: never older than what another process published before. */
  async newest(): Promise<PublishedTree> {
    return shown(await this.#parts.newest.find());
  }

  /** Newest tree known to this process. */
  get #shown(): PublishedTree {
    return shown(this.#parts.published.newest);
  }

  /** Fails unless a tree of this size was published. */
  async treeAt(size: number | undefined): Promise<PublishedTree> {
    const newest = await this.newest();
    const tree = size === undefined ? newest : await this.#parts.published.at(size);
    if (tree) return tree;
    throw new Failure('invalidRequest', {
      detail: `There is no checkpoint of size ${size}.`,
      hint: 'Use the size of a checkpoint that /v1/tlog/checkpoint has answered.',
      errors: [{ pointer: '?tree_size', code: 'no_checkpoint', message: 'was never published' }],
    });
  }

  /** A tile or a bundle; fails for every spelling but the one it has. */
  async file(path: string): Promise<FoundFile> {
    const { files, published, newest } = this.#parts;
    const resource = requestedFile(path);
    // A tile never changes, so a known part is valid for any size of the log.
    const known = published.newest && (await files.serve(resource, published.newest));
    if (known) return { bytes: known, path };
    const tree = await newest.find();
    const bytes = tree && (await files.serve(resource, tree));
    if (bytes) return { bytes, path };
    const size = tree?.size ?? 0;
    throw new Failure('notFound', {
      detail: `The log is of size ${size}, and has no ${path}.`,
      hint: 'GET /v1/tlog/checkpoint says how many entries it has: docs/transparency-log.md.',
    });
  }

  async prove(leafHash: Buffer, size?: number): Promise<ProofOutcome> {
    const [outcome] = await this.proveAll([leafHash], size);
    return outcome ?? 'unknown';
  }

  /** Proves leaves from one tree, in the order of the request. */
  async proveAll(leafHashes: readonly Buffer[], size?: number): Promise<ProofOutcome[]> {
    const tree = await this.treeAt(size);
    const places = await Promise.all(
      leafHashes.map(async (leafHash) => this.#finder.find(leafHash)),
    );
    const outcomes: ProofOutcome[] = [];
    // A tree of a size does not grow: only the newest one is followed by another.
    const isNewest = size === undefined || size === this.#shown.size;
    const absent = isNewest ? 'pending' : 'later';
    for (const [at, leafHash] of leafHashes.entries()) {
      const leafIndex = places[at];
      if (leafIndex === undefined) outcomes.push('unknown');
      else if (leafIndex === null || leafIndex >= tree.size) outcomes.push(absent);
      else outcomes.push(await this.#proveLeaf({ leafHash, leafIndex }, tree));
    }
    return outcomes;
  }

  async #proveLeaf(
    { leafHash, leafIndex }: { leafHash: Buffer; leafIndex: number },
    tree: PublishedTree,
  ): Promise<LeafProof> {
    const hashes = await this.#build(planInclusion(leafIndex, tree.size));
    // The tiles were checked, so it is the row that says where the entry is that could be wrong.
    try {
      verifyInclusion(hasher, { hash: leafHash, index: leafIndex }, tree, hashes);
    } catch (error) {
      if (!(error instanceof ProofFault)) throw error;
      const where = `postgres:tlog_entry/${leafIndex}`;
      this.#parts.damage.note(where, 'damaged', { isRepaired: false });
      throw damageFailure(where);
    }
    return { leafHash, leafIndex, hashes, tree };
  }

  /**
   * The proof file of a statement, as soon as a published checkpoint has it; undefined if that
   * takes longer than anybody waits.
   */
  async proofOnce({ leafHash, opening }: StatementReceipt): Promise<string | undefined> {
    const { environment } = this.#parts;
    const end = environment.elapsed() + waitMilliseconds.most;
    for (;;) {
      const outcome = await this.prove(leafHash);
      if (typeof outcome !== 'string') {
        const { leafIndex: index, hashes, tree } = outcome;
        return formatProofFile({ extra: opening, index, hashes, checkpoint: tree.note });
      }
      if (environment.elapsed() > end) return undefined;
      await pause(environment, waitMilliseconds.step);
    }
  }

  async proveConsistency(from: number, to: number | undefined): Promise<GrowthProof> {
    const newest = await this.newest();
    const size = to ?? newest.size;
    const hashes = await this.#build(planConsistency(from, size));
    const [old, tree] = [await this.#treeOf(from), await this.#treeOf(size)];
    verifyConsistency(hasher, old, tree, hashes);
    const published = (await this.#parts.published.at(size)) ?? newest;
    return { hashes, fromRoot: old.root, toRoot: tree.root, checkpoint: published.note };
  }

  /** Any tree that the newest published one has grown from. */
  async #treeOf(size: number): Promise<TreeHead> {
    const tiles: Tile[] = [];
    for (const name of edgeTiles(size)) tiles.push(await this.#tile(name));
    return { size, root: rootOfEdge(hasher, tiles) };
  }

  async #tile(name: TileName): Promise<Tile> {
    const { files } = this.#parts;
    return files.known(name) ?? files.tile(name, this.#shown);
  }

  async #build(plan: ProofPlan): Promise<Uint8Array[]> {
    const found: Tile[] = [];
    for (const name of plan.tiles) found.push(await this.#tile(name));
    return buildProof(hasher, plan, found);
  }

  /** The policy that says which keys to trust, for those who verify (C2SP tlog-policy). */
  policyText(url: string): string {
    const { policy, signer } = this.#parts;
    const logs = signer.keys.map((key) => `log ${formatVerifierKey(key)} ${url}\n`);
    const witnesses = [...policy.witnesses].map(
      ([name, { key, url: at }]) =>
        `witness ${name} ${formatVerifierKey(key)}${at === undefined ? '' : ` ${at}`}\n`,
    );
    const groups = [...policy.groups].map(
      ([name, { threshold, members }]) => `group ${name} ${threshold} ${members.join(' ')}\n`,
    );
    return [...logs, ...witnesses, ...groups, `quorum ${policy.quorum ?? 'none'}\n`].join('');
  }

  async status() {
    const { table, signer, policy, haltedReason, damage } = this.#parts;
    const newest = await this.#parts.newest.find();
    const [pending, facts, cosignatures] = await Promise.all([
      table.pending(),
      table.facts(),
      table.cosignatures(),
    ]);
    const size = newest?.size ?? 0;
    const witnesses = [...policy.witnesses].map(([name, { key }]) => {
      const last = cosignatures.find(({ witness }) => witness === name);
      return {
        name,
        vkey: formatVerifierKey(key),
        size: last?.size ?? null,
        cosigned_at: last?.cosignedAt.toISOString() ?? null,
      };
    });
    return {
      origin: signer.origin,
      vkeys: signer.keys.map(formatVerifierKey),
      tree_size: size,
      root_hash: Buffer.from(newest?.root ?? hasher.empty()).toString('base64'),
      published_at: newest ? new Date(newest.publishedAt).toISOString() : null,
      integrated_size: facts.size,
      pending: pending.count + Math.max(0, facts.sequenced - size),
      oldest_pending_ms: Math.round(pending.oldestMilliseconds ?? 0),
      min_index: 0,
      tile_height: tileHeight,
      witnesses,
      quorum: policy.quorum ?? null,
      halted: haltedReason() ?? null,
      damaged: damage.open,
    };
  }
}

function shown(tree: PublishedTree | undefined): PublishedTree {
  if (tree) return tree;
  throw new Failure('unavailable', {
    detail: 'The transparency log has no checkpoint yet.',
    hint: 'Send the same request again.',
    headers: { 'Retry-After': '1' },
  });
}
