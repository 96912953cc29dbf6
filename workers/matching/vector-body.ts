/** An answer with vectors in one of the protocols. */
export interface VectorsTask {
  readonly body: Uint8Array;
  readonly form: VectorForm;
  /** Number of texts that were sent. */
  readonly count: number;
  /** Length that each vector must have; by default that of the first. */
  readonly size?: number | undefined;
  /** Length to cut vectors to, for models that allow it. */
  readonly cut?: number | undefined;
}

/**
 * `data`: OpenAI's list with indexes; `embeddings`: a list in a member; `list`: the list itself.
 */
export type VectorForm = 'data' | 'embeddings' | 'list';

export type VectorsRead =
  | { readonly vectors: Float32Array; readonly size: number }
  | { readonly fault: 'provider_bad_answer' | 'provider_bad_vector'; readonly detail: string };

const sizeMost = 16_384;

/** Reads vectors and normalises them to length 1. A wrong answer is reported, never repaired. */
export function readVectors(task: VectorsTask): VectorsRead {
  const { body, form, count } = task;
  let answer: unknown;
  try {
    answer = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return { fault: 'provider_bad_answer', detail: 'The answer is no JSON.' };
  }
  const list = listIn(answer, form, count);
  if (list === undefined) {
    return { fault: 'provider_bad_answer', detail: `The answer has not ${count} vectors.` };
  }
  return placed(list.map(numbersOf), task);
}

function placed(
  all: readonly (ArrayLike<number> | undefined)[],
  { size, cut }: VectorsTask,
): VectorsRead {
  const expected = size ?? all[0]?.length ?? 0;
  if (expected === 0 || expected > sizeMost || all.some((one) => one?.length !== expected)) {
    const detail = `The vectors have not ${size ?? 'all as many'} numbers.`;
    return { fault: 'provider_bad_vector', detail };
  }
  const kept = Math.min(cut ?? expected, expected);
  const vectors = new Float32Array(new SharedArrayBuffer(all.length * kept * 4));
  for (const [at, numbers = []] of all.entries()) {
    if (!isPlaced(numbers, vectors.subarray(at * kept, (at + 1) * kept))) {
      return { fault: 'provider_bad_vector', detail: `Vector ${at} has no direction.` };
    }
  }
  return { vectors, size: kept };
}

/** Returns the vectors in the order of the texts; undefined if their number is wrong. */
function listIn(answer: unknown, form: VectorForm, count: number): unknown[] | undefined {
  const list: unknown = form === 'list' ? answer : memberOf(answer, form);
  if (!isList(list) || list.length !== count) return undefined;
  if (form !== 'data') return list;
  const ordered: unknown[] = Array.from({ length: count });
  for (const item of list) {
    const index = memberOf(item, 'index');
    if (typeof index !== 'number' || !Number.isInteger(index)) return undefined;
    if (index < 0 || index >= count || ordered[index] !== undefined) return undefined;
    ordered[index] = memberOf(item, 'embedding');
  }
  return ordered;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Reads numbers from a list, or from base64 of 32-bit floats, little endian. */
function numbersOf(vector: unknown): ArrayLike<number> | undefined {
  if (typeof vector === 'string') {
    const bytes = Buffer.from(vector, 'base64');
    if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
    return new Float32Array(Uint8Array.from(bytes).buffer);
  }
  return isList(vector) && vector.every(isNumber) ? vector : undefined;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Writes a normalised vector; returns false if it is not finite, or zero. */
function isPlaced(numbers: ArrayLike<number>, into: Float32Array): boolean {
  let squares = 0;
  for (let at = 0; at < into.length; at++) squares += (numbers[at] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length < 1e-12) return false;
  for (let at = 0; at < into.length; at++) into[at] = (numbers[at] ?? 0) / length;
  return true;
}
