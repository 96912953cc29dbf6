import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { LineChange } from './area.ts';
import type { LinePlan } from './line-steps.ts';
import type { Scale } from '../ids/scale.ts';
import { Structure } from './structure.ts';

/** A structure, and how it came about. */
export interface StructureStep {
  readonly structure: Structure;
  /** The lines that were moved to get there: orders alone do not tell who moved past whom. */
  readonly move: LineChange | undefined;
  /** The edits of lines that led there, one after the other. */
  readonly edits: readonly LinePlan[];
  readonly sequence: number;
}

/** Steps that an area is carried over; more are not told one by one. */
const stepsMost = 1_000;

/** Estimated bytes of a version of an order that no other version shares, with its structure. */
const versionBytes = 4_900;
const entryBytes = 56;

/** The structures a branch had, for reading addresses as of an earlier position. */
export class StructureHistory {
  /** By sequence, each valid until the next; the first may stand before the window. */
  #entries: StructureStep[];

  /** Begins at a sequence; earlier structures are not known. */
  constructor(sequence: number, initial: Structure) {
    this.#entries = [{ sequence, structure: initial, move: undefined, edits: [] }];
  }

  /** Returns whether the structure after this operation is known. */
  reaches(sequence: number): boolean {
    return sequence >= (this.#entries[0]?.sequence ?? 0);
  }

  copy(): StructureHistory {
    const copy = new StructureHistory(0, new Structure([]));
    copy.#entries = this.#entries.slice();
    return copy;
  }

  /**
   * Adds the history to the memory accounting; copies with the same latest entry share the others
   * too.
   */
  weigh(scale: Scale): void {
    const { length } = this.#entries;
    const latest = this.#entries.at(-1)?.structure;
    scale.add(length * entryBytes);
    if (latest && scale.isNew(latest)) scale.add((length - 1) * versionBytes);
  }

  push(step: StructureStep): void {
    this.#entries.push(step);
    const { sequence } = step;
    const oldest = sequence - limits.baseWindowOperations;
    const second = this.#entries[1];
    if (second && second.sequence <= oldest && this.#entries.length % 1_024 === 0) {
      this.#entries = this.#entries.slice(this.#indexAt(oldest));
    }
  }

  /** The structure after operation `sequence`; undefined when that is too long ago. */
  at(sequence: number, head: number): Structure | undefined {
    if (sequence < head - limits.baseWindowOperations || !this.reaches(sequence)) return undefined;
    return this.#entries[this.#indexAt(sequence)]?.structure;
  }

  /**
   * Returns the steps after a structure, in order; undefined when it is not in the window or the
   * steps are too many.
   */
  since(structure: Structure): StructureStep[] | undefined {
    const steps: StructureStep[] = [];
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (!entry || entry.structure === structure) return steps.reverse();
      steps.push(entry);
      if (steps.length > stepsMost) return undefined;
    }
    return undefined;
  }

  #indexAt(sequence: number): number {
    let low = 0;
    let high = this.#entries.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#entries[middle]?.sequence ?? Infinity) <= sequence) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
