import { figuresOf, measures, sizeName } from '../kernel/run.ts';
import type { Sample } from '../kernel/rounds.ts';
import type { Workload } from '../kernel/workload.ts';
import { once, say, summarise, type Figure } from '../report.ts';
import { isInstalled, peerNames, type PeerName } from './engines.ts';
import { runCase, type CaseOutcome } from './run-case.ts';

const sizes = [10_000, 100_000, 1_000_000];
const roundCount = 5;
const roundsSecondsMost = 30;
/** Time limit of a case, within which results are compared and everything is measured once. */
export const caseSecondsMost = 180;
/** Passes whose results are compared with Quire's: two builds, two edits of everything. */
const passesLeast = 2;

/** Outcomes by workload, size and peer; `alone` is Quire without one. */
export class Sweep {
  readonly #outcomes = new Map<string, CaseOutcome>();

  of(workload: string, size: number, peer: PeerName | 'alone'): CaseOutcome | undefined {
    return this.#outcomes.get(`${workload} ${size} ${peer}`);
  }

  keep(workload: string, size: number, peer: PeerName | 'alone', outcome: CaseOutcome): void {
    this.#outcomes.set(`${workload} ${size} ${peer}`, outcome);
  }
}

/** Measures workloads by size and kind of edit, beside every installed peer. */
export async function sweepWorkloads(
  workloads: readonly Workload[],
  sizeMost: number,
): Promise<{ sweep: Sweep; figures: Figure[] }> {
  const sweep = new Sweep();
  const figures: Figure[] = [];
  for (const name of peerNames) {
    if (!isInstalled(name)) say(`${name} is left out: npm ci --prefix bench installs it`);
  }
  for (const workload of workloads) {
    say(`${workload.name}: ${workload.shape}`);
    const hopeless = new Map<PeerName, string>();
    for (const size of sizes) {
      if (size > sizeMost) continue;
      figures.push(...(await sweepSize({ workload, size, sweep, hopeless })));
    }
  }
  return { sweep, figures };
}

async function sweepSize({
  workload,
  size,
  sweep,
  hopeless,
}: {
  workload: Workload;
  size: number;
  sweep: Sweep;
  /** Peers that would not finish at this size, and why. */
  hopeless: Map<PeerName, string>;
}): Promise<Figure[]> {
  const subject = `${workload.name} ${sizeName(size)}`;
  const request = { workload: workload.name, size, roundCount, roundsSecondsMost };
  const alone = await runCase({ ...request, peer: undefined }, caseSecondsMost);
  sweep.keep(workload.name, size, 'alone', alone);
  const figures = aloneFigures(subject, alone);
  for (const peer of peerNames.filter(isInstalled)) {
    const known = hopeless.get(peer);
    const outcome =
      known === undefined ? await runCase({ ...request, peer }, caseSecondsMost) : undefined;
    const problem = known ?? outcome?.problem;
    if (outcome === undefined || problem !== undefined) {
      figures.push(...noted(figures, `${peer}: ${problem ?? ''}`));
      hopeless.set(peer, known ?? `${problem ?? ''} at ${sizeName(size)}`);
      continue;
    }
    sweep.keep(workload.name, size, peer, outcome);
    figures.push(...timesOf(figuresOf(subject, [outcome.quire, outcome.peer], peer)));
    const seconds = growing(outcome.peer[0]);
    if (seconds * 10 > caseSecondsMost) {
      hopeless.set(peer, `left out: ${sizeName(size)} took it ${Math.round(seconds)} s`);
    }
  }
  say(`  ${sizeName(size)} done`);
  return figures;
}

/** Returns the least seconds of a case at the next size, which is ten times as large. */
function growing(sample: Sample | undefined): number {
  if (sample === undefined) return 0;
  return (passesLeast * (sample.build + sample.full)) / 1_000;
}

function aloneFigures(subject: string, { quire, alone }: CaseOutcome): Figure[] {
  const figures = figuresOf(subject, [quire, []], '');
  if (alone === undefined) return figures;
  const { formulaCount, peakBytes } = alone;
  const rates = quire.map(({ full }) => formulaCount / full / 1_000);
  const rate = { measure: 'full recalculation', unit: 'M formulas/s', quire: summarise(rates) };
  const memory = { measure: 'most memory', unit: 'MB', quire: once(peakBytes / 1e6) };
  return [...figures, { subject, ...rate }, { subject, ...memory }];
}

/** Leaves out memory beside a peer, because the heap of two engines cannot be separated. */
function timesOf(figures: readonly Figure[]): Figure[] {
  const [, , , memory] = measures;
  return figures.filter(({ measure }) => measure !== memory.name);
}

function noted(figures: readonly Figure[], note: string): Figure[] {
  const [build] = figures;
  return build === undefined ? [] : [{ ...build, note }];
}
