import { Failure } from '../../model/failure.ts';
import type { EmbeddingSpec } from './registry.ts';

/** Sizes of vectors that are asked for, come, and are kept. */
export interface Dimensions {
  /** Size of the vectors as shown; null for as many numbers as the model makes. */
  readonly dim: number | null;
  /** Sent with the request. */
  readonly asked: number | undefined;
  /** Numbers that must come. */
  readonly size: number | undefined;
  /** Numbers that are kept, where they are not all. */
  readonly cut: number | undefined;
}

const dimLeast = 64;
const dimMost = 4096;
const dimStep = 16;

/** Returns undefined where the provider has no vectors of this size. */
export function dimensionsOf(
  { dims, defaultDim, nativeDim, matryoshka }: EmbeddingSpec,
  wish: number | null,
): Dimensions | undefined {
  const dim = wish ?? defaultDim ?? null;
  const none = { asked: undefined, size: nativeDim, cut: undefined };
  if (dim === null) return { dim, ...none };
  if (dims.includes(dim)) return { dim, ...none, asked: dim, size: dim };
  if (dim === nativeDim) return { dim, ...none };
  const isCut = matryoshka && nativeDim !== undefined && dim < nativeDim;
  return isCut ? { dim, ...none, cut: dim } : undefined;
}

/** Checks the size that a request asks for: a multiple of 16 that the provider has. */
export function checkedDimensions(name: string, spec: EmbeddingSpec, wish: number | undefined) {
  const isSize =
    wish === undefined || (wish >= dimLeast && wish <= dimMost && wish % dimStep === 0);
  const found = isSize ? dimensionsOf(spec, wish ?? null) : undefined;
  if (found) return found.dim;
  const known = [...new Set([...spec.dims, spec.nativeDim ?? []].flat())].toSorted((a, b) => a - b);
  throw new Failure('dimUnsupported', {
    detail: `The provider ${name} has no vectors of ${wish} numbers.`,
    hint:
      known.length > 0
        ? `It has ${known.join(', ')}${spec.matryoshka ? ', and the first numbers of the last' : ''}.`
        : 'Leave dim out: it makes vectors of one size.',
    errors: [{ pointer: '/opts/dim', code: 'dim_unsupported', message: 'not a size it has' }],
  });
}
