import { Failure } from '../../model/failure.ts';
import type { Settle } from '../../model/idempotency.ts';
import { checkNewName } from '../../model/new-name.ts';
import { settingsBranchNo } from '../../model/policy.ts';
import { mainBranch } from '../../workbooks/workbook.ts';
import type { Principal } from '../../model/scope.ts';
import { archivedMeanwhile, unknownWorkbook } from '../../workbooks/registry.ts';
import type { WorkbookFacts } from '../../workbooks/registry.ts';
import type { Branches } from '../branches.ts';
import { readReference, type Place } from '../place.ts';
import type { Policies } from '../policies.ts';
import type { AheadCells } from './ahead.ts';
import type { ForkTable, ListedBranch, NewBranch, Refusal } from './sql.ts';

export interface ForkParts {
  readonly table: ForkTable;
  readonly branches: Branches;
  readonly policies: Policies;
  readonly ahead: AheadCells;
}

export interface ForkRequest {
  readonly name: string;
  readonly from: string;
  readonly description?: string | undefined;
  /** True to protect the branch, by an entry of the policy. */
  readonly protected?: boolean;
  readonly ttlDays?: number | null | undefined;
  /** True to make the branch whatever the policy allows: it holds changes that would be lost. */
  readonly isOwed?: boolean;
  readonly settle?: Settle<MadeBranch> | undefined;
}

/** A branch with what it has beside its parent. */
export interface BranchEntry extends ListedBranch {
  readonly from: { readonly branch: string | null; readonly seq: number } | undefined;
  /** The operations that it holds: the last one of each branch, by name. */
  readonly vector: Readonly<Record<string, number>>;
  readonly parentHead: number | undefined;
}

interface MergedBranch {
  /** Branches that it was merged into, at any of its positions. */
  readonly mergedInto: readonly string[];
  /** Cells that differ from its beginning; undefined while they are counted, and for main. */
  readonly aheadCells: number | undefined;
}

/** A branch that was just made. */
export interface MadeBranch extends BranchEntry {
  /** Hash of the state if the branch begins at a head in memory: nothing is read for it. */
  readonly stateHash: string | undefined;
}

/** Makes branches of branches, lists and deletes them. */
export class Forks {
  readonly #parts: ForkParts;

  constructor(parts: ForkParts) {
    this.#parts = parts;
  }

  /** Copies nothing: the branch is one row, and its state is its parent's until it is written to. */
  async create(
    { id: workbookId }: Pick<WorkbookFacts, 'id'>,
    { name, from, description, ttlDays = null, ...more }: ForkRequest,
    principal: Pick<Principal, 'userId'>,
  ): Promise<MadeBranch> {
    const { table, branches } = this.#parts;
    checkNewName(name, 'branch');
    const place = await branches.locate(workbookId, readReference(from, '/from'));
    const { branchNo } = place.address;
    if (branchNo === settingsBranchNo) {
      throw new Failure('forbidden', {
        detail: 'The settings have no branches.',
        hint: 'Begin at a branch of the workbook, such as main.',
      });
    }
    const { protected: isProtected = false, isOwed = false, settle } = more;
    if (isProtected) await this.#protect(workbookId, name, principal);
    const { userId: createdBy } = principal;
    const found = Promise.all([table.lineage(place.address), this.#keptAt(place)]);
    const madeOf = async (row: ListedBranch): Promise<MadeBranch> => {
      const [lineage, stateHash] = await found;
      return { ...entryOf(row, byNumber([...lineage, row])), stateHash };
    };
    const branch = { workbookId, name, description, createdBy, ttlDays };
    const settleRow =
      settle && (async (sql: unknown, row: ListedBranch) => settle(sql, await madeOf(row)));
    const inserted = this.#insert(place, branch, { isOwed, settle: settleRow });
    const [created] = await Promise.all([inserted, found]);
    if (typeof created === 'string') throw await this.#refused(created, { workbookId, name });
    return madeOf(created);
  }

  /** Before there is anything to protect: nobody finds it open. */
  async #protect(
    workbookId: string,
    name: string,
    principal: Pick<Principal, 'userId'>,
  ): Promise<void> {
    const { table, policies } = this.#parts;
    const isThere = (await table.list(workbookId)).some((branch) => branch.name === name);
    if (isThere) throw await this.#refused('nameTaken', { workbookId, name });
    await policies.protect(workbookId, name, principal);
  }

  /** Keeps the state in memory that the branch begins with, where it is there; returns its hash. */
  async #keptAt({ address, seq }: Place): Promise<string | undefined> {
    const { branches } = this.#parts;
    if (!branches.isLive(address)) return undefined;
    return branches.read(address, function* (state, live) {
      if (state.head !== seq) return undefined;
      branches.keepHead(address, live);
      return yield* state.stateHash();
    });
  }

  async #insert(
    { address, seq }: Place,
    branch: Omit<NewBranch, 'from' | 'baseHash' | 'branchesMost'>,
    { isOwed, settle }: { isOwed: boolean; settle: Settle<ListedBranch> | undefined },
  ): Promise<ListedBranch | Refusal> {
    const { table, branches, policies } = this.#parts;
    const [baseHash, branchesMost] = await Promise.all([
      branches.hashAt(address, seq),
      isOwed ? integerMost : policies.branchesMost(branch.workbookId),
    ]);
    const from = { branchNo: address.branchNo, seq };
    return table.create({ ...branch, from, baseHash, branchesMost }, settle);
  }

  async #refused(
    refusal: Refusal,
    { workbookId, name }: { workbookId: string; name: string },
  ): Promise<Failure> {
    switch (refusal) {
      case 'nameTaken':
        return new Failure('branchExists', {
          detail: `The workbook has a branch called ${name} already.`,
          hint: 'Choose another name, or write to that branch.',
        });
      case 'full':
        return this.#parts.policies.tooManyBranches(workbookId);
      case 'archived':
        return archivedMeanwhile(workbookId);
      case 'gone':
        return unknownWorkbook();
    }
  }

  async list(
    workbookId: string,
    { includesArchived }: { readonly includesArchived: boolean },
  ): Promise<(BranchEntry & MergedBranch)[]> {
    const { table, ahead } = this.#parts;
    const [listed, merged] = await Promise.all([
      table.list(workbookId),
      table.mergedInto(workbookId),
    ]);
    const all = byNumber(listed);
    const wanted = withoutSettings(listed).filter(
      ({ isArchived }) => includesArchived || !isArchived,
    );
    const forked = wanted.filter(({ parentNo }) => parentNo !== null);
    const counts = await ahead.of(
      forked.map(({ branchNo, head }) => ({ address: { workbookId, branchNo }, head })),
    );
    const cells = new Map(forked.map(({ branchNo }, index) => [branchNo, counts[index]]));
    return wanted.map((branch) => ({
      ...entryOf(branch, all),
      mergedInto: merged.get(branch.branchNo) ?? [],
      aheadCells: cells.get(branch.branchNo),
    }));
  }

  /** Makes an archived branch writable again; one that is not archived stays so. */
  async restore({ id }: WorkbookFacts, name: string, settle?: Settle<undefined>): Promise<void> {
    const { table, branches } = this.#parts;
    const address = await branches.address(id, name);
    const fate = await table.restore(address, settle);
    branches.forgetBranch(address, name);
    if (fate === 'archived') throw archivedMeanwhile(id);
    if (fate === 'gone') throw new Failure('branchNotFound');
  }

  async delete(
    facts: WorkbookFacts,
    name: string,
    { principal, settle }: { principal: Principal; settle: Settle<undefined> | undefined },
  ): Promise<void> {
    const { table, branches, policies } = this.#parts;
    const address = await branches.address(facts.id, name);
    if (name === mainBranch) {
      throw new Failure('forbidden', {
        detail: 'A workbook keeps its branch main.',
        hint: `DELETE /v1/workbooks/${facts.id} archives the workbook.`,
      });
    }
    await policies.checkBranchDeletion(facts, name, principal);
    const fate = await table.delete(address, settle);
    if (fate === 'archived') throw archivedMeanwhile(facts.id);
    branches.forgetBranch(address, name);
    if (fate === 'gone') throw new Failure('branchNotFound');
  }
}

/** Largest integer of PostgreSQL. */
const integerMost = 2 ** 31 - 1;

function withoutSettings(listed: readonly ListedBranch[]): ListedBranch[] {
  return listed.filter(({ branchNo }) => branchNo !== settingsBranchNo);
}

function byNumber(listed: readonly ListedBranch[]): ReadonlyMap<number, ListedBranch> {
  return new Map(listed.map((branch) => [branch.branchNo, branch]));
}

function entryOf(branch: ListedBranch, all: ReadonlyMap<number, ListedBranch>): BranchEntry {
  const { parentNo, forkSeq } = branch;
  const parent = all.get(parentNo ?? NaN);
  const from = forkSeq === null ? undefined : { branch: parent?.name ?? null, seq: forkSeq };
  const vector: Record<string, number> = { [branch.name]: branch.head };
  let below = branch;
  for (;;) {
    const above = all.get(below.parentNo ?? NaN);
    if (!above || below.forkSeq === null) break;
    vector[above.name] = below.forkSeq;
    below = above;
  }
  return { ...branch, from, vector, parentHead: parent?.head };
}
