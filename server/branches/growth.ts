import type { CellLedger } from '../account/cells/ledger.ts';
import { mainBranchNo } from '../workbooks/workbook.ts';
import { CellRoom, filledCells } from './cell-room.ts';
import type { BranchAddress } from './journal-store.ts';
import type { LiveBranch } from './live-branch.ts';

export interface GrowthParts {
  /** Ledger of cells by plan; left out without limits. */
  readonly ledger?: Pick<CellLedger, 'roomOf' | 'note'>;
  /** Most memory of one workbook in bytes. */
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

  /** Looks up what the plan leaves, so that it is at hand for the next batch. */
  async ahead(address: BranchAddress): Promise<void> {
    await this.#parts.ledger?.roomOf(address);
  }

  /** Returns the room for the next batch of a branch; undefined without limits. */
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
      // A branch counted for the first time has just begun, with the cells of its parent.
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

  /** Notes that a branch has grown or shrunk. */
  async note(address: BranchAddress, { cells, baseCells }: LiveBranch): Promise<void> {
    if (!cells) return;
    await this.#parts.ledger?.note(address, { cells: cells.count, baseCells });
  }
}
