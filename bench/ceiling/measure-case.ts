import process from 'node:process';

import { quireEngine } from '../kernel/quire-engine.ts';
import { countFormulas } from '../kernel/workload.ts';
import { compareResults, sampleOf, type Sample } from '../kernel/rounds.ts';
import { loadPeer, sweptWorkloads, type PeerName } from './engines.ts';

/**
 * Measures one workload at one size, in a process that may be ended at any time: Quire and a peer
 * in alternation, or Quire alone. The argument is a CaseRequest as JSON.
 */
export interface CaseRequest {
  readonly workload: string;
  readonly size: number;
  readonly peer: PeerName | undefined;
  readonly roundCount: number;
  /** Time after which the peer begins no further round. */
  readonly roundsSecondsMost: number;
}

/** Message of the process during a case. */
export type CaseMessage =
  | { readonly kind: 'wrong'; readonly detail: string }
  | { readonly kind: 'sample'; readonly engine: 'quire' | 'peer'; readonly sample: Sample }
  /** Peak memory of the process, including the texts that it built from. */
  | { readonly kind: 'alone'; readonly peakBytes: number; readonly formulaCount: number };

function tell(message: CaseMessage): void {
  process.send?.(message);
}

async function measure(request: CaseRequest): Promise<void> {
  const workload = sweptWorkloads.find(({ name }) => name === request.workload);
  if (workload === undefined) throw new Error(`no workload ${request.workload}`);
  const started = performance.now();
  const scenario = workload.make(request.size);
  const peer = request.peer && (await loadPeer(request.peer, workload));
  if (peer === undefined) {
    // This is the round that warms up, too.
    await sampleOf(scenario, quireEngine, 0);
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    tell({ kind: 'alone', peakBytes, formulaCount: countFormulas(scenario.sheets) });
  } else {
    try {
      compareResults(scenario, [quireEngine, peer]);
    } catch (error) {
      tell({ kind: 'wrong', detail: error instanceof Error ? error.message : String(error) });
      return;
    }
  }
  for (let round = 0; round < request.roundCount; round++) {
    tell({ kind: 'sample', engine: 'quire', sample: await sampleOf(scenario, quireEngine, round) });
    const isLate = round > 0 && performance.now() - started > request.roundsSecondsMost * 1_000;
    if (peer === undefined || isLate) continue;
    tell({ kind: 'sample', engine: 'peer', sample: await sampleOf(scenario, peer, round) });
  }
}

await measure(JSON.parse(process.argv[2] ?? '') as CaseRequest);
process.disconnect();
