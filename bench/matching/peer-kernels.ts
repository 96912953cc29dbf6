import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { jaroWinkler } from '../../workers/matching/jaro-winkler.ts';
import { once, type Figure } from '../report.ts';

/**
 * The inner loops of retrieval and of the verifier, as matches run them in TypeScript, beside the
 * same in AssemblyScript, which bench/matching/peer-kernels.as is compiled for. Answers are compared first.
 */

interface Peer {
  addPostings(
    rows: number,
    weights: number,
    count: number,
    weight: number,
    sums: number,
    touched: number,
    touchedCount: number,
  ): number;
  jaroWinkler(a: number, lengthA: number, b: number, lengthB: number): number;
}

const rowCount = 100_000;
const postingsMost = 1 << 20;
const listCount = 64;
const wordCount = 4_096;
const wordBytes = 32;
const pages = 512;
/** Where each array begins; what the peer keeps for itself is below. */
const base = 1 << 16;
const places = {
  rows: base,
  weights: base + postingsMost * 4,
  sums: base + postingsMost * 8,
  touched: base + postingsMost * 8 + rowCount * 4,
  words: base + postingsMost * 8 + rowCount * 8,
};

export function measurePeerKernels(): Figure[] {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const peer = compiled(memory);
  return [...measureAdding(peer, memory.buffer), ...measureWords(peer, memory.buffer)];
}

function compiled(memory: WebAssembly.Memory): Peer {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
  try {
    const out = join(folder, 'peer.wasm');
    const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js');
    // Its ending keeps it from being checked as TypeScript, and the compiler knows no other than .ts.
    const source = join(folder, 'peer.ts');
    copyFileSync(join(root, 'bench/matching/peer-kernels.as'), source);
    const flags = ['--outFile', out, '-O3', '--runtime', 'stub', '--noAssert'];
    const shared = ['--importMemory', '--sharedMemory', '--initialMemory', String(pages)];
    const most = ['--maximumMemory', String(pages), '--enable', 'threads,simd,bulk-memory'];
    execFileSync(process.execPath, [compiler, source, ...flags, ...shared, ...most], {
      // Away from the settings of the kernel.
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

/** Postings a second of processor time, in lists of 16,384 over 100,000 rows. */
function measureAdding(peer: Peer, buffer: ArrayBufferLike): Figure[] {
  const rows = new Uint32Array(buffer, places.rows, postingsMost);
  const weights = new Float32Array(buffer, places.weights, postingsMost);
  const sums = new Float32Array(buffer, places.sums, rowCount);
  const touched = new Uint32Array(buffer, places.touched, rowCount);
  const length = postingsMost / listCount;
  for (let at = 0; at < postingsMost; at++) {
    rows[at] = Math.floor(((at % length) * rowCount) / length) + ((at * 7919) % 5);
    weights[at] = ((at * 31) % 97) / 97 + 0.01;
  }
  const plain = (): number => {
    let count = 0;
    for (let list = 0; list < listCount; list++) {
      const [from, to] = [list * length, (list + 1) * length];
      for (let place = from; place < to; place++) {
        const row = rows[place] ?? 0;
        const sum = sums[row] ?? 0;
        if (sum === 0) touched[count++] = row;
        sums[row] = sum + 0.3 * (weights[place] ?? 0);
      }
    }
    return count;
  };
  const byPeer = (): number => {
    let count = 0;
    for (let list = 0; list < listCount; list++) {
      const at = list * length * 4;
      const { rows: r, weights: w, sums: s, touched: u } = places;
      count = peer.addPostings(r + at, w + at, length, 0.3, s, u, count);
    }
    return count;
  };
  const seen = [plain, byPeer].map((run) => {
    sums.fill(0);
    const count = run();
    return { count, sums: [...sums] };
  });
  if (JSON.stringify(seen[0]) !== JSON.stringify(seen[1])) throw new Error('sums differ');
  const clean = (run: () => number) => (): void => {
    run();
    sums.fill(0);
  };
  return figuresOf('scatter-add', 'M postings/s', postingsMost, [clean(plain), clean(byPeer)]);
}

/** Pairs of words a second of processor time. */
function measureWords(peer: Peer, buffer: ArrayBufferLike): Figure[] {
  const units = new Uint16Array(buffer, places.words, (wordCount * wordBytes) / 2);
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
      const a = places.words + word * wordBytes;
      sum += peer.jaroWinkler(a, lengthOf(word), a + wordBytes, lengthOf(word + 1));
    }
    return sum;
  };
  if (plain() !== byPeer()) throw new Error('similarities differ');
  return figuresOf('Jaro-Winkler', 'M pairs/s', wordCount, [plain, byPeer]);
}

const rounds = 5;
const repeats = 40;

/** The best of some rounds, in turn: what else the machine does only adds. */
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
