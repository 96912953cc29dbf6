import type { Change } from './model-view.ts';
import { mutationWeight, noSize } from './mutation-weight.ts';

/** Number, and weight, of waiting changes from which they are applied without a reader. */
const countMost = 256;
const weightMost = 50_000;
/** Weight beyond which changes arrive faster than they can be applied. */
const hoardWeight = 1_000_000;

/** Changes that a model has received and not applied, in order and without gaps. */
export class WaitingChanges {
  #changes: Change[] = [];
  /** Number of entered cells; a long text counts as several. */
  #weight = 0;
  #isTold = false;

  /** True if rebuilding the model is cheaper than keeping the changes. */
  get isHoard(): boolean {
    return this.#weight > hoardWeight;
  }

  /** Adds a change; returns, once, whether they must be applied without a reader. */
  add(change: Change): boolean {
    this.#changes.push(change);
    this.#weight += weightOf(change);
    const isDue = this.#changes.length >= countMost || this.#weight >= weightMost;
    if (!isDue || this.#isTold) return false;
    this.#isTold = true;
    return true;
  }

  /** Takes the changes up to a position. */
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
