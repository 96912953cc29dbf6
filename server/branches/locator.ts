import { Failure } from '../model/failure.ts';
import { newestOr } from '../model/newest.ts';
import type { Reference } from '../model/reference.ts';
import type { BranchAddress } from './journal-store.ts';
import type { NewestRows } from './newest-rows.ts';
import { afterHead, madeAnew, noSuchBranch, type Place } from './place.ts';
import type { RowLook, Sequencers } from './sequencers.ts';
import type { Tags } from './tags.ts';

export interface LocatorParts {
  readonly sequencers: Sequencers;
  readonly tags: Tags;
  readonly newest: NewestRows;
  readonly look: RowLook;
}

const knownNamesMost = 10_000;

/** Finds branches by their names, and positions by references. */
export class Locator {
  readonly #parts: LocatorParts;
  /** Branch numbers by workbook and name. */
  readonly #numbers = new Map<string, number>();
  readonly #leftListeners = new Set<(address: BranchAddress) => void>();

  constructor(parts: LocatorParts) {
    this.#parts = parts;
  }

  /** Fails with `branch_not_found` unless the workbook has a branch of that name. */
  async address(workbookId: string, name: string): Promise<BranchAddress> {
    const branchNo = await this.#numberOf(workbookId, name);
    if (branchNo !== undefined) return { workbookId, branchNo };
    throw new Failure('branchNotFound', {
      detail: `The workbook has no branch called ${name}.`,
      hint: 'The branch that every workbook has is main.',
    });
  }

  /**
   * Finds the operation that a reference means now; fails with `ref_not_found` if there is none.
   */
  async locate(workbookId: string, reference: Reference): Promise<Place> {
    if ('tag' in reference) return this.#locateTag(workbookId, reference.tag);
    if ('merge' in reference) return this.#locateMerge(workbookId, reference.merge);
    const { branch, sequence } = reference;
    const branchNo = await this.#numberOf(workbookId, branch, sequence !== undefined);
    if (branchNo === undefined) throw noSuchBranch(reference);
    const isExact = reference.branchNo !== undefined;
    if (isExact && reference.branchNo !== branchNo) throw madeAnew(reference);
    const address = { workbookId, branchNo };
    const { sequencers } = this.#parts;
    // An operation that is known to be durable saves a look.
    if (sequence !== undefined && sequence <= (sequencers.knownHead(address) ?? -1)) {
      return { address, branch, seq: sequence, isPinned: true, isExact };
    }
    const head = await sequencers.headOf(address);
    if (sequence !== undefined && sequence > head) throw afterHead(branch, sequence, head);
    return { address, branch, seq: sequence ?? head, isPinned: sequence !== undefined, isExact };
  }

  /** Returns the number of a name without a look; undefined if it is not in memory. */
  knownNumber(workbookId: string, name: string): number | undefined {
    return this.#numbers.get(`${workbookId}/${name}`);
  }

  /** Forgets what is known of a branch that was deleted, archived or restored. */
  forgetBranch({ workbookId, branchNo }: BranchAddress, name: string): void {
    this.#numbers.delete(`${workbookId}/${name}`);
    this.#parts.sequencers.drop({ workbookId, branchNo });
    for (const listener of this.#leftListeners) listener({ workbookId, branchNo });
  }

  /** Adds a listener for branches that were deleted, archived or restored in this process. */
  whenForgotten(listener: (address: BranchAddress) => void): void {
    this.#leftListeners.add(listener);
  }

  /** Forgets the names of a workbook. */
  forget(workbookId: string): void {
    const prefix = `${workbookId}/`;
    for (const key of this.#numbers.keys()) if (key.startsWith(prefix)) this.#numbers.delete(key);
  }

  /** Looks up a name, which another process may have given to another branch by now. */
  async #numberOf(workbookId: string, name: string, isPinned = false): Promise<number | undefined> {
    const { newest, sequencers } = this.#parts;
    const key = `${workbookId}/${name}`;
    const known = this.#numbers.get(key);
    if (known !== undefined && this.#parts.look.others.isAlone) return known;
    const asking = newest.named(workbookId, name);
    const look = { ...this.#parts.look, isPinned };
    const row = known === undefined ? await asking : await newestOr(asking, look);
    if (row === 'unknown') return known;
    if (known !== undefined && known !== row?.branchNo) {
      this.forgetBranch({ workbookId, branchNo: known }, name);
    }
    if (!row) return undefined;
    if (this.#numbers.size >= knownNamesMost) this.#numbers.clear();
    this.#numbers.set(key, row.branchNo);
    sequencers.reach({ workbookId, branchNo: row.branchNo }, row.head);
    return row.branchNo;
  }

  async #locateTag(workbookId: string, tag: string): Promise<Place> {
    const found = await this.#parts.tags.find(workbookId, tag);
    if (found) {
      const { branchNo, branch, seq } = found;
      return { address: { workbookId, branchNo }, branch, seq, isPinned: true };
    }
    throw new Failure('refNotFound', {
      detail: `The workbook has no commit with the tag ${tag}.`,
      hint: 'GET /v1/workbooks/{id}/commits lists them.',
    });
  }

  async #locateMerge(workbookId: string, mergeId: string): Promise<Place> {
    const found = await this.#parts.tags.findMerge(workbookId, mergeId);
    if (found) {
      const { branchNo, branch, seq } = found;
      return { address: { workbookId, branchNo }, branch, seq, isPinned: true };
    }
    throw new Failure('refNotFound', {
      detail: `No merge ${mergeId} was applied in the workbook.`,
      hint: `An open one can only be read, as in GET /v1/workbooks/{id}/slice?ref=merge:${mergeId}&range=A1:C10. Ask all else, as who wrote a cell, of its source or target: GET /v1/workbooks/{id}/merges/${mergeId} names them.`,
    });
  }
}
