import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { LineChange } from './area.ts';
import { lineChange, lineSteps, type LinePlan } from './line-steps.ts';
import type { Scale } from '../ids/scale.ts';
import { Structure } from './structure.ts';

/** A structure, and the edits that led to it. */
export interface StructureStep {
  readonly structure: Structure;
  /**
   * The sort that led there; undefined for other edits. Orders alone do not tell which lines were
   * moved.
   */
  readonly sort: LineChange | undefined;
  /** The edits of lines that led there, in order. */
  readonly edits: readonly LinePlan[];
  readonly sequence: number;
}

/** Returns the changes that a step of a branch made to the lines of one sheet, in order. */
export function lineChanges(
  { sort, edits, sequence }: StructureStep,
  sheetId: string,
  branch: number,
): LineChange[] {
  if (sort) return sort.before.id === sheetId ? [sort] : [];
  const own = edits.filter(({ sheet }) => sheet.id === sheetId);
  return own.flatMap((edit) => lineSteps(edit, { branch, sequence }).map(lineChange));
}

/** Steps over which an area is carried, at most. */
const stepsMost = 1_000;

/** Estimated bytes of a version of an order with its structure. */
const versionBytes = 4_900;
const entryBytes = 56;

/** The former structures of a branch, for addresses of earlier positions. */
export class StructureHistory {
  /**
   * Steps by sequence number, each valid until the next one; the first may be older than the
   * window.
   */
  #entries: StructureStep[];

  /** Begins at a sequence number; earlier structures are unknown. */
  constructor(sequence: number, initial: Structure) {
    this.#entries = [{ sequence, structure: initial, sort: undefined, edits: [] }];
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

  /** Returns the structure after an operation; undefined when that is too long ago. */
  at(sequence: number, head: number): Structure | undefined {
    if (sequence < head - limits.baseWindowOperations || !this.reaches(sequence)) return undefined;
    return this.#entries[this.#indexAt(sequence)]?.structure;
  }

  /**
   * Returns the steps after a structure, in order; undefined when it is not in the window, or there
   * are too many.
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
