import type { Engine } from '../kernel/engine.ts';
import { hyperFormulaEngine, loadHyperFormula } from '../kernel/hyper-formula-engine.ts';
import type { Workload } from '../kernel/workload.ts';
import { columnTemplates } from '../kernel/workloads/column-templates.ts';
import { workloads } from '../kernel/workloads/all.ts';
import { hasPeer } from '../peers.ts';
import { loadFormulajs } from './formulajs-engine.ts';
import { loadIronCalc } from './ironcalc-engine.ts';

export const sweptWorkloads: readonly Workload[] = [...workloads, columnTemplates];

export type PeerName = keyof typeof peers;

const peers = {
  hyperformula: {
    package: 'hyperformula',
    load: async (workload: Workload) =>
      hyperFormulaEngine(loadHyperFormula(), workload.hyperFormulaOptions),
  },
  ironcalc: { package: '@ironcalc/wasm', load: loadIronCalc },
  formulajs: { package: '@formulajs/formulajs', load: async () => loadFormulajs() },
};

export const peerNames = Object.keys(peers) as readonly PeerName[];

export function isInstalled(name: PeerName): boolean {
  return hasPeer(peers[name].package);
}

export function loadPeer(name: PeerName, workload: Workload): Promise<Engine> {
  return peers[name].load(workload);
}
