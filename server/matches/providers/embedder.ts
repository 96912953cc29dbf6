import { createHash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import type { Pool } from '../../compute/pool.ts';
import type { ProviderClient } from './client.ts';
import type { Dimensions } from './dimensions.ts';
import { ProviderFault } from './fault.ts';
import type { EmbeddingSpec } from './registry.ts';
import type { ProviderTable, VectorPlace } from './sql.ts';
import { requestFor } from './wire.ts';

export interface EmbedderParts {
  readonly name: string;
  readonly spec: EmbeddingSpec;
  readonly client: Pick<ProviderClient, 'post'>;
  readonly table: Pick<ProviderTable, 'vectors' | 'keep' | 'spend' | 'forget'>;
  readonly pool: Pick<Pool, 'run'>;
}

/** Owner and use of texts. */
export interface EmbeddingOrder {
  readonly dimensions: Dimensions;
  /** The workbook that the vectors are kept for, or empty: for everybody. */
  readonly scope: string;
  /** The account that pays. */
  readonly account: string;
  /** Is told how many texts are sent. */
  readonly meter: (count: number) => void;
  readonly signal: AbortSignal;
}

/** A vector of length 1, or undefined for a text that the provider refused. */
type Vector = Float32Array | undefined;

const remembered = { maxSize: 32 << 20 } as const;
const charactersPerToken = 3;
/** Tokens of one request, about: endpoints have a limit for all texts together, too. */
const requestTokensMost = 100_000;
const readMilliseconds = 60_000;
/** Number of refusals before the first vector that show the texts are not the reason. */
const refusalsMost = 16;

/** Makes vectors of texts by a provider, each text once: what was made before is kept. */
export class Embedder {
  readonly #parts: EmbedderParts;
  readonly #remembered = new LRUCache<string, Float32Array>({
    ...remembered,
    sizeCalculation: (vector, key) => vector.byteLength + key.length + 64,
  });

  constructor(parts: EmbedderParts) {
    this.#parts = parts;
  }

  get spec(): EmbeddingSpec {
    return this.#parts.spec;
  }

  get name(): string {
    return this.#parts.name;
  }

  /** A run over many texts, that knows what was refused so far. */
  begin(order: EmbeddingOrder): EmbeddingRun {
    return new EmbeddingRun(this.#parts, this.#remembered, order);
  }
}

export class EmbeddingRun {
  readonly #parts: EmbedderParts;
  readonly #remembered: LRUCache<string, Float32Array>;
  readonly #order: EmbeddingOrder;
  #refusals = 0;
  #hasVectors = false;
  #size: number | undefined;
  /** Numbers of vectors that were kept, where nobody asked for a size. */
  #keptSize: number | undefined;

  constructor(parts: EmbedderParts, known: LRUCache<string, Float32Array>, order: EmbeddingOrder) {
    this.#parts = parts;
    this.#remembered = known;
    this.#order = order;
    this.#size = order.dimensions.size;
  }

  /** Vectors of texts in their order. */
  async vectors(texts: readonly string[]): Promise<Vector[]> {
    const { maxTokens } = this.#parts.spec;
    const sent = texts.map((text) => text.slice(0, maxTokens * charactersPerToken));
    const hashes = sent.map((text) => createHash('sha256').update(text).digest('hex'));
    const found = await this.#known(hashes);
    const missing = new Map<string, Missing>();
    for (const [at, text] of sent.entries()) {
      const hash = hashes[at] ?? '';
      // Long texts that were cut may be the same by now.
      if (!found.has(hash)) missing.set(hash, { text, hash });
    }
    for (const part of partsOf([...missing.values()])) {
      await this.#spend(part.length);
      await this.#make(part, found);
    }
    return hashes.map((hash) => found.get(hash));
  }

  async #known(hashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    const asked: string[] = [];
    for (const hash of hashes) {
      const vector = this.#remembered.get(this.#key(hash));
      if (vector) this.#found(found, hash, vector);
      else asked.push(hash);
    }
    if (asked.length === 0) return found;
    for (const [hash, bytes] of await this.#parts.table.vectors(this.#place, asked)) {
      const vector = new Float32Array(Uint8Array.from(bytes).buffer);
      this.#found(found, hash, vector);
      this.#remembered.set(this.#key(hash), vector);
    }
    return found;
  }

  #found(found: Map<string, Float32Array>, hash: string, vector: Float32Array): void {
    found.set(hash, vector);
    if (this.#size === undefined) this.#keptSize ??= vector.length;
  }

  async #spend(count: number): Promise<void> {
    const { name, spec, table } = this.#parts;
    const { account, meter } = this.#order;
    const { dailyPerAccount: most } = spec;
    if (most !== undefined && !(await table.spend(account, name, { count, most }))) {
      const message = `The account may send ${most} texts a day to the provider ${name}.`;
      throw new ProviderFault('provider_cap', message);
    }
    meter(count);
  }

  /** Halves that are refused are halved again, until the text is found that it is about. */
  async #make(texts: readonly Missing[], found: Map<string, Float32Array>): Promise<void> {
    try {
      const vectors = await this.#request(texts.map(({ text }) => text));
      const kept = texts.map(({ hash }, at) => ({
        hash,
        vector: vectors[at] ?? new Float32Array(),
      }));
      await this.#parts.table.keep(
        this.#place,
        kept.map(({ hash, vector }) => ({ hash, vector: new Uint8Array(vector.slice().buffer) })),
      );
      for (const { hash, vector } of kept) {
        found.set(hash, vector);
        this.#remembered.set(this.#key(hash), vector);
      }
      this.#hasVectors = true;
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.code !== 'provider_refused') throw error;
      if (texts.length === 1) {
        if (++this.#refusals >= refusalsMost && !this.#hasVectors) throw error;
        return;
      }
      const half = Math.ceil(texts.length / 2);
      await this.#make(texts.slice(0, half), found);
      await this.#make(texts.slice(half), found);
    }
  }

  async #request(texts: readonly string[]): Promise<Float32Array[]> {
    const { spec, client, pool, name } = this.#parts;
    const { dimensions, signal } = this.#order;
    const { path, body, form } = requestFor(spec, texts, dimensions.asked);
    const answer = await client.post(path, body, signal);
    const task = { body: answer, form, count: texts.length, size: this.#size, cut: dimensions.cut };
    const options = { timeoutMilliseconds: readMilliseconds, signal };
    const read = await pool.run('readVectors', task, options);
    if ('fault' in read)
      throw new ProviderFault(read.fault, `The provider ${name}: ${read.detail}`);
    const { vectors, size } = read;
    if (size !== (this.#keptSize ?? size)) await this.#forgetKept();
    if (dimensions.cut === undefined) this.#size ??= size;
    return texts.map((_, at) => vectors.slice(at * size, (at + 1) * size));
  }

  /** Another model answers under the same name: nothing that was kept compares with its vectors. */
  async #forgetKept(): Promise<never> {
    const { table, name } = this.#parts;
    await table.forget(this.#place);
    this.#remembered.clear();
    const message = `The provider ${name} makes vectors of another size than before. Those are forgotten: match again.`;
    throw new ProviderFault('provider_bad_vector', message);
  }

  get #place(): VectorPlace {
    const { name, spec } = this.#parts;
    const { scope, dimensions } = this.#order;
    return { scope, provider: name, model: spec.model ?? '', dim: dimensions.dim ?? 0 };
  }

  #key(hash: string): string {
    const { scope, dimensions } = this.#order;
    return `${scope} ${dimensions.dim ?? 0} ${hash}`;
  }
}

interface Missing {
  readonly text: string;
  readonly hash: string;
}

/** Texts in requests that are not too long. */
function partsOf(texts: readonly Missing[]): Missing[][] {
  const parts: Missing[][] = [];
  let tokens = Infinity;
  for (const one of texts) {
    const own = one.text.length / charactersPerToken;
    tokens += own;
    if (tokens > requestTokensMost) {
      parts.push([]);
      tokens = own;
    }
    parts.at(-1)?.push(one);
  }
  return parts;
}
