import { readFile } from 'node:fs/promises';

import { z } from 'zod';

import { ConfigError } from '../../config.ts';

const address = z
  .url({ protocol: /^https?$/ })
  .refine((text) => isPlain(new URL(text)), 'must have no credentials, query or fragment in it')
  .transform((text) => text.replace(/\/+$/, ''));

/** True for an address of which nothing would be left out when paths are put behind it. */
function isPlain({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === '';
}

const endpoint = {
  baseUrl: address,
  /** Name of the variable of the environment that has the key. */
  apiKeyEnv: z.string().min(1).max(200).optional(),
  concurrency: z.int().min(1).max(64).default(4),
  /** Requests a minute of this process. */
  rpm: z.int().min(1).max(1_000_000).optional(),
  /** Seconds until the head of an answer has to be there. */
  timeoutSeconds: z.number().min(0.01).max(600).default(30),
  /** Texts or pairs that an account may send on one day of UTC. */
  dailyPerAccount: z.int().min(1).optional(),
};

const share = z.number().min(0).max(1);
const size = z.int().min(1).max(16_384);

const embeddings = {
  ...endpoint,
  model: z.string().min(1).max(200).optional(),
  /** Sizes that the endpoint makes when it is asked to. */
  dims: z.array(size).max(64).default([]),
  defaultDim: size.optional(),
  /** Numbers of a vector where nothing is asked for. */
  nativeDim: size.optional(),
  /** The first numbers of a vector are one, too. */
  matryoshka: z.boolean().default(false),
  hi: share.optional(),
  lo: share.optional(),
  /** Texts of one request. */
  batch: z.int().min(1).max(2048).default(256),
  /** Tokens of one text; what is longer is cut. */
  maxTokens: z.int().min(16).max(1_000_000).default(8191),
};

const spec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('local') }),
  z.strictObject({ kind: z.literal('openai'), ...embeddings, model: z.string().min(1).max(200) }),
  z.strictObject({
    kind: z.literal('ollama'),
    ...embeddings,
    model: z.string().min(1).max(200),
    maxTokens: embeddings.maxTokens.default(2048),
  }),
  z.strictObject({
    kind: z.literal('tei'),
    ...embeddings,
    batch: embeddings.batch.default(32),
    maxTokens: embeddings.maxTokens.default(512),
  }),
  z.strictObject({ kind: z.literal('http'), ...embeddings }),
  z.strictObject({
    kind: z.literal('chat'),
    ...endpoint,
    model: z.string().min(1).max(200),
    pairsPerPrompt: z.int().min(1).max(32).default(16),
    maxVerifyPairs: z.int().min(1).max(1_000_000).default(10_000),
  }),
]);

export type ProviderSpec = z.output<typeof spec>;
export type EmbeddingSpec = Extract<ProviderSpec, { matryoshka: boolean }>;
export type JudgeSpec = Extract<ProviderSpec, { kind: 'chat' }>;
export type RemoteSpec = EmbeddingSpec | JudgeSpec;

/** Providers by their names; `local` is always there. */
export type Registry = ReadonlyMap<string, ProviderSpec>;

const registry = z.record(
  z.string().regex(/^(?!none$)[a-z][a-z0-9_-]{0,63}$/, 'a name of small letters, not "none"'),
  spec,
);

export function isEmbedding(found: ProviderSpec | undefined): found is EmbeddingSpec {
  return found !== undefined && found.kind !== 'local' && found.kind !== 'chat';
}

/** Reads `MATCH_PROVIDERS`: JSON itself, or the path of a file that has it; `local` for no other. */
export async function readRegistry(setting: string | undefined): Promise<Registry> {
  if (setting === undefined || setting === 'local') return named({});
  const text = setting.startsWith('{') ? setting : await readText(setting);
  return named(parse(text));
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ConfigError('MATCH_PROVIDERS names a file that cannot be read', { cause });
  }
}

function parse(text: string): Record<string, ProviderSpec> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ConfigError('MATCH_PROVIDERS is no JSON', { cause });
  }
  const { success, data, error } = registry.safeParse(json);
  if (success) return data;
  // Its content is not repeated: an address may be a secret.
  const places = error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`);
  throw new ConfigError(`MATCH_PROVIDERS cannot be used: ${places.join('; ')}`);
}

function named(specs: Record<string, ProviderSpec>): Registry {
  const local = specs['local'];
  if (local !== undefined && local.kind !== 'local') {
    throw new ConfigError('MATCH_PROVIDERS: the name local is of the kind local');
  }
  for (const [name, found] of Object.entries(specs)) {
    if (!isEmbedding(found)) continue;
    if ((found.hi ?? 1) < (found.lo ?? 0)) {
      throw new ConfigError(`MATCH_PROVIDERS: hi of ${name} lies below its lo`);
    }
    if (found.matryoshka && found.nativeDim === undefined) {
      throw new ConfigError(`MATCH_PROVIDERS: ${name} needs its nativeDim to be cut`);
    }
  }
  return new Map([['local', { kind: 'local' }], ...Object.entries(specs)]);
}
