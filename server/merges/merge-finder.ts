import type { Policies } from '../branches/policies.ts';
import { BranchNames } from './branch-names.ts';
import { Graph } from './graph.ts';
import type { FoundMerge, Look } from './look.ts';
import { mergeNotFound } from './merge-failures.ts';
import type { MergeTable } from './sql.ts';

/** Finds stored merges together with the branches of their workbook. */
export class MergeFinder {
  readonly #table: MergeTable;
  readonly #policies: Policies;

  constructor({ table, policies }: { readonly table: MergeTable; readonly policies: Policies }) {
    this.#table = table;
    this.#policies = policies;
  }

  /** Fails with `merge_not_found`. */
  async find(workbookId: string, id: string): Promise<FoundMerge> {
    const record = await this.#table.find(workbookId, id);
    if (!record) throw mergeNotFound(workbookId, id);
    return { record, ...(await this.graph(workbookId)) };
  }

  async graph(workbookId: string): Promise<{ graph: Graph; names: BranchNames }> {
    const [branches, applied] = await Promise.all([
      this.#table.branches(workbookId),
      this.#table.applied(workbookId),
    ]);
    return { graph: new Graph(branches, applied), names: new BranchNames(branches) };
  }

  /** Adds what a look without an outcome has: the policy, and the entry in the log. */
  async closed(found: FoundMerge): Promise<Look> {
    const { workbookId, id } = found.record;
    const policy = await this.#policies.policyOf(workbookId);
    const logged = await this.#table.loggedAmong(workbookId, [id]);
    return { ...found, policy, logged: logged.get(id) };
  }
}
