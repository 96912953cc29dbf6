import { Failure } from '../../model/failure.ts';
import { settingsBranchNo } from '../../model/policy.ts';
import { mainBranch } from '../../workbooks/workbook.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookFacts } from '../../workbooks/registry.ts';
import type { Branches } from '../branches.ts';
import { readReference } from '../place.ts';
import type { Policies } from '../policies.ts';
import type { ForkTable, ListedBranch } from './sql.ts';

export interface ForkParts {
  readonly table: ForkTable;
  readonly branches: Branches;
  readonly policies: Policies;
}

export interface ForkRequest {
  readonly name: string;
  readonly from: string;
  readonly description: string | undefined;
}

/** A branch with what it has beside its parent. */
export interface BranchEntry extends ListedBranch {
  readonly from: { readonly branch: string | null; readonly seq: number } | undefined;
  /** Which operations of which branches it holds, by name. */
  readonly vector: Readonly<Record<string, number>>;
  readonly parentHead: number | undefined;
}

/** Makes branches of branches, lists and deletes them. */
export class Forks {
  readonly #parts: ForkParts;

  constructor(parts: ForkParts) {
    this.#parts = parts;
  }

  /** Copies nothing: the branch is one row, and its state is its parent's until it is written to. */
  async create(
    { id: workbookId }: WorkbookFacts,
    { name, from, description }: ForkRequest,
    principal: Principal,
  ): Promise<BranchEntry> {
    const { table, branches, policies } = this.#parts;
    checkName(name);
    const place = await branches.locate(workbookId, readReference(from));
    const { branchNo } = place.address;
    if (branchNo === settingsBranchNo) {
      throw new Failure('forbidden', {
        detail: 'The settings have no branches.',
        hint: 'Begin at a branch of the workbook, such as main.',
      });
    }
    const [lineage, baseHash] = await Promise.all([
      table.lineage(place.address),
      branches.hashAt(place.address, place.seq),
      table.count(workbookId).then((count) => policies.checkBranchCreation(workbookId, count)),
    ]);
    const created = await table.create({
      workbookId,
      name,
      from: { branchNo, seq: place.seq },
      baseHash,
      description,
      createdBy: principal.userId,
    });
    if (!created) {
      throw new Failure('branchExists', {
        detail: `The workbook has a branch called ${name} already.`,
        hint: 'Choose another name, or write to that branch.',
      });
    }
    return entryOf(created, [...lineage, created]);
  }

  async list(workbookId: string): Promise<BranchEntry[]> {
    const listed = await this.#parts.table.list(workbookId);
    return withoutSettings(listed).map((branch) => entryOf(branch, listed));
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

function withoutSettings(listed: readonly ListedBranch[]): ListedBranch[] {
  return listed.filter(({ branchNo }) => branchNo !== settingsBranchNo);
}

function entryOf(branch: ListedBranch, all: readonly ListedBranch[]): BranchEntry {
  const { parentNo, forkSeq } = branch;
  const parent = all.find(({ branchNo }) => branchNo === parentNo);
  const from = forkSeq === null ? undefined : { branch: parent?.name ?? null, seq: forkSeq };
  const vector: Record<string, number> = { [branch.name]: branch.head };
  let below = branch;
  for (;;) {
    const above = all.find(({ branchNo }) => branchNo === below.parentNo);
    if (!above || below.forkSeq === null) break;
    vector[above.name] = below.forkSeq;
    below = above;
  }
  return { ...branch, from, vector, parentHead: parent?.head };
}

/** What a path or a reference could not spell, or what we keep for ourselves. */
function checkName(name: string): void {
  const fault = name.startsWith('$')
    ? 'names that begin with $ are reserved'
    : name.includes('//') || name.includes('..')
      ? 'a name has neither // nor .. in it'
      : undefined;
  if (fault === undefined) return;
  throw new Failure('badName', {
    detail: `${name}: ${fault}.`,
    hint: 'Letters, digits and _ . - / with a letter or digit at both ends, at most 100.',
  });
}
