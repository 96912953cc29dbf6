import { z } from 'zod';

export const providersSchema = z
  .strictObject({
    providers: z.array(
      z.strictObject({
        name: z.string().describe('For `provider` or `verifyProvider` of a match'),
        kind: z.enum(['local', 'openai', 'ollama', 'tei', 'http', 'chat']),
        use: z.enum(['embeddings', 'verification', 'both']),
        model: z.string().nullable(),
        dims: z.array(z.int()).describe('Sizes of vectors that `dim` may ask for'),
        defaultDim: z.int().nullable(),
      }),
    ),
  })
  .meta({ id: 'MatchProviders' });
