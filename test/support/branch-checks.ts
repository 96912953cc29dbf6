import type { BranchAddress, JournalStore } from '../../server/branches/journal-store.ts';
import { LiveBranch } from '../../server/branches/live-branch.ts';
import type { JournalRecord } from '../../server/branches/record.ts';
import { replayJournal } from '../../server/branches/replay.ts';
import { genesisHash } from '../../server/branches/segment.ts';
import { WorkbookContent } from '../../server/history/content.ts';
import type { FormulaService } from '../../server/model/formula-service.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { BranchState } from '../../server/state/branch-state.ts';
import { realEnvironment } from '../../server/foundation.ts';
import { drive } from './state-driver.ts';

export interface ReplayedBranch {
  readonly records: readonly JournalRecord[];
  readonly mutations: readonly Mutation[];
  readonly stateHash: string;
}

/** Reads a journal from its first operation: fails unless it is gapless and its chain is whole. */
export async function replayWhole(
  store: JournalStore,
  address: BranchAddress,
  { formulas, through = Infinity }: { formulas: FormulaService; through?: number },
): Promise<ReplayedBranch> {
  const content = new WorkbookContent(address.workbookId, formulas);
  const state = new BranchState(address.branchNo, content.coding);
  const live = new LiveBranch({ state, content, hash: genesisHash, packs: [] });
  const records: JournalRecord[] = [];
  const mutations: Mutation[] = [];
  const options = { store, environment: realEnvironment, through };
  for await (const step of replayJournal(live, address, options)) {
    records.push(...step.records);
    mutations.push(...step.mutations);
  }
  return { records, mutations, stateHash: drive(live.state.stateHash()) };
}

export interface Acknowledged {
  readonly writer: string;
  readonly id: string;
  readonly seq: number;
}

/**
 * Returns the faults of a journal, given what was acknowledged to its writers; empty when there are
 * none.
 */
export function findFaults(
  records: readonly JournalRecord[],
  acknowledged: readonly Acknowledged[],
): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const [index, { seq, id, writer }] of records.entries()) {
    if (seq !== index + 1) faults.push(`operation ${seq} stands at place ${index + 1}`);
    const key = `${writer}/${id ?? `at ${seq}`}`;
    if (seen.has(key)) faults.push(`${key} is there twice`);
    seen.add(key);
  }
  for (const { writer, id, seq } of acknowledged) {
    const record = records[seq - 1];
    if (record?.id === id && record.writer === writer) continue;
    faults.push(`${writer}/${id} was acknowledged at ${seq}, where ${record?.id ?? 'nothing'} is`);
  }
  return faults;
}
