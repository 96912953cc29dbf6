import type { Pool } from '../../compute/pool.ts';
import type { Environment } from '../../model/environment.ts';
import { ConfigError } from '../../config.ts';
import { ProviderClient } from './client.ts';
import { dimensionsOf } from './dimensions.ts';
import { Embedder } from './embedder.ts';
import { Judge } from './judge.ts';
import { isEmbedding, type Registry } from './registry.ts';
import type { ProviderTable } from './sql.ts';

export interface ProvidersParts {
  readonly registry: Registry;
  /** The value of a variable of the environment. */
  readonly secret: (name: string) => string | undefined;
  readonly table: ProviderTable;
  readonly pool: Pick<Pool, 'run'>;
  readonly environment: Environment;
}

/** A provider as people see it: nothing of where it is and how it is asked. */
export interface ProviderView {
  readonly name: string;
  readonly kind: string;
  readonly use: 'embeddings' | 'verification' | 'both';
  readonly model: string | null;
  readonly dims: readonly number[];
  readonly defaultDim: number | null;
}

/** Holds all providers that the operator has configured; nothing else is ever asked. */
export class Providers {
  readonly #embedders = new Map<string, Embedder>();
  readonly #judges = new Map<string, Judge>();
  readonly #clients: ProviderClient[] = [];
  readonly #views: ProviderView[] = [];
  readonly table: ProviderTable;

  constructor({ registry, secret, table, pool, environment }: ProvidersParts) {
    this.table = table;
    for (const [name, spec] of registry) {
      const { kind } = spec;
      if (kind === 'local') {
        const facts = { model: null, dims: [], defaultDim: null };
        this.#views.push({ name, kind, use: 'both', ...facts });
        continue;
      }
      const apiKey = keyOf(name, spec.apiKeyEnv, secret);
      const client = new ProviderClient({ name, spec, apiKey, environment });
      this.#clients.push(client);
      const model = spec.model ?? null;
      if (isEmbedding(spec)) {
        if (!dimensionsOf(spec, null)) {
          throw new ConfigError(`MATCH_PROVIDERS: ${name} has no vectors of its defaultDim`);
        }
        this.#embedders.set(name, new Embedder({ name, spec, client, table, pool }));
        const { dims, defaultDim = null } = spec;
        this.#views.push({ name, kind, use: 'embeddings', model, dims, defaultDim });
      } else {
        this.#judges.set(name, new Judge({ name, spec, client, table }));
        const facts = { model, dims: [], defaultDim: null };
        this.#views.push({ name, kind, use: 'verification', ...facts });
      }
    }
  }

  get views(): readonly ProviderView[] {
    return this.#views;
  }

  embedder(name: string): Embedder | undefined {
    return this.#embedders.get(name);
  }

  judge(name: string): Judge | undefined {
    return this.#judges.get(name);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

/** Characters of a key in a header: no spaces, and no end of a line from a file. */
const headerText = /^[\x21-\x7e]+$/;

function keyOf(
  name: string,
  variable: string | undefined,
  secret: ProvidersParts['secret'],
): string | undefined {
  if (variable === undefined) return undefined;
  const key = secret(variable);
  if (key !== undefined && headerText.test(key)) return key;
  if (key !== undefined) {
    throw new ConfigError(`MATCH_PROVIDERS: the key of ${name} cannot be sent in a header`);
  }
  throw new ConfigError(`MATCH_PROVIDERS: ${name} needs a key in ${variable}, which is not set`);
}
