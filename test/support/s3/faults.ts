import { SeededRandom } from '../seeded-random.ts';

export type S3Operation = 'put' | 'get' | 'getRange' | 'head' | 'delete' | 'list' | 'deleteMany';

/** Fault of one request; `when` is before or after its effect. */
export type Fault =
  | { readonly kind: 'error'; readonly status: number; readonly code: string; readonly when: When }
  | { readonly kind: 'delay'; readonly milliseconds: number; readonly when: When }
  /** An answer before the body is read, and then the end of the connection. */
  | { readonly kind: 'earlyError'; readonly status: number; readonly code: string }
  /** The end of the connection, without any effect. */
  | { readonly kind: 'reset' }
  /** The end of the connection after the effect, without an answer. */
  | { readonly kind: 'lostAnswer' }
  /** No answer at all. */
  | { readonly kind: 'silence'; readonly when: When }
  /** Half of the body, and then the end of the connection. */
  | { readonly kind: 'truncatedBody' }
  /** Half of the body, and then nothing. */
  | { readonly kind: 'stalledBody' }
  /** A body of the right length with one bit turned. */
  | { readonly kind: 'wrongBytes' }
  /** A listing as it was some changes ago. */
  | { readonly kind: 'staleList'; readonly changes: number }
  | { readonly kind: 'emptyPage' }
  /** The first page, wherever the list should go on. */
  | { readonly kind: 'firstPage' }
  /** Some keys of a DeleteObjects stay, and the answer says so. */
  | { readonly kind: 'partialDelete' };

export type When = 'before' | 'after';

export interface FaultRule {
  /** Any operation when left out. */
  readonly operations?: readonly S3Operation[];
  /** Pattern of the whole key in the bucket; for lists, of the prefix. */
  readonly key?: RegExp;
  /** How often it happens; without end when left out. */
  readonly count?: number;
  /** Share of the fitting requests that fail; every one when left out. */
  readonly probability?: number;
  readonly fault: Fault;
}

/** Rules of a test: the first one that fits and fires decides a request. */
export class Faults {
  /** How often each kind has happened, to show that a test met what it is about. */
  readonly happened = new Map<Fault['kind'], number>();
  readonly #random: SeededRandom;
  #rules: { rule: FaultRule; left: number }[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  add(...rules: readonly FaultRule[]): void {
    for (const rule of rules) this.#rules.push({ rule, left: rule.count ?? Infinity });
  }

  clear(): void {
    this.#rules = [];
  }

  take(operation: S3Operation, key: string): Fault | undefined {
    for (const entry of this.#rules) {
      const { rule } = entry;
      const fits =
        entry.left > 0 &&
        (rule.operations?.includes(operation) ?? true) &&
        (rule.key?.test(key) ?? true);
      if (!fits || this.#random.next() >= (rule.probability ?? 1)) continue;
      entry.left--;
      const { kind } = rule.fault;
      this.happened.set(kind, (this.happened.get(kind) ?? 0) + 1);
      return rule.fault;
    }
    return undefined;
  }
}
