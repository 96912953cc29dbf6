import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { FormatFault } from '../encoding/fault.ts';
import { formatProofFile } from '../note/proof-file.ts';
import { formatVerifierKey } from '../note/verifier-key.ts';
import type { StatementReceipt } from '../statements/saying.ts';
import { hasher } from '../statements/statement-row.ts';
import { buildProof, planConsistency, planInclusion } from '../tree/proof-plan.ts';
import type { ProofPlan } from '../tree/proof-plan.ts';
import { tileHeight } from '../tree/tile-layout.ts';
import { parseLogPath } from '../tree/tile-name.ts';
import type { Tile } from '../tree/tile.ts';
import { verifyConsistency, verifyInclusion } from '../tree/verify.ts';
import type { Policy } from '../note/policy.ts';
import { LeafFinder } from './leaf-finder.ts';
import type { Published, PublishedTree } from './published.ts';
import type { LogSigner } from './signing-keys.ts';
import type { LogTable } from './sql.ts';
import type { TileStore } from './tile-store.ts';

export interface ReaderParts {
  readonly table: LogTable;
  readonly tiles: TileStore;
  readonly published: Published;
  readonly signer: LogSigner;
  readonly policy: Policy;
  readonly haltedReason: () => string | undefined;
  readonly environment: Pick<Environment, 'now' | 'after'>;
}

const waitMilliseconds = { step: 50, most: 10_000 };

/** That a leaf is in a tree. */
export interface LeafProof {
  readonly leafHash: Buffer;
  readonly leafIndex: number;
  readonly hashes: readonly Uint8Array[];
  readonly tree: PublishedTree;
}

/** `pending`: it will be in a checkpoint soon; `unknown`: it is nowhere. */
export type ProofOutcome = LeafProof | 'pending' | 'unknown';

export interface FoundFile {
  readonly bytes: Uint8Array;
  readonly path: string;
}

/** What everybody may read of the log: only what is in a published checkpoint. */
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

  /** The newest checkpoint. */
  get tree(): PublishedTree {
    const { newest } = this.#parts.published;
    if (newest) return newest;
    throw new Failure('unavailable', {
      detail: 'The transparency log has no checkpoint yet.',
      hint: 'Send the same request again.',
      headers: { 'Retry-After': '1' },
    });
  }

  /** Fails unless a tree of this size was published. */
  async treeAt(size: number | undefined): Promise<PublishedTree> {
    const tree = size === undefined ? this.tree : await this.#parts.published.at(size);
    if (tree) return tree;
    throw new Failure('invalidRequest', {
      detail: `There is no checkpoint of size ${size}.`,
      hint: 'Use the size of a checkpoint that /v1/tlog/checkpoint has answered.',
      errors: [{ pointer: '?tree_size', code: 'no_checkpoint', message: 'was never published' }],
    });
  }

  /** A tile or a bundle; fails for every spelling but the one it has. */
  async file(path: string): Promise<FoundFile> {
    const { tiles, published } = this.#parts;
    const size = published.newest?.size ?? 0;
    const bytes = await tiles.serve(parsePath(path), size);
    if (bytes) return { bytes, path };
    throw new Failure('notFound', { detail: `The log is of size ${size}, and has no ${path}.` });
  }

  async prove(leafHash: Buffer, size?: number): Promise<ProofOutcome> {
    const [outcome] = await this.proveAll([leafHash], size);
    return outcome ?? 'unknown';
  }

  /** In the order asked for; all from one tree. */
  async proveAll(leafHashes: readonly Buffer[], size?: number): Promise<ProofOutcome[]> {
    const tree = await this.treeAt(size);
    const places = await Promise.all(
      leafHashes.map(async (leafHash) => this.#finder.find(leafHash)),
    );
    const outcomes: ProofOutcome[] = [];
    for (const [at, leafHash] of leafHashes.entries()) {
      const leafIndex = places[at];
      if (leafIndex === undefined) outcomes.push('unknown');
      else if (leafIndex === null || leafIndex >= tree.size) outcomes.push('pending');
      else outcomes.push(await this.#proveLeaf({ leafHash, leafIndex }, tree));
    }
    return outcomes;
  }

  async #proveLeaf(
    { leafHash, leafIndex }: { leafHash: Buffer; leafIndex: number },
    tree: PublishedTree,
  ): Promise<LeafProof> {
    const hashes = await this.#build(planInclusion(leafIndex, tree.size));
    // What is stored could be damaged: what does not hold is not answered.
    try {
      verifyInclusion(hasher, { hash: leafHash, index: leafIndex }, tree, hashes);
    } catch (cause) {
      throw new Failure('unavailable', {
        detail: 'The log cannot prove this entry: what is stored of it is not what it signed.',
        hint: 'GET /v1/tlog/status says whether the log is halted.',
        headers: { 'Retry-After': '60' },
        cause,
      });
    }
    return { leafHash, leafIndex, hashes, tree };
  }

  /**
   * The proof file of something that was said, as soon as a published checkpoint has it; undefined
   * if that takes longer than anybody waits.
   */
  async proofOnce({ leafHash, opening }: StatementReceipt): Promise<string | undefined> {
    const { environment } = this.#parts;
    const end = environment.now() + waitMilliseconds.most;
    for (;;) {
      const outcome = await this.prove(leafHash);
      if (typeof outcome !== 'string') {
        const { leafIndex: index, hashes, tree } = outcome;
        return formatProofFile({ extra: opening, index, hashes, checkpoint: tree.note });
      }
      if (environment.now() > end) return undefined;
      await new Promise<void>((resolve) => environment.after(waitMilliseconds.step, resolve));
    }
  }

  async proveConsistency(
    from: number,
    to: number | undefined,
  ): Promise<{ hashes: readonly Uint8Array[]; tree: PublishedTree }> {
    const tree = await this.treeAt(to);
    const hashes = await this.#build(planConsistency(from, tree.size));
    const old = await this.#parts.published.at(from);
    if (old) verifyConsistency(hasher, old, tree, hashes);
    return { hashes, tree };
  }

  async #build(plan: ProofPlan): Promise<Uint8Array[]> {
    const { tiles } = this.#parts;
    const { size } = this.tree;
    const found: Tile[] = [];
    for (const name of plan.tiles) found.push(tiles.known(name) ?? (await tiles.tile(name, size)));
    return buildProof(hasher, plan, found);
  }

  /** Whom to trust, for those who verify (C2SP tlog-policy). */
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
    const { table, published, signer, policy, haltedReason } = this.#parts;
    const [pending, facts, cosignatures] = await Promise.all([
      table.pending(),
      table.facts(),
      table.cosignatures(),
    ]);
    const { newest } = published;
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
    };
  }
}

function parsePath(path: string) {
  try {
    return parseLogPath(path);
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error;
    throw new Failure('notFound', {
      detail: error.message,
      hint: 'Each tile has one spelling: docs/transparency-log.md has the rules.',
    });
  }
}
