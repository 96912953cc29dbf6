import type { VectorForm } from '../../../workers/matching/vector-body.ts';
import type { EmbeddingSpec } from './registry.ts';

/** A request for vectors, as the endpoint wants it. */
interface EmbeddingRequest {
  readonly path: string;
  readonly body: object;
  readonly form: VectorForm;
}

/**
 * From the public descriptions: `POST /embeddings` of OpenAI's API reference, `POST /api/embed` of
 * Ollama's, `POST /embed` of Text Embeddings Inference. `http` is ours: the address itself takes
 * `{model?, input, dimensions?}` and answers `{embeddings}`.
 */
export function requestFor(
  { kind, model }: EmbeddingSpec,
  input: readonly string[],
  dimensions: number | undefined,
): EmbeddingRequest {
  const asked = dimensions === undefined ? {} : { dimensions };
  switch (kind) {
    case 'openai':
      return {
        path: '/embeddings',
        body: { model, input, encoding_format: 'base64', ...asked },
        form: 'data',
      };
    case 'ollama':
      return {
        path: '/api/embed',
        body: { model, input, truncate: true, ...asked },
        form: 'embeddings',
      };
    case 'tei':
      return {
        path: '/embed',
        body: { inputs: input, truncate: true, normalize: true, ...asked },
        form: 'list',
      };
    case 'http':
      return { path: '', body: { ...(model && { model }), input, ...asked }, form: 'embeddings' };
  }
}
