import t from 'tap';

import { dimensionsOf } from '../../../server/matches/providers/dimensions.ts';
import { Embedder, type EmbedderParts } from '../../../server/matches/providers/embedder.ts';
import { isEmbedding, readRegistry } from '../../../server/matches/providers/registry.ts';
import { readVectors, type VectorsTask } from '../../../workers/matching/vector-body.ts';

/** A provider whose vectors have so many numbers, and a cache that lasts. */
async function makeProvider(more: object = {}) {
  const endpoint = { kind: 'http', baseUrl: 'http://127.0.0.1:1', ...more };
  const spec = (await readRegistry(JSON.stringify({ some: endpoint }))).get('some');
  if (!isEmbedding(spec)) throw new Error('no spec');
  const kept = new Map<string, Uint8Array>();
  const provider = { size: 4, sent: [] as string[], kept };
  const table: EmbedderParts['table'] = {
    vectors: (_, hashes) =>
      Promise.resolve(
        new Map(hashes.flatMap((hash) => (kept.has(hash) ? [[hash, kept.get(hash) ?? none]] : []))),
      ),
    keep: (_, vectors) => {
      for (const { hash, vector } of vectors) kept.set(hash, vector);
      return Promise.resolve();
    },
    spend: () => Promise.resolve(true),
    forget: () => Promise.resolve(kept.clear()),
  };
  const client: EmbedderParts['client'] = {
    post: (_, body) => {
      const { input } = body as { input: string[] };
      provider.sent.push(...input);
      const vector = Array.from({ length: provider.size }, (__, at) => at + 1);
      const answer = JSON.stringify({ embeddings: input.map(() => vector) });
      return Promise.resolve(Buffer.from(answer));
    },
  };
  const run = (_: string, task: unknown): Promise<unknown> =>
    Promise.resolve(readVectors(task as VectorsTask));
  const pool = { run } as EmbedderParts['pool'];
  const dimensions = dimensionsOf(spec, null);
  if (!dimensions) throw new Error('no dimensions');
  const order = {
    dimensions,
    scope: '',
    account: 'usr_1',
    meter: () => undefined,
    signal: new AbortController().signal,
  };
  /** Sizes of vectors of texts, by a process that has just started. */
  const sizes = async (...texts: string[]): Promise<(number | undefined)[]> => {
    const embedder = new Embedder({ name: 'some', spec, client, table, pool });
    const vectors = await embedder.begin(order).vectors(texts);
    return vectors.map((vector) => vector?.length);
  };
  return { provider, sizes };
}

const none = new Uint8Array();

t.test(
  'a model that was replaced under its name is found out, and everything is made anew',
  async (t) => {
    const { provider, sizes } = await makeProvider();
    t.same(await sizes('a', 'b'), [4, 4]);
    provider.size = 6;
    t.same(await sizes('a'), [4], 'nothing is asked, so nothing is known');
    await t.rejects(sizes('a', 'c'), { code: 'provider_bad_vector', message: /match again/ });
    t.same(await sizes('a', 'c'), [6, 6]);
    t.equal(provider.kept.size, 2);
  },
);

t.test('texts that are the same once they are cut are sent once', async (t) => {
  const { provider, sizes } = await makeProvider({ maxTokens: 16 });
  const long = 'x'.repeat(60);
  t.same(await sizes(`${long} one`, `${long} two`), [4, 4]);
  t.equal(provider.sent.length, 1);
});
