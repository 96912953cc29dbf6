import type { FieldError } from '../failure.ts';
import { pointerOf } from '../pointer.ts';

/** Faults of one body that are answered at most; the search for more stops there. */
export const faultsMost = 20;

/** A place of a value that does not fit its schema. `message` is a sentence. */
export interface Fault extends FieldError {
  /** Depth in the value, for choosing among the options of a union. */
  readonly depth: number;
}

/**
 * One validation of a value: its current place and the faults so far. Once it is full checks stop,
 * so the work of refusing is bounded by the place of the last fault.
 */
export class Walk {
  readonly faults: Fault[] = [];
  /** Values looked at, for tests that count the work. */
  stepCount = 0;
  #kind: { readonly name: string; readonly depth: number } | undefined;
  readonly path: PropertyKey[];

  constructor(path: readonly PropertyKey[] = []) {
    this.path = [...path];
  }

  /** Kind that the value names itself, such as `rows.insert`; of it and of its payload. */
  get kind(): string | undefined {
    const { name, depth } = this.#kind ?? { name: undefined, depth: 0 };
    return this.path.length <= depth + 1 ? name : undefined;
  }

  /** Looks at a value that names its kind. */
  within(name: string, look: () => void): void {
    const outer = this.#kind;
    this.#kind = { name, depth: this.path.length };
    look();
    this.#kind = outer;
  }

  get isFull(): boolean {
    return this.faults.length >= faultsMost;
  }

  add(code: string, message: string, below: readonly PropertyKey[] = []): void {
    if (this.isFull) return;
    const path = [...this.path, ...below];
    // A value of the wrong type altogether tells less than a fault within the right type.
    const depth = path.length + (code === 'invalid_type' ? 0 : 1);
    this.faults.push({ pointer: pointerOf(path), code, message, depth });
  }

  addFault(fault: Fault): void {
    if (!this.isFull) this.faults.push(fault);
  }

  /**
   * Compares two options of a union: of two that got equally far, the one with fewer faults is
   * meant.
   */
  isCloserThan(other: Walk): boolean {
    const further = this.#depth - other.#depth;
    return further > 0 || (further === 0 && this.faults.length < other.faults.length);
  }

  get #depth(): number {
    return this.faults.reduce((most, { depth }) => Math.max(most, depth), 0);
  }

  /** Returns a walk at the same place, with separate faults that may be discarded. */
  fork(): Walk {
    const fork = new Walk(this.path);
    fork.#kind = this.#kind;
    return fork;
  }

  join({ faults, stepCount }: Walk): void {
    this.stepCount += stepCount;
    for (const fault of faults) this.addFault(fault);
  }
}
