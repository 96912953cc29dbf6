import process from 'node:process';
import { parseArgs } from 'node:util';

import { writeChart } from './chart.ts';
import { makeReport, printReport, say, writeReport, type Figure } from './report.ts';

interface Bench {
  readonly summary: string;
  run(options: Options): Promise<readonly Figure[]>;
}

interface Options {
  /** Undefined unless it was asked for. */
  readonly size: number | undefined;
  readonly seconds: number;
  readonly only: string | undefined;
  /** Command-line arguments behind the name of the bench. */
  readonly program: readonly string[];
}

const benches: Readonly<Record<string, Bench>> = {
  kernel: {
    summary: 'eight workloads beside hyperformula (--size 10k, --only fill-down)',
    run: async ({ size = 100_000, only }) => {
      const { runKernelBench } = await import('./kernel/run.ts');
      return runKernelBench({ formulaCount: size, only });
    },
  },
  functions: {
    summary: 'what a call of each function takes beside hyperformula (--only SUM)',
    run: async ({ only }) => {
      const { runFunctionBench } = await import('./functions/run.ts');
      return runFunctionBench(only);
    },
  },
  service: {
    summary:
      'durable operations a second and reads (--seconds 10, --only single|batches|reads|mcp)',
    run: async (options) => {
      const { runServiceBench } = await import('./service/run.ts');
      return runServiceBench(options);
    },
  },
  client: {
    summary:
      'calls of the library beside fetch, the command, tools of MCP (--seconds 10, --only library|command|mcp)',
    run: async (options) => {
      const { runClientBench } = await import('./client/run.ts');
      return runClientBench(options);
    },
  },
  console: {
    summary:
      'the console in a browser beside glide-data-grid: frames, heap, budgets (--size 1M rows)',
    run: async ({ size = 1_000_000 }) => {
      const { runConsoleBench } = await import('./console/run.ts');
      return runConsoleBench(size);
    },
  },
  collaboration: {
    summary:
      'sockets beside ws (--seconds 10, --size 200, --only latency|fan-out|slow|rooms|resume|viewport|idle|reconnect)',
    run: async (options) => {
      const { runCollaborationBench } = await import('./collaboration/run.ts');
      return runCollaborationBench(options);
    },
  },
  storage: {
    summary: 'puts and gets of objects by both drivers (--seconds 10, --only file|s3)',
    run: async (options) => {
      const { runStorageBench } = await import('./storage/run.ts');
      return runStorageBench(options);
    },
  },
  order: {
    summary: 'row operations and look-ups in a sheet of a million rows',
    run: async () => {
      const { measureOrder } = await import('./state/order.ts');
      return measureOrder();
    },
  },
  memory: {
    summary:
      'resident memory of a process with many workbooks, and with fifty large (--only <count>|open)',
    run: async ({ only }) => {
      const { measureMemory } = await import('./service/memory.ts');
      return measureMemory(only);
    },
  },
  history: {
    summary: 'forks, old positions and copies of a large workbook (--size 1M, --only slices)',
    run: async ({ size = 1_000_000, only, program }) => {
      const { runHistoryBench } = await import('./history/run.ts');
      return runHistoryBench({ size, only, program });
    },
  },
  tlog: {
    summary:
      'leaves a second, time to a checkpoint, proofs (--size 1M, --only leaves|latency|proofs|restart)',
    run: async ({ size = 100_000, seconds, only }) => {
      const { runLogBench } = await import('./tlog/run.ts');
      return runLogBench({ size, seconds, only });
    },
  },
  diff: {
    summary: 'two states of a workbook compared, beside daff (--size 1M)',
    run: async ({ size = 1_000_000 }) => {
      const { runDiffBench } = await import('./diff/run.ts');
      return runDiffBench(size);
    },
  },
  merge: {
    summary:
      'two branches merged, beside daff and a row merge (--size 1M, --only states|conflicts)',
    run: async ({ size = 1_000_000, only }) => {
      const { runMergeBench } = await import('./merge/run.ts');
      return runMergeBench(size, only);
    },
  },
  merges: {
    summary:
      'what a client waits for a merge over HTTP, and others with it (--size 1M, --only edits|rows|conflicts|many)',
    run: async ({ size = 1_000_000, only }) => {
      const { measureWaits } = await import('./merge/waits.ts');
      return measureWaits(size, only);
    },
  },
  values: {
    summary: 'all values of a workbook above the evaluation ceiling over HTTP (--size 1M)',
    run: async ({ size = 1_000_000 }) => {
      const { runValuesBench } = await import('./values/run.ts');
      return runValuesBench(size);
    },
  },
  tables: {
    summary: 'a keyed table of ten columns over HTTP: filled, written to, paged, asked (--size 1M)',
    run: async ({ size = 1_000_000 }) => {
      const { runTablesBench } = await import('./tables/run.ts');
      return runTablesBench(size);
    },
  },
  ceiling: {
    summary:
      'workloads by sizes beside every peer, the targets, a million formulas over HTTP; an hour (--size 100k, --only fill-down|transfers|service)',
    run: async ({ size = 1_000_000, only }) => {
      const { runCeilingBench } = await import('./ceiling/run.ts');
      return runCeilingBench({ size, only });
    },
  },
  matching: {
    summary:
      'quality of matching by cross-validation on sets of pairs: -- matching <folder> (--only sets|train|speed|retrieval|kernels, --size 100k)',
    run: async ({ only, size = 10_000, program }) => {
      const { runMatchingBench } = await import('./matching/run.ts');
      return runMatchingBench({ only, size, folder: program[0] });
    },
  },
  identity: {
    summary: 'the bearer check and registrations a second (--seconds 10, --only bearer)',
    run: async ({ seconds, only }) => {
      const { runIdentityBench } = await import('./identity/run.ts');
      return runIdentityBench({ seconds, only });
    },
  },
};

const { values, positionals } = parseArgs({
  options: {
    size: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    only: { type: 'string' },
    json: { type: 'string' },
    svg: { type: 'string' },
  },
  allowPositionals: true,
});

const [name, ...program] = positionals;
const bench = name === undefined ? undefined : benches[name];
if (name === undefined || bench === undefined) {
  say('npm run bench -- <bench> [--size 100k] [--only <name>] [--json <file>] [--svg <file>]\n');
  for (const [key, { summary }] of Object.entries(benches)) {
    say(`  ${key.padEnd(8)} ${summary}`);
  }
  say('\nPeers are not part of the product. Install them with: npm ci --prefix bench');
  process.exitCode = name === undefined ? 0 : 1;
} else {
  const figures = await bench.run({
    size: values.size === undefined ? undefined : readSize(values.size),
    seconds: Number(values.seconds),
    only: values.only,
    program,
  });
  const report = makeReport(name, figures);
  printReport(report);
  if (values.json !== undefined) await writeReport(report, values.json);
  if (values.svg !== undefined) await writeChart(report, values.svg);
}

function readSize(text: string): number {
  const match = /^(\d+)([kM]?)$/.exec(text);
  const factor = { '': 1, k: 1_000, M: 1_000_000 }[match?.[2] ?? ''];
  if (match === null || factor === undefined)
    throw new Error(`--size is 10k, 100k or 1M, not ${text}`);
  return Number(match[1]) * factor;
}
