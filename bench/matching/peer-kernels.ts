import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { openPostings, Postings, postingsIn, type Wanted } from '../../workers/kernel-postings.ts';
import { BestRows } from '../../workers/matching/best-rows.ts';
import { jaroWinkler } from '../../workers/matching/jaro-winkler.ts';
import { once, type Figure } from '../report.ts';

/**
 * Compares inner loops of matching in TypeScript and in AssemblyScript: the sums of postings, which
 * the kernel has, and the similarity of words, for which bench/matching/peer-kernels.as is
 * compiled. Results are compared first.
 */

interface Peer {
  jaroWinkler(a: number, lengthA: number, b: number, lengthB: number): number;
}

const rowCount = 100_000;
const postingsMost = 1 << 20;
const listCount = 64;
const wordCount = 4_096;
const wordBytes = 32;
const keptCount = 60;
const addedWeight = 0.3;
const pages = 4;
/** Address of the words, behind the memory of the peer. */
const words = 1 << 16;

export function measurePeerKernels(): Figure[] {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const peer = compiled(memory);
  return [...measureAdding(), ...measureWords(peer, memory.buffer)];
}

function compiled(memory: WebAssembly.Memory): Peer {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
  try {
    const out = join(folder, 'peer.wasm');
    const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js');
    // The source's ending keeps it from being checked as TypeScript, but the compiler only knows
    // .ts.
    const source = join(folder, 'peer.ts');
    copyFileSync(join(root, 'bench/matching/peer-kernels.as'), source);
    const flags = ['--outFile', out, '-O3', '--runtime', 'stub', '--noAssert'];
    const shared = ['--importMemory', '--sharedMemory', '--initialMemory', String(pages)];
    const most = ['--maximumMemory', String(pages), '--enable', 'threads,simd,bulk-memory'];
    execFileSync(process.execPath, [compiler, source, ...flags, ...shared, ...most], {
      // This folder is away from the settings of the kernel.
      cwd: folder,
    });
    const module = new WebAssembly.Module(readFileSync(out));
    const abort = (): never => {
      throw new Error('the peer has failed');
    };
    const { exports } = new WebAssembly.Instance(module, { env: { memory, abort } });
    return exports as Record<keyof Peer, (...given: number[]) => number>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Measures postings per second of processor time, in lists of 16,384 over 100,000 rows. */
function measureAdding(): Figure[] {
  const memory = openPostings(postingsMost, rowCount);
  const { rows, weights } = postingsIn(memory);
  const length = postingsMost / listCount;
  for (let at = 0; at < postingsMost; at++) {
    rows[at] = Math.floor(((at % length) * rowCount) / length) + ((at * 7919) % 5);
    weights[at] = ((at * 31) % 97) / 97 + 0.01;
  }
  const lists = Array.from({ length: listCount }, (_, list) => list * length);
  const plain = new PlainPostings({ rows, weights });
  const kernel = new Postings(memory, keptCount);
  const runs = [plain, kernel].map((adding) => (): number[] => {
    for (const from of lists) adding.add(from, from + length, addedWeight);
    return [...adding.best({ below: rowCount, block: 0 })].toSorted((x, y) => x - y);
  });
  const [first, second] = runs.map((run) => run());
  if (JSON.stringify(first) !== JSON.stringify(second)) throw new Error('rows differ');
  const figures = figuresOf('scatter-add', 'M postings/s', postingsMost, runs);
  kernel.close();
  return figures;
}

/** Sums of postings in TypeScript, as matches had them before the kernel did. */
class PlainPostings {
  readonly #rows: Uint32Array;
  readonly #weights: Float32Array;
  readonly #sums = new Float32Array(rowCount);
  readonly #touched = new Uint32Array(rowCount);
  readonly #best = new BestRows(keptCount);
  #count = 0;

  constructor({ rows, weights }: ReturnType<typeof postingsIn>) {
    this.#rows = rows;
    this.#weights = weights;
  }

  add(from: number, to: number, weight: number): void {
    const [rows, weights, sums, touched] = [this.#rows, this.#weights, this.#sums, this.#touched];
    let count = this.#count;
    for (let place = from; place < to; place++) {
      const row = rows[place] ?? 0;
      const sum = sums[row] ?? 0;
      if (sum === 0) touched[count++] = row;
      sums[row] = sum + weight * (weights[place] ?? 0);
    }
    this.#count = count;
  }

  best({ below }: Wanted): Uint32Array {
    this.#best.clear();
    for (let at = 0; at < this.#count; at++) {
      const row = this.#touched[at] ?? 0;
      const sum = this.#sums[row] ?? 0;
      this.#sums[row] = 0;
      if (row < below && sum > 0) this.#best.offer(row, sum);
    }
    this.#count = 0;
    return this.#best.rows.subarray(0, this.#best.count);
  }
}

/** Pairs of words a second of processor time. */
function measureWords(peer: Peer, buffer: ArrayBufferLike): Figure[] {
  const units = new Uint16Array(buffer, words, (wordCount * wordBytes) / 2);
  const width = wordBytes / 2;
  const lengthOf = (word: number): number => 3 + ((word * 7) % 10);
  for (let word = 0; word < wordCount; word++) {
    for (let at = 0; at < lengthOf(word); at++) {
      units[word * width + at] = 97 + ((word * 13 + at * (1 + (word % 5))) % 26);
    }
  }
  const plain = (): number => {
    let sum = 0;
    for (let word = 0; word + 1 < wordCount; word++) {
      const [a, b] = [word * width, (word + 1) * width];
      sum += jaroWinkler(
        { units, start: a, end: a + lengthOf(word) },
        { units, start: b, end: b + lengthOf(word + 1) },
      );
    }
    return sum;
  };
  const byPeer = (): number => {
    let sum = 0;
    for (let word = 0; word + 1 < wordCount; word++) {
      const a = words + word * wordBytes;
      sum += peer.jaroWinkler(a, lengthOf(word), a + wordBytes, lengthOf(word + 1));
    }
    return sum;
  };
  if (plain() !== byPeer()) throw new Error('similarities differ');
  return figuresOf('Jaro-Winkler', 'M pairs/s', wordCount, [plain, byPeer]);
}

const rounds = 5;
const repeats = 40;

/** Returns the best of some alternating rounds, as other load only adds. */
function figuresOf(
  subject: string,
  unit: string,
  count: number,
  runs: readonly (() => unknown)[],
): Figure[] {
  const best = runs.map(() => Infinity);
  for (let round = -1; round < rounds; round++) {
    for (const [index, run] of runs.entries()) {
      const before = process.cpuUsage().user;
      for (let repeat = 0; repeat < repeats; repeat++) run();
      const seconds = (process.cpuUsage().user - before) / 1e6;
      if (round >= 0) best[index] = Math.min(best[index] ?? Infinity, seconds);
    }
  }
  const rate = (seconds = Number.NaN): number =>
    Math.round((count * repeats) / seconds / 1e4) / 100;
  return [
    { subject, measure: 'TypeScript', unit, quire: once(rate(best[0])) },
    { subject, measure: 'AssemblyScript', unit, quire: once(rate(best[1])) },
  ];
}
