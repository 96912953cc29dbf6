import type { Branches } from '../branches/branches.ts';
import { workbookPrefix } from '../history/keys.ts';
import { mainBranchNo } from '../workbooks/workbook.ts';
import type { BranchHistory, TopologyTable } from './sql.ts';
import type { Waking } from './wake.ts';

export interface TopologyOptions {
  readonly table: Pick<TopologyTable, 'branches' | 'histories' | 'fence'>;
  readonly branches: Pick<Branches, 'isLive' | 'forget' | 'load'>;
  readonly waking: Pick<Waking, 'lastMilliseconds'>;
  /** Opaque name of the node, without an address. */
  readonly nodeId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly historyEngine: 'file' | 's3';
}

/** The process that has a workbook in memory. */
export interface Owner {
  readonly node: string;
  /** Highest fencing token of its branches. */
  readonly epoch: number;
}

const noHistory: BranchHistory = {
  hotFromSeq: null,
  segments: 0,
  sealedSeq: null,
  snapshotSeq: null,
};

/**
 * Tells which process serves a workbook and where it is kept. There is one node, so it owns what it
 * has loaded.
 */
export class Topology {
  readonly #options: TopologyOptions;

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  get nodeId(): string {
    return this.#options.nodeId;
  }

  async owner(workbookId: string): Promise<Owner & { since: string }> {
    const { table, nodeId, startedAt } = this.#options;
    const epochs = (await table.branches(workbookId)).map(({ epoch }) => epoch);
    const since = new Date(startedAt).toISOString();
    return { node: nodeId, epoch: Math.max(0, ...epochs), since };
  }

  async describe(workbookId: string) {
    const { table, branches: live, waking, nodeId, historyEngine } = this.#options;
    const branches = await table.branches(workbookId);
    const histories = await table.histories(workbookId);
    const epoch = Math.max(0, ...branches.map((branch) => branch.epoch));
    const isHot = branches.some(({ branchNo }) => live.isLive({ workbookId, branchNo }));
    const sealedSeq = histories.get(mainBranchNo)?.sealedSeq ?? null;
    return {
      workbook: workbookId,
      // Nothing leases a workbook yet, so nothing expires.
      owner: isHot ? { node: nodeId, epoch, expiresInMs: null } : null,
      nodes: [{ node: nodeId, role: 'front' as const, load: live.load, hashRank: 1 }],
      sockets: 0,
      branches: branches.map(({ branchNo, branch, head }) => {
        const { hotFromSeq, segments, snapshotSeq } = histories.get(branchNo) ?? noHistory;
        return { branch, head, hotFromSeq, segments, snapshotSeq };
      }),
      journal: { engine: 'postgres' as const, shard: 0 },
      history: { engine: historyEngine, prefix: workbookPrefix(workbookId), sealedSeq },
      lag: { wakeMs: waking.lastMilliseconds(workbookId), tiles: null },
    };
  }

  /** Fences off all writers and frees the memory; the next request loads the workbook again. */
  async release(workbookId: string): Promise<void> {
    const { table, branches } = this.#options;
    await table.fence(workbookId);
    branches.forget(workbookId);
  }
}
