import { createHash } from 'node:crypto';

/**
 * Trees as in RFC 6962, section 2.1: recursive, on whole lists, without tiles. It shares no code
 * with server/tlog, so that a common error needs a common misreading.
 */

function sha256(...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** k: the largest power of two smaller than n. */
function split(n: number): number {
  let k = 1;
  while (2 * k < n) k *= 2;
  return k;
}

/** Remembers what it computed: a list of 65,537 is asked about many times. */
export class Rfc6962 {
  readonly #entries: readonly Uint8Array[];
  readonly #known = new Map<string, Buffer>();

  constructor(entries: readonly Uint8Array[]) {
    this.#entries = entries;
  }

  /** MTH(D[from:to]) */
  root(from: number, to: number): Buffer {
    const key = `${from} ${to}`;
    const known = this.#known.get(key);
    if (known) return known;
    const root = this.#compute(from, to);
    this.#known.set(key, root);
    return root;
  }

  #compute(from: number, to: number): Buffer {
    const n = to - from;
    if (n === 0) return sha256();
    const [entry] = this.#entries.slice(from, from + 1);
    if (n === 1 && entry) return sha256(Buffer.from([0]), entry);
    if (!entry) throw new Error('the list is shorter');
    const k = split(n);
    return sha256(Buffer.from([1]), this.root(from, from + k), this.root(from + k, to));
  }

  /** PATH(m, D[from:to]), m counted from `from`. */
  path(m: number, from: number, to: number): Buffer[] {
    const n = to - from;
    if (n === 1) return [];
    const k = split(n);
    return m < k
      ? [...this.path(m, from, from + k), this.root(from + k, to)]
      : [...this.path(m - k, from + k, to), this.root(from, from + k)];
  }

  /** PROOF(m, D[0:n]) */
  proof(m: number, n: number): Buffer[] {
    return this.#subproof(m, 0, n, true);
  }

  #subproof(m: number, from: number, to: number, isComplete: boolean): Buffer[] {
    const n = to - from;
    if (m === n) return isComplete ? [] : [this.root(from, to)];
    const k = split(n);
    return m <= k
      ? [...this.#subproof(m, from, from + k, isComplete), this.root(from + k, to)]
      : [...this.#subproof(m - k, from + k, to, false), this.root(from, from + k)];
  }
}
