import { createHash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import type { Branches } from '../branches/branches.ts';
import { branchKey, type BranchAddress } from '../branches/journal-store.ts';
import { summarize, type BranchSummary } from '../branches/looks.ts';
import { Pace } from '../branches/pace.ts';
import type { Place } from '../branches/place.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Reference } from '../model/reference.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { BranchSource, StateLook } from './branch-source.ts';

/** The outcome of an open merge, which is in no journal. */
export interface Preview {
  readonly state: BranchState;
  /** Time of its clock, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Hash of the state. */
  readonly stateHash: string;
  /** Position of the target of the merge. */
  readonly onto: Place;
}

/** Returns the current outcome of an open merge; undefined if none has the id. */
export type PreviewFinder = (workbookId: string, mergeId: string) => Promise<Preview | undefined>;

/** Number of kept previews, which share most of their states with their targets. */
const keptMost = 64;

/**
 * All readable positions: those of journals, and the outcomes of open merges. An open merge is
 * given a branch that is in no journal and has a number below all others.
 */
export class Positions implements BranchSource {
  readonly #branches: Branches;
  readonly #environment: Environment;
  readonly #kept = new LRUCache<string, Preview>({ max: keptMost });
  #find: PreviewFinder = () => Promise.resolve(undefined);

  constructor(branches: Branches, environment: Environment) {
    this.#branches = branches;
    this.#environment = environment;
  }

  /** Sets the finder of open merges, which in turn uses these positions. */
  offer(find: PreviewFinder): void {
    this.#find = find;
  }

  /** Finds the operation, or the outcome of an open merge, that a reference means now. */
  async locate(workbookId: string, reference: Reference): Promise<Place> {
    if (!('merge' in reference)) return this.#branches.locate(workbookId, reference);
    try {
      return await this.#branches.locate(workbookId, reference);
    } catch (error) {
      if (!(error instanceof Failure && error.key === 'refNotFound')) throw error;
      const place = await this.#previewed(workbookId, reference.merge);
      if (place) return place;
      throw noSuchMerge(reference.merge);
    }
  }

  async #previewed(workbookId: string, mergeId: string): Promise<Place | undefined> {
    const preview = await this.#find(workbookId, mergeId);
    if (!preview) return undefined;
    return this.keep(workbookId, mergeId, preview);
  }

  /** Returns a place from which the outcome of an open merge can be read. */
  keep(workbookId: string, mergeId: string, preview: Preview): Place {
    const { state, stateHash, onto } = preview;
    const address = { workbookId, branchNo: numberOf(mergeId, state.head, stateHash) };
    const key = branchKey(address);
    // The clock of a state is fixed, so that its values stay the same.
    if (!this.#kept.has(key)) this.#kept.set(key, preview);
    return { address, branch: `merge:${mergeId}`, seq: state.head, isPinned: true, onto };
  }

  read<Result>(address: BranchAddress, look: StateLook<Result>): Promise<Result> {
    const preview = this.#at(address);
    return preview ? this.#look(preview, look) : this.#branches.read(address, look);
  }

  readAt<Result>(address: BranchAddress, seq: number, look: StateLook<Result>): Promise<Result> {
    const preview = this.#at(address);
    return preview ? this.#look(preview, look) : this.#branches.readAt(address, seq, look);
  }

  glance<Result>(address: BranchAddress, look: StateLook<Result>): Promise<Result> {
    const preview = this.#at(address);
    return preview ? this.#look(preview, look) : this.#branches.glance(address, look);
  }

  isLive(address: BranchAddress): boolean {
    return !isPreview(address) && this.#branches.isLive(address);
  }

  async stateAt(address: BranchAddress, seq?: number): Promise<BranchState> {
    return this.#at(address)?.state ?? this.#branches.stateAt(address, seq);
  }

  async timeOf(address: BranchAddress, seq: number): Promise<number> {
    return this.#at(address)?.at ?? this.#branches.timeOf(address, seq);
  }

  summary(address: BranchAddress, seq?: number): Promise<BranchSummary> {
    const preview = this.#at(address);
    return preview ? this.#look(preview, summarize) : this.#branches.summary(address, seq);
  }

  subscribe(...listening: Parameters<Branches['subscribe']>): ReturnType<Branches['subscribe']> {
    return this.#branches.subscribe(...listening);
  }

  #at(address: BranchAddress): Preview | undefined {
    if (!isPreview(address)) return undefined;
    const preview = this.#kept.get(branchKey(address));
    if (preview) return preview;
    throw new Failure('unavailable', {
      detail: 'What the merge comes to has changed while it was read.',
      hint: 'Read it again.',
    });
  }

  #look<Result>({ state }: Preview, look: StateLook<Result>): Promise<Result> {
    return new Pace(this.#environment).run(look(state));
  }
}

function noSuchMerge(mergeId: string): Failure {
  return new Failure('refNotFound', {
    detail: `The workbook has no merge ${mergeId} that is open or was applied.`,
    hint: 'GET /v1/workbooks/{id}/merges lists them.',
  });
}

/** Returns whether an address is that of an open merge. */
function isPreview({ branchNo }: BranchAddress): boolean {
  return branchNo < 0;
}

/**
 * Returns a number that depends on the merge, its outcome and its target: a target that was changed
 * and changed back has the same state at another position.
 */
function numberOf(mergeId: string, head: number, stateHash: string): number {
  const hash = createHash('sha256').update(`${mergeId} ${head} ${stateHash}`).digest();
  return -1 - (hash.readUInt32BE(0) >>> 1);
}
