import { say, summarise, type Figure } from '../report.ts';
import type { Engine } from './engine.ts';
import { hyperFormulaEngine, loadHyperFormula } from './hyper-formula-engine.ts';
import { quireEngine } from './quire-engine.ts';
import { compareResults, sampleOf, type Sample } from './rounds.ts';
import type { Scenario } from './workload.ts';
import { workloads } from './workloads/all.ts';

const roundCount = 5;
/** Time after which no round begins, because slow peers would take an hour. */
const roundsSecondsMost = 120;

export interface KernelOptions {
  readonly formulaCount: number;
  /** The name of one workload; all of them when left out. */
  readonly only: string | undefined;
}

/**
 * Measures Quire and hyperformula with the same sheets in the same process: one round warms up and
 * compares results, further rounds alternate between the two.
 */
export async function runKernelBench({ formulaCount, only }: KernelOptions): Promise<Figure[]> {
  const hyperFormula = loadHyperFormula();
  say(`hyperformula ${hyperFormula.version}; ${roundCount} rounds after one to warm up`);
  const chosen = workloads.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) {
    throw new Error(`no such workload; there are ${workloads.map(({ name }) => name).join(', ')}`);
  }
  const figures: Figure[] = [];
  for (const workload of chosen) {
    const most = workload.formulaCountMost ?? Number.POSITIVE_INFINITY;
    const size = Math.min(formulaCount, most);
    const scenario = workload.make(size);
    const subject = `${workload.name} ${sizeName(size)}`;
    say(`${subject}: ${workload.shape}`);
    const peer = hyperFormulaEngine(hyperFormula, workload.hyperFormulaOptions);
    figures.push(...(await measure(subject, scenario, [quireEngine, peer])));
  }
  return figures;
}

export function sizeName(count: number): string {
  if (count % 1_000_000 === 0) return `${count / 1_000_000}M`;
  return count % 1_000 === 0 ? `${count / 1_000}k` : String(count);
}

export const measures = [
  { key: 'build', name: 'build', unit: 'ms' },
  { key: 'full', name: 'full recalculation', unit: 'ms' },
  { key: 'small', name: 'small edit', unit: 'ms' },
  { key: 'bytes', name: 'memory per formula', unit: 'bytes' },
] as const;

async function measure(
  subject: string,
  scenario: Scenario,
  engines: readonly [Engine, Engine],
): Promise<Figure[]> {
  compareResults(scenario, engines);
  const samples: [Sample[], Sample[]] = [[], []];
  const started = performance.now();
  for (let round = 0; round < roundCount; round++) {
    if (performance.now() - started > roundsSecondsMost * 1_000) break;
    samples[0].push(await sampleOf(scenario, engines[0], round));
    samples[1].push(await sampleOf(scenario, engines[1], round));
  }
  return figuresOf(subject, samples, engines[1].name);
}

/** Returns the figures of the same rounds of Quire and of a peer. */
export function figuresOf(
  subject: string,
  [ours, theirs]: readonly [readonly Sample[], readonly Sample[]],
  peerName: string,
): Figure[] {
  return measures.map(({ key, name, unit }): Figure => {
    const quire = summarise(ours.map((sample) => sample[key]));
    const figure = { subject, measure: name, unit, quire };
    if (theirs.length === 0) return figure;
    const peer = { name: peerName, ...summarise(theirs.map((sample) => sample[key])) };
    return { ...figure, peer, ratio: peer.median / quire.median };
  });
}
