import { openDots } from '../../workers/kernel-dots.ts';
import type { DenseVectors } from '../../workers/matching/dense.ts';
import { textAt, type PreparedMatch } from '../../workers/matching/prepared.ts';
import { sharedFloat32, type PackedTexts } from '../../workers/matching/shared-arrays.ts';
import { Failure } from '../model/failure.ts';
import type { Embedder, EmbeddingOrder } from './providers/embedder.ts';
import { ProviderFault } from './providers/fault.ts';

/** Vectors of both sides, and which left texts have none. */
export interface Embedded {
  readonly dense: DenseVectors;
  readonly refused: Uint8Array;
}

export interface EmbeddingStage {
  readonly embedder: Embedder;
  readonly order: EmbeddingOrder;
  /** Rooms for products, one a task that runs. */
  readonly roomCount: number;
  readonly advance: (done: number, total: number) => Promise<void>;
}

interface Window {
  readonly side: 'left' | 'right';
  readonly from: number;
  readonly to: number;
}

type Counts = readonly [left: number, right: number];

const floatBytes = 4;
const step = 16;
/** Bytes of the vectors of both sides together, as floats. */
const bytesMost = 2 ** 30;

/** Gets vectors of all distinct texts from the provider, as many requests at a time as it takes. */
export async function embedTexts(
  { corpus, left, right }: PreparedMatch,
  { embedder, order, roomCount, advance }: EmbeddingStage,
): Promise<Embedded> {
  const counts = [left.starts.length - 1, right.starts.length - 1] as const;
  const texts = { left: corpus.leftTexts, right: corpus.rightTexts };
  const run = embedder.begin(order);
  const placing = new Placing(embedder.name, counts);
  const windows = windowsOf(counts, embedder.spec.batch);
  let done = 0;
  const work = async (): Promise<boolean> => {
    const window = windows.shift();
    if (!window) return false;
    const { side, from, to } = window;
    placing.place(window, await run.vectors(textsOf(texts[side], from, to)));
    done += to - from;
    await advance(done, counts[0] + counts[1]);
    return true;
  };
  // The first vector says how long all of them are.
  while (!placing.isOpen && (await work()));
  const others = async (): Promise<void> => {
    while (await work());
  };
  await Promise.all(Array.from({ length: embedder.spec.concurrency }, others));
  return placing.close(roomCount);
}

/** Puts vectors at their places as they come. */
class Placing {
  readonly #provider: string;
  readonly #counts: Counts;
  readonly #refused: Uint8Array;
  #size = 0;
  #width = step;
  #sides: Record<Window['side'], Float32Array> | undefined;

  constructor(provider: string, counts: Counts) {
    this.#provider = provider;
    this.#counts = counts;
    this.#refused = new Uint8Array(new SharedArrayBuffer(counts[0])).fill(1);
  }

  get isOpen(): boolean {
    return this.#sides !== undefined;
  }

  place({ side, from }: Window, vectors: readonly (Float32Array | undefined)[]): void {
    for (const [at, vector] of vectors.entries()) {
      if (!vector) continue;
      const sides = (this.#sides ??= this.#open(vector.length));
      if (vector.length !== this.#size) {
        const message = `The provider ${this.#provider} made vectors of ${vector.length} and ${this.#size} numbers.`;
        throw new ProviderFault('provider_bad_vector', message);
      }
      sides[side].set(vector, (from + at) * this.#width);
      if (side === 'left') this.#refused[from + at] = 0;
    }
  }

  close(roomCount: number): Embedded {
    const sides = this.#sides ?? this.#open(step);
    const dots = openDots(this.#counts, this.#width, roomCount);
    return { dense: { width: this.#width, ...sides, dots }, refused: this.#refused };
  }

  /** Vectors lie at multiples of 16 numbers, with zeros behind them. */
  #open(size: number): Record<Window['side'], Float32Array> {
    const [left, right] = this.#counts;
    this.#size = size;
    this.#width = Math.ceil(size / step) * step;
    if ((left + right) * this.#width * floatBytes > bytesMost) {
      throw new Failure('matchTooLarge', {
        detail: `${left + right} vectors of ${size} numbers take more than ${bytesMost / 2 ** 20} MiB.`,
        hint: 'Ask for a smaller dim, or match parts of the tables.',
      });
    }
    const sharedOf = (count: number): Float32Array => sharedFloat32(count * this.#width);
    return { left: sharedOf(left), right: sharedOf(right) };
  }
}

function windowsOf([left, right]: Counts, size: number): Window[] {
  const windows: Window[] = [];
  for (const [side, count] of [
    ['left', left],
    ['right', right],
  ] as const) {
    for (let from = 0; from < count; from += size) {
      windows.push({ side, from, to: Math.min(count, from + size) });
    }
  }
  return windows;
}

function textsOf(texts: PackedTexts, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => textAt(texts, from + at));
}
