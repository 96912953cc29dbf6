import { Failure } from '../../model/failure.ts';
import { settingsBranchNo } from '../../model/policy.ts';
import { isBranchName } from '../../model/reference.ts';
import { mainBranch } from '../../workbooks/workbook.ts';
import type { Principal } from '../../model/scope.ts';
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
  /** As the policy protects branches. */
  readonly protected?: boolean;
  readonly ttlDays?: number | null | undefined;
  /** Made whatever the policy allows: it holds what would be lost. */
  readonly isOwed?: boolean;
}

/** A branch with what it has beside its parent. */
export interface BranchEntry extends ListedBranch {
  readonly from: { readonly branch: string | null; readonly seq: number } | undefined;
  /** Which operations of which branches it holds, by name. */
  readonly vector: Readonly<Record<string, number>>;
  readonly parentHead: number | undefined;
}

interface MergedBranch {
  /** Branches that it was merged into, at any of its positions. */
  readonly mergedInto: readonly string[];
  /** That differ from where it begins; undefined while they are counted, and of main. */
  readonly aheadCells: number | undefined;
}

/** A branch that was just made. */
interface MadeBranch extends BranchEntry {
  /** Undefined unless it begins at a head that is in memory: nothing is read for it. */
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
    checkName(name);
    const place = await branches.locate(workbookId, readReference(from, '/from'));
    const { branchNo } = place.address;
    if (branchNo === settingsBranchNo) {
      throw new Failure('forbidden', {
        detail: 'The settings have no branches.',
        hint: 'Begin at a branch of the workbook, such as main.',
      });
    }
    const { protected: isProtected = false, isOwed = false } = more;
    if (isProtected) await this.#protect(workbookId, name, principal);
    const { userId: createdBy } = principal;
    const [lineage, created, stateHash] = await Promise.all([
      table.lineage(place.address),
      this.#insert(place, { workbookId, name, description, createdBy, ttlDays }, isOwed),
      this.#hashAt(place),
    ]);
    if (typeof created === 'string') throw await this.#refused(created, { workbookId, name });
    return { ...entryOf(created, byNumber([...lineage, created])), stateHash };
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

  async #hashAt({ address, seq }: Place): Promise<string | undefined> {
    const { branches } = this.#parts;
    if (!branches.isLive(address)) return undefined;
    return branches.read(address, function* (state) {
      return state.head === seq ? yield* state.stateHash() : undefined;
    });
  }

  async #insert(
    { address, seq }: Place,
    branch: Omit<NewBranch, 'from' | 'baseHash' | 'branchesMost'>,
    isOwed: boolean,
  ): Promise<ListedBranch | Refusal> {
    const { table, branches, policies } = this.#parts;
    const [baseHash, branchesMost] = await Promise.all([
      branches.hashAt(address, seq),
      isOwed ? integerMost : policies.branchesMost(branch.workbookId),
    ]);
    const from = { branchNo: address.branchNo, seq };
    return table.create({ ...branch, from, baseHash, branchesMost });
  }

  async #refused(
    refusal: Refusal,
    { workbookId, name }: { workbookId: string; name: string },
  ): Promise<Error> {
    switch (refusal) {
      case 'nameTaken':
        return new Failure('branchExists', {
          detail: `The workbook has a branch called ${name} already.`,
          hint: 'Choose another name, or write to that branch.',
        });
      case 'full':
        return this.#parts.policies.tooManyBranches(workbookId);
      case 'gone':
        return new Error('the workbook is gone, or archived');
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
  async restore({ id }: WorkbookFacts, name: string): Promise<void> {
    const { table, branches } = this.#parts;
    const address = await branches.address(id, name);
    await table.restore(address);
    branches.forgetBranch(address, name);
  }

  async delete(facts: WorkbookFacts, name: string, principal: Principal): Promise<void> {
    const { table, branches, policies } = this.#parts;
    const address = await branches.address(facts.id, name);
    if (name === mainBranch) {
      throw new Failure('forbidden', {
        detail: 'A workbook keeps its branch main.',
        hint: `DELETE /v1/workbooks/${facts.id} archives the workbook.`,
      });
    }
    await policies.checkBranchDeletion(facts, name, principal);
    if (!(await table.delete(address))) throw new Failure('branchNotFound');
    branches.forgetBranch(address, name);
  }
}

/** Of PostgreSQL. */
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

function nameFault(name: string): string | undefined {
  if (name.startsWith('$')) return 'names that begin with $ are reserved';
  if (name.includes('//') || name.includes('..')) return 'a name has neither // nor .. in it';
  return isBranchName(name) ? undefined : 'a reference could not spell that';
}

/** What a path or a reference could not spell, or what we keep for ourselves. */
function checkName(name: string): void {
  const fault = nameFault(name);
  if (fault === undefined) return;
  throw new Failure('badName', {
    detail: `"${name.slice(0, 100)}": ${fault}.`,
    hint: 'Letters, digits and _ . - / with a letter or digit at both ends, at most 100.',
  });
}
