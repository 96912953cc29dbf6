import { LRUCache } from 'lru-cache';

import { boundedTo } from '../../model/cache-bounds.ts';
import type { Environment } from '../../model/environment.ts';
import type { LimitsProfile } from '../../model/limits.ts';
import { limitsUnder } from '../../model/plan.ts';
import { Repetition } from '../../model/repetition.ts';
import type { CellCount, CellTable, OwnedBranch, Owner } from './sql.ts';

interface CellAddress {
  readonly workbookId: string;
  readonly branchNo: number;
}

export interface LedgerOptions {
  readonly table: CellTable;
  readonly profile: LimitsProfile;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** Cells that the branches of one owner have gained, as this process knows them. */
interface Account {
  readonly owner: Owner;
  readonly branches: Map<string, CellCount>;
}

interface KnownRoom {
  readonly gainMost: number;
  readonly planMost: number;
  readonly count: CellCount | undefined;
}

const remembered = { count: 20_000, lifeMilliseconds: 5_000 };
const flushMilliseconds = 2_000;
/** More than this is written at once: a process that dies forgets no more. */
const noticeableCells = 10_000;

/**
 * Counts the cells that the workbooks of an owner hold, against the plan of the owner. A branch
 * counts with the cells it has gained since it began, as the rest is its parent's. Processes hear
 * of one another within some seconds.
 */
export class CellLedger {
  readonly #options: LedgerOptions;
  readonly #owners: LRUCache<string, Promise<Owner | undefined>>;
  readonly #accounts: LRUCache<string, Promise<Account>>;
  /** Counts that are not written yet. */
  #unwritten = new Map<string, { readonly address: CellAddress; readonly count: CellCount }>();
  readonly #flushing: Repetition;

  constructor(options: LedgerOptions) {
    this.#options = options;
    const { environment, report } = options;
    const clock = { perf: { now: () => environment.elapsed() }, ttlResolution: 0 };
    const { count, lifeMilliseconds: ttl } = remembered;
    this.#owners = new LRUCache({ ...boundedTo(count), ttl, ...clock });
    this.#accounts = new LRUCache({ ...boundedTo(count), ttl, ...clock });
    this.#flushing = new Repetition({
      environment,
      restMilliseconds: flushMilliseconds,
      step: 'write how many cells there are',
      pass: () => this.#flush(),
      report,
    });
  }

  start(): void {
    this.#flushing.start();
  }

  async stop(): Promise<void> {
    await this.#flushing.stop();
    await this.#flush();
  }

  /** The cap on the cells of an owner; undefined where the plan has none. */
  capOf({ isAnonymous }: Pick<Owner, 'isAnonymous'>): number | undefined {
    const kind = isAnonymous ? 'anonymous' : 'human';
    return limitsUnder(this.#options.profile, { kind })?.cells;
  }

  /**
   * Returns how many cells a branch may have gained at most, how many all workbooks may have, and
   * its last count; undefined without a cap.
   */
  async roomOf(address: CellAddress): Promise<KnownRoom | undefined> {
    const owner = await this.#ownerOf(address.workbookId);
    const cap = owner && this.capOf(owner);
    if (!owner || cap === undefined) return undefined;
    const { branches } = await this.#accountOf(owner);
    const own = nameOf(address);
    let others = 0;
    for (const [name, count] of branches) if (name !== own) others += gainOf(count);
    return { gainMost: cap - others, planMost: cap, count: branches.get(own) };
  }

  /** Cells of all workbooks of a user. */
  async heldBy(owner: Owner): Promise<number> {
    const { branches } = await this.#accountOf(owner);
    return [...branches.values()].reduce((sum, count) => sum + gainOf(count), 0);
  }

  /** A branch has another number of cells. */
  async note(address: CellAddress, count: CellCount): Promise<void> {
    const owner = await this.#ownerOf(address.workbookId);
    if (!owner || this.capOf(owner) === undefined) return;
    const { branches } = await this.#accountOf(owner);
    const name = nameOf(address);
    const before = branches.get(name);
    branches.set(name, count);
    this.#unwritten.set(name, { address, count });
    if (Math.abs(count.cells - (before?.cells ?? 0)) >= noticeableCells) await this.#flush();
  }

  #ownerOf(workbookId: string): Promise<Owner | undefined> {
    return remember(this.#owners, workbookId, () => this.#options.table.ownerOf(workbookId));
  }

  /** Counts that are not written yet go before the stored ones. */
  #accountOf(owner: Owner): Promise<Account> {
    return remember(this.#accounts, owner.userId, async () => {
      const found = await this.#options.table.branchesOf([owner.userId]);
      const branches = new Map(found.map((one: OwnedBranch) => [nameOf(one), one as CellCount]));
      for (const [name, { count }] of this.#unwritten) {
        if (branches.has(name)) branches.set(name, count);
      }
      return { owner, branches };
    });
  }

  async #flush(): Promise<void> {
    const unwritten = this.#unwritten;
    this.#unwritten = new Map();
    for (const [name, one] of unwritten) {
      try {
        await this.#options.table.note(one.address, one.count);
      } catch (error) {
        // Newer counts than these may have come meanwhile.
        this.#unwritten = new Map([...unwritten, ...this.#unwritten]);
        throw error;
      }
      unwritten.delete(name);
    }
  }
}

function remember<Value>(
  cache: LRUCache<string, Promise<Value>>,
  key: string,
  load: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const loading = load();
  cache.set(key, loading);
  loading.catch(() => cache.delete(key));
  return loading;
}

function gainOf({ cells, baseCells }: CellCount): number {
  return Math.max(0, cells - baseCells);
}

function nameOf({ workbookId, branchNo }: CellAddress): string {
  return `${workbookId}/${branchNo}`;
}
