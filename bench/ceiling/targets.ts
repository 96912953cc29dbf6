import type { Sample } from '../kernel/rounds.ts';
import { sizeName } from '../kernel/run.ts';
import { summarise, type Figure } from '../report.ts';
import type { Sweep } from './sweep.ts';
import { timeCopiedValues, timeSharedValues, timeStoredValues } from './transfers.ts';

/** Target of the kernel, relative to hyperformula or absolute. */
interface Target {
  readonly name: string;
  readonly workload: string;
  readonly size: number;
  readonly measure: keyof Sample | 'peak';
  readonly unit: string;
  /** Least ratio of hyperformula's time to Quire's; undefined for an absolute target. */
  readonly ratioLeast?: number;
  readonly most?: number;
  readonly perSecondLeast?: number;
}

const bulk = ['fill-down', 'running-total', 'sliding-window', 'grid-stencil'];
const chains = ['running-total', 'grid-stencil'];
const k100 = 100_000;
const M1 = 1_000_000;

/** Targets by their number in the specification; 11 to 13 belong to other benches. */
const targets: readonly Target[] = [
  ...bulk.map((workload) => build(`1 build ${workload}`, workload, k100, 10)),
  ...bulk.map((workload) => build(`2 build ${workload}`, workload, M1, 10)),
  ...bulk.map((workload): Target => {
    return {
      name: `2 most memory ${workload}`,
      workload,
      size: M1,
      measure: 'peak',
      unit: 'MB',
      most: 1_024,
    };
  }),
  ...[k100, M1].flatMap((size) =>
    chains.map((workload) => full(`3 everything dirty ${workload}`, workload, size, 20)),
  ),
  ...[k100, M1].map((size): Target => {
    const name = '4 column templates';
    const workload = 'column-templates';
    return { name, workload, size, measure: 'full', unit: 'M/s', perSecondLeast: 50 };
  }),
  full('5 prefix sums', 'prefix-sums', k100, 50),
  build('6 lookup 10k x 10k', 'lookup', 10_000, 500),
  { ...absolute('6 lookup 10k x 10k', 'lookup', 10_000, 50), measure: 'build' },
  build('7 sumifs, 1,000 keys', 'sumifs', 10_000, 1_000),
  { ...absolute('7 sumifs, 1,000 keys', 'sumifs', 10_000, 25), measure: 'build' },
  { ...absolute('8 single edit', 'fill-down', k100, 0.1), measure: 'small' },
  build('9 financial model', 'financial-model', k100, 5),
  { ...absolute('10 bytes per formula', 'fill-down', M1, 60), measure: 'bytes', unit: 'bytes' },
];

function build(name: string, workload: string, size: number, ratioLeast: number): Target {
  return { name, workload, size, measure: 'build', unit: 'x', ratioLeast };
}

function full(name: string, workload: string, size: number, ratioLeast: number): Target {
  return { name, workload, size, measure: 'full', unit: 'x', ratioLeast };
}

function absolute(name: string, workload: string, size: number, most: number): Target {
  return { name, workload, size, measure: 'full', unit: 'ms', most };
}

/** Returns the targets that the sweep has measured, with their spread, met or not. */
export function targetFigures(sweep: Sweep): Figure[] {
  return targets.flatMap((target) => {
    const values = valuesOf(target, sweep);
    return values.length === 0 ? [] : [figureOf(target, values)];
  });
}

/** Returns targets 14 and 15: transfer of values from a thread, and from PostgreSQL. */
export async function transferFigures(): Promise<Figure[]> {
  const shared = summarise(await timeSharedValues());
  const copied = { name: 'structured clone', ...summarise(timeCopiedValues()) };
  const stored = summarise(await timeStoredValues());
  return [
    {
      subject: '14 a million values from a thread',
      measure: 'by itself',
      unit: 'ms',
      quire: shared,
      peer: copied,
      due: '<= 0.1',
      isMet: shared.median <= 0.1,
    },
    {
      subject: '15 10 MB of stored values read',
      measure: 'by itself',
      unit: 'ms',
      quire: stored,
      due: '<= 30',
      isMet: stored.median <= 30,
    },
  ];
}

function valuesOf(target: Target, sweep: Sweep): number[] {
  const { workload, size, measure } = target;
  const alone = sweep.of(workload, size, 'alone');
  if (measure === 'peak') return alone?.alone === undefined ? [] : [alone.alone.peakBytes / 1e6];
  if (target.ratioLeast !== undefined) {
    const beside = sweep.of(workload, size, 'hyperformula');
    if (beside === undefined || beside.peer.length === 0) return [];
    const peer = summarise(beside.peer.map((sample) => sample[measure])).median;
    return beside.quire.map((sample) => peer / sample[measure]);
  }
  const times = (alone?.quire ?? []).map((sample) => sample[measure]);
  return target.perSecondLeast === undefined ? times : times.map((time) => size / time / 1_000);
}

function figureOf(target: Target, values: readonly number[]): Figure {
  const { ratioLeast, perSecondLeast, most } = target;
  const quire = summarise(values);
  const least = ratioLeast ?? perSecondLeast;
  return {
    subject: `${target.name} ${sizeName(target.size)}`,
    measure: ratioLeast === undefined ? 'by itself' : 'times hyperformula',
    unit: target.unit,
    quire,
    due: least === undefined ? `<= ${most ?? 0}` : `>= ${least}`,
    isMet: least === undefined ? quire.median <= (most ?? 0) : quire.median >= least,
  };
}
