import { say, summarise, type Figure } from '../report.ts';
import { compareBooks } from './compare.ts';
import { collectGarbage, heapBytes, type Engine } from './engine.ts';
import { hyperFormulaEngine, loadHyperFormula } from './hyper-formula-engine.ts';
import { quireEngine } from './quire-engine.ts';
import { countFormulas, type Scenario, type Workload } from './workload.ts';
import { fillDown } from './workloads/fill-down.ts';
import { financialModel } from './workloads/financial-model.ts';
import { gridStencil } from './workloads/grid-stencil.ts';
import { lookup } from './workloads/lookup.ts';
import { prefixSums } from './workloads/prefix-sums.ts';
import { runningTotal } from './workloads/running-total.ts';
import { slidingWindow } from './workloads/sliding-window.ts';
import { sumifs } from './workloads/sumifs.ts';

const workloads: readonly Workload[] = [
  fillDown,
  runningTotal,
  prefixSums,
  slidingWindow,
  lookup,
  sumifs,
  financialModel,
  gridStencil,
];

const roundCount = 5;
/** No further round is begun after this time; slow peers would take an hour otherwise. */
const roundsSecondsMost = 120;
const smallEditCount = 20;

export interface KernelOptions {
  readonly formulaCount: number;
  /** The name of one workload; all of them when left out. */
  readonly only: string | undefined;
}

/**
 * Quire and hyperformula on the same sheets in the same process: one round to warm up, in which the
 * results are compared, then rounds that alternate between the two.
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

const measures = [
  { name: 'build', unit: 'ms' },
  { name: 'full recalculation', unit: 'ms' },
  { name: 'small edit', unit: 'ms' },
  { name: 'memory per formula', unit: 'bytes' },
] as const;

type Sample = readonly [build: number, full: number, small: number, bytes: number];

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
  return measures.map(({ name, unit }, index): Figure => {
    const quire = summarise(samples[0].map((sample) => sample[index] ?? Number.NaN));
    const peer = summarise(samples[1].map((sample) => sample[index] ?? Number.NaN));
    const ratio = peer.median / quire.median;
    return { subject, measure: name, unit, quire, peer: { name: engines[1].name, ...peer }, ratio };
  });
}

/** A figure for a wrong result is worth nothing: after the build and after each kind of edit. */
function compareResults(scenario: Scenario, [first, second]: readonly [Engine, Engine]): void {
  const { sheets } = scenario;
  const books = [first.build(sheets), second.build(sheets)] as const;
  compareBooks(sheets, books);
  for (const edit of [scenario.fullEdit(1), scenario.smallEdit(1)]) {
    for (const book of books) book.edit(edit);
    compareBooks(sheets, books);
  }
  for (const book of books) book.close();
}

async function sampleOf(scenario: Scenario, engine: Engine, round: number): Promise<Sample> {
  const bytesBefore = await heapBytes();
  const buildStarted = performance.now();
  const book = engine.build(scenario.sheets);
  const buildMilliseconds = performance.now() - buildStarted;
  const bytes = (await heapBytes()) - bytesBefore + book.outsideBytes;

  const fullEdit = scenario.fullEdit(round * 2 + 1);
  const fullStarted = performance.now();
  book.edit(fullEdit);
  const fullMilliseconds = performance.now() - fullStarted;

  const edits = Array.from({ length: smallEditCount }, (_, index) =>
    scenario.smallEdit(round * smallEditCount + index + 1),
  );
  collectGarbage();
  const smallStarted = performance.now();
  for (const edit of edits) book.edit(edit);
  const smallMilliseconds = (performance.now() - smallStarted) / smallEditCount;
  book.close();
  const formulaCount = countFormulas(scenario.sheets);
  return [buildMilliseconds, fullMilliseconds, smallMilliseconds, bytes / formulaCount];
}
