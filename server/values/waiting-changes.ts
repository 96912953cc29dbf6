import type { Change } from './model-view.ts';
import { mutationWeight, noSize } from './mutation-weight.ts';

/** Changes that wait for a reader are applied without one from so many on, or from this weight. */
const countMost = 256;
const weightMost = 50_000;
/** Changes of more weight than this came faster than they can be applied. */
const hoardWeight = 1_000_000;

/** Changes that a model has heard of and not applied; in order and without holes. */
export class WaitingChanges {
  #changes: Change[] = [];
  /** Cells that are entered, with long texts as several. */
  #weight = 0;
  #isTold = false;

  /** True when they take more memory than it takes to make their model anew. */
  get isHoard(): boolean {
    return this.#weight > hoardWeight;
  }

  /** Returns whether they are to be applied, be there a reader or not; told once until they are. */
  add(change: Change): boolean {
    this.#changes.push(change);
    this.#weight += weightOf(change);
    const isDue = this.#changes.length >= countMost || this.#weight >= weightMost;
    if (!isDue || this.#isTold) return false;
    this.#isTold = true;
    return true;
  }

  /** Takes those that are not past a position. */
  take(seq: number): readonly Change[] {
    const count = this.#changes.findIndex(({ lastSeq }) => lastSeq > seq);
    const taken = this.#changes.splice(0, count < 0 ? this.#changes.length : count);
    this.#weight = this.#changes.reduce((sum, change) => sum + weightOf(change), 0);
    this.#isTold = false;
    return taken;
  }
}

function weightOf({ mutations }: Change): number {
  return mutations.reduce((sum, mutation) => sum + mutationWeight(mutation, noSize), 1);
}
