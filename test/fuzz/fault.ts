/** Kinds of fault that the fuzzer looks for. */
export type FaultKind =
  | 'trap'
  | 'slow'
  | 'memory'
  | 'leak'
  | 'illegal value'
  | 'differs'
  | 'printed differently'
  | 'check and load disagree'
  | 'hang';

export interface Fault {
  readonly kind: FaultKind;
  readonly detail: string;
}

/** Ends a check at the first fault. */
export class FaultFound extends Error {
  readonly fault: Fault;

  constructor(kind: FaultKind, detail: string) {
    super(`${kind}: ${detail}`);
    this.fault = { kind, detail };
  }
}
