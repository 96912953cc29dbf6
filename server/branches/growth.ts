import type { CellLedger } from '../account/cells/ledger.ts';
import { mainBranchNo } from '../workbooks/workbook.ts';
import { CellRoom, filledCells } from './cell-room.ts';
import type { BranchAddress } from './journal-store.ts';
import type { LiveBranch } from './live-branch.ts';

export interface GrowthParts {
  /** Left out where no plan caps cells. */
  readonly ledger?: Pick<CellLedger, 'roomOf' | 'note'>;
  /** Bytes of memory that one workbook may take. */
  readonly workbookBytesMost: number;
}

/** Limits the growth of branches: by the plan of the owner, and by the memory of one workbook. */
export class Growth {
  readonly #parts: GrowthParts;
  readonly #weights: ((address: BranchAddress) => number)[] = [];

  constructor(parts: GrowthParts) {
    this.#parts = parts;
  }

  /**
   * Adds a user of memory: a function from a branch to the bytes of its workbook's states, or of
   * its model.
   */
  weigh(weight: (address: BranchAddress) => number): void {
    this.#weights.push(weight);
  }

  /** For the next batch of a branch; undefined lets everything in. */
  async roomFor(address: BranchAddress, live: LiveBranch): Promise<CellRoom | undefined> {
    const { ledger, workbookBytesMost: bytesMost } = this.#parts;
    const bytes = this.#weights.reduce((sum, weigh) => sum + weigh(address), 0);
    const room = await ledger?.roomOf(address);
    if (!room) {
      if (bytes <= bytesMost) return undefined;
      const unlimited = { cellsMost: Infinity, planMost: Infinity, baseCells: 0 };
      return new CellRoom({ ...unlimited, bytes, bytesMost }, { count: 0, slack: 0 });
    }
    const { gainMost, planMost, count } = room;
    if (live.cells === undefined) {
      live.cells = { count: count?.cells ?? filledCells(live.state), slack: 0 };
      // A branch that is counted for the first time has just begun: all it has is its parent's.
      const isMain = address.branchNo === mainBranchNo;
      live.baseCells = count?.baseCells ?? (isMain ? 0 : live.cells.count);
    }
    const { baseCells } = live;
    const cellsMost = gainMost + baseCells;
    const facts = { cellsMost, planMost, baseCells, bytes, bytesMost };
    const known = new CellRoom(facts, live.cells);
    known.recount(live.state);
    return known;
  }

  /** The branch has grown or shrunk. */
  async note(address: BranchAddress, { cells, baseCells }: LiveBranch): Promise<void> {
    if (!cells) return;
    await this.#parts.ledger?.note(address, { cells: cells.count, baseCells });
  }
}
