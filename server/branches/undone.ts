import { Failure } from '../model/failure.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import { isLast, type UndoOperation } from '../model/operation.ts';
import { Rejection } from '../model/rejection.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { Undone } from '../state/undo/admit-undo.ts';
import type { Change } from '../state/merge/merging.ts';
import { unreadable } from './append-refusals.ts';
import { readBackwards, readHistory } from './history.ts';
import type { BranchAddress, JournalStore } from './journal-store.ts';
import type { Loader } from './loader.ts';
import { OwnChanges, stretchesOf } from './own-changes.ts';
import type { PendingSubmission } from './pending.ts';
import type { JournalRecord } from './record.ts';
import type { SubmissionRequest } from './submission.ts';

/**
 * Operations between kept states: a client that undoes one operation often undoes the ones before
 * it next, and they are replayed from here.
 */
const strideOperations = 256;
const recordsPerPage = 10_000;

interface UndoneOptions {
  readonly store: JournalStore;
  readonly loader: Loader;
  /** Finds where a merge was applied, for reverts. */
  readonly findMerge: (
    workbookId: string,
    mergeId: string,
  ) => Promise<
    { readonly branchNo: number; readonly branch: string; readonly seq: number } | undefined
  >;
}

interface Branch {
  readonly address: BranchAddress;
  /** State of the head while it is being written. */
  readonly state: BranchState;
}

type Stretch = readonly [from: number, through: number];

/** The operations that waiting undos refer to, found before admission, which cannot wait. */
export class FoundUndone {
  readonly #branch: Branch;
  readonly #options: UndoneOptions;
  readonly #found = new Map<string, Undone | Rejection>();

  constructor(branch: Branch, options: UndoneOptions) {
    this.#branch = branch;
    this.#options = options;
  }

  /** Finds them for all waiting submissions; fails those whose history cannot be read. */
  async findAll(waiting: readonly PendingSubmission[]): Promise<void> {
    for (const pending of waiting) {
      try {
        await this.find(pending);
      } catch (error) {
        pending.fail(error instanceof Failure ? error : unreadable(error));
      }
    }
  }

  /** Finds the operations that a submission undoes. */
  async find({ request, undoes }: PendingSubmission): Promise<void> {
    for (const operation of undoes) {
      if (this.of(operation, request)) continue;
      const undone = await this.#lookUp(operation, request);
      this.#found.set(keyOf(operation, request), undone);
    }
  }

  of(operation: UndoOperation, request: SubmissionRequest): Undone | Rejection | undefined {
    return this.#found.get(keyOf(operation, request));
  }

  /** Returns whether all operations that a submission undoes were found. */
  hasAll({ request, undoes }: PendingSubmission): boolean {
    return undoes.every((operation) => this.of(operation, request) !== undefined);
  }

  async #lookUp(operation: UndoOperation, request: SubmissionRequest): Promise<Undone | Rejection> {
    try {
      const last = isLast(operation) ? await this.#ownLast(operation, request) : undefined;
      const stretches = last?.stretches ?? (await this.#stretches(operation, request));
      const spans: Change[] = [];
      for (const stretch of stretches.toReversed()) spans.push(await this.#span(stretch));
      return last ? { spans, of: last.of, lastSeq: last.lastSeq } : { spans };
    } catch (error) {
      if (error instanceof Rejection) return error;
      throw error;
    }
  }

  async #stretches(
    { kind, payload }: UndoOperation,
    request: SubmissionRequest,
  ): Promise<readonly Stretch[]> {
    const { of } = payload;
    if (kind === 'undo' && typeof of === 'string') return this.#groupOf(of, request);
    if (typeof of === 'string') return [await this.#mergeOf(of)];
    if (typeof of === 'object' && !('from' in of)) throw new Error('the last change has no places');
    const stretch: Stretch = typeof of === 'number' ? [of, of] : [of.from, of.through];
    this.#check(stretch);
    if (kind === 'redo') await this.#checkUndo(stretch[0]);
    return [stretch];
  }

  /** Returns the last change of the writer, which the operation undoes. */
  async #ownLast({ kind, payload: { of } }: UndoOperation, request: SubmissionRequest) {
    if (request.ops.length > 1) {
      const why = 'the last change is taken back by a submission that asks for nothing else';
      throw new Rejection('cannot_undo', why);
    }
    const { store } = this.#options;
    const { address, state } = this.#branch;
    const before = typeof of === 'object' && 'last' in of ? of.before : undefined;
    const { principalId, writer } = request;
    const reading = {
      head: state.head,
      backwards: (through: number) => readBackwards(store, address, through),
      at: async (seq: number) => {
        const page = await readHistory(store, address, { after: seq - 1, limit: 1 });
        return page.records[0];
      },
    };
    const own = new OwnChanges(reading, { principalId, writer, before });
    const change = await (kind === 'redo' ? own.lastUndone() : own.lastDone());
    const stretches = stretchesOf(change.seqs);
    this.#checkCount(change.of, stretches);
    return { of: change.of, lastSeq: Math.max(...change.seqs), stretches };
  }

  async #mergeOf(mergeId: string): Promise<Stretch> {
    const { address, state } = this.#branch;
    const found = await this.#options.findMerge(address.workbookId, mergeId);
    if (!found) throw new Rejection('cannot_undo', `no merge ${mergeId} was applied`);
    if (found.branchNo !== address.branchNo || found.seq > state.head) {
      const why = `the merge ${mergeId} was applied to ${found.branch}: revert it there`;
      throw new Rejection('cannot_undo', why);
    }
    return [found.seq, found.seq];
  }

  #check([from, through]: Stretch): void {
    const { head } = this.#branch.state;
    if (from > through) throw new Rejection('operation_not_found', `${from} is after ${through}`);
    if (through > head) {
      throw new Rejection('operation_not_found', `the last operation is ${head}`);
    }
    const count = through - from + 1;
    if (count <= limits.operationsPerUndo) return;
    const most = limits.operationsPerUndo;
    throw new Rejection('range_too_large', `${count} operations; at most ${most} are taken back`);
  }

  async #checkUndo(seq: number): Promise<void> {
    const { records } = await readHistory(this.#options.store, this.#branch.address, {
      after: seq - 1,
      limit: 1,
    });
    const kind = records[0]?.kind;
    if (kind === 'undo' || kind === 'redo' || kind === 'revert') return;
    throw new Rejection('not_an_undo', `operation ${seq} is a ${kind ?? 'lost one'}`);
  }

  /** Returns the sequences of a group in stretches, among the latest operations. */
  async #groupOf(group: string, { principalId }: SubmissionRequest): Promise<Stretch[]> {
    const stretches: [number, number][] = [];
    for await (const record of this.#latest()) {
      if (record.group !== group || record.principalId !== principalId) continue;
      const last = stretches.at(-1);
      if (last && last[1] + 1 === record.seq) last[1] = record.seq;
      else stretches.push([record.seq, record.seq]);
    }
    if (stretches.length === 0) {
      const most = limits.baseWindowOperations;
      const why = `none of the last ${most} operations is one of your group ${group}`;
      throw new Rejection('operation_not_found', why);
    }
    for (const stretch of stretches) this.#check(stretch);
    this.#checkCount(group, stretches);
    return stretches;
  }

  #checkCount(group: number | string, { length }: readonly Stretch[]): void {
    if (length <= limits.spansPerUndo) return;
    const most = limits.spansPerUndo;
    const why = `the group ${group} stands in ${length} places, at most ${most}`;
    throw new Rejection('range_too_large', why);
  }

  async *#latest(): AsyncGenerator<JournalRecord> {
    const { address, state } = this.#branch;
    let after: number | null = Math.max(0, state.head - limits.baseWindowOperations);
    while (after !== null && after < state.head) {
      const page = await readHistory(this.#options.store, address, {
        after,
        limit: recordsPerPage,
      });
      for (const record of page.records) if (record.seq <= state.head) yield record;
      after = page.records.length === 0 ? null : page.next;
    }
  }

  async #span([from, through]: Stretch): Promise<Change> {
    const { address, state } = this.#branch;
    const { loader } = this.#options;
    const before = from - 1;
    // The state is loaded only to be kept for the next undo.
    await loader.stateAt(address, before - (before % strideOperations));
    return {
      theirs: await loader.stateAt(address, before),
      base: through === state.head ? state.fork() : await loader.stateAt(address, through),
    };
  }
}

function keyOf(operation: UndoOperation, request: SubmissionRequest): string {
  const { kind, payload } = operation;
  const { principalId, writer, ops } = request;
  const whose = isLast(operation) ? [principalId, writer, ops.length] : [principalId];
  return JSON.stringify([kind, payload.of, ...whose]);
}
