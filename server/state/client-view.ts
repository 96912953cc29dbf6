import type { Operation } from '../model/operation.ts';
import { Rejection } from '../model/rejection.ts';
import type { BranchState } from './branch-state.ts';
import { editedSheet } from './structure/line-steps.ts';
import type { Plan } from './plan/plan.ts';
import { planOperation } from './planning.ts';
import { sortedAlike } from './operations/sort-order.ts';
import type { Structure } from './structure/structure.ts';
import { seenAfterTable } from './structure/table-view.ts';

/**
 * The structure that the addresses of a submission refer to: that of its base, with the
 * submission's own earlier operations applied, because a client writes its second operation knowing
 * its first.
 */
export class ClientView {
  #structure: Structure;

  constructor(base: Structure) {
    this.#structure = base;
  }

  get structure(): Structure {
    return this.#structure;
  }

  /** Takes the structure of the head, after an operation that has no addresses. */
  see(structure: Structure): void {
    this.#structure = structure;
  }

  /** Follows an applied operation; `before` is the structure of the state before it. */
  follow(
    { operation, plan }: { readonly operation: Operation; readonly plan: Plan },
    state: BranchState,
    before: Structure,
  ): void {
    if (state.structure === before) return;
    if (this.#structure === before) {
      this.#structure = state.structure;
      return;
    }
    if (plan.type === 'rewrite') {
      // Sorting what the client sees could give another order, so the same order is applied here.
      if (plan.sorted) this.#structure = sortedAlike(this.#structure, plan.sorted);
      return;
    }
    const run = { branch: state.branchNo, sequence: state.head };
    if (plan.type === 'table') {
      this.#structure = seenAfterTable(this.#structure, { before, plan, run });
      return;
    }
    if (plan.type === 'nameRename') {
      // A rename can change formulas of tables.
      const seen = seenAfterTable(this.#structure, { before, plan: plan.formulas, run });
      this.#structure = seen.withRename(plan.rename);
      return;
    }
    // Others changed the structure since, so the operation is planned again on what the client
    // sees.
    const seen = {
      head: this.#structure,
      keepsTables: false,
      targets: new Map(),
      used: () => undefined,
    };
    const context = { ...state.contextAt(this.#structure), ...seen };
    try {
      const step = planOperation(withoutCells(operation), context).next();
      if (step.done === true) this.#structure = this.#after(step.value.plan, state);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      // An operation that is not possible on the client's structure changes nothing there.
      this.#structure = state.structure;
    }
  }

  #after(plan: Plan, state: BranchState): Structure {
    const seen = this.#structure;
    switch (plan.type) {
      case 'insert':
      case 'move':
      case 'delete': {
        const run = { branch: state.branchNo, sequence: state.head };
        return seen.replace(editedSheet(plan, run));
      }
      case 'sheetAdd': {
        const added = state.structure.named(plan.name);
        if (!added) return seen;
        const tables = seen.tables.with(...state.tables.onSheet(added.id));
        return seen.add(added, plan.index).withTables(tables);
      }
      case 'sheetRename':
        return seen.replace({ ...plan.sheet, name: plan.name });
      case 'sheetMove':
        return seen.move(plan.sheet.id, plan.index);
      case 'sheetDelete':
        return seen.remove(plan.sheet.id);
      default:
        return seen;
    }
  }
}

/** Turns a copy of a sheet into a new sheet, which is enough for addresses. */
function withoutCells(operation: Operation): Operation {
  if (operation.kind !== 'sheet.add') return operation;
  const { copyOf: _copyOf, ...payload } = operation.payload;
  return { ...operation, payload };
}
