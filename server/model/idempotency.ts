/** A request under an Idempotency-Key. */
export interface IdempotencyClaim {
  /** The user, so that keys of two users never meet. */
  readonly owner: string;
  /** Method and route template. */
  readonly route: string;
  readonly key: string;
  /** SHA-256 over address, query and body: a key belongs to one request. */
  readonly fingerprint: Uint8Array;
}

/** One try of a request under a key; the next try comes after the process of this one has died. */
export interface KeyRun extends IdempotencyClaim {
  /** Id of the run: the same for every try, and never that of another request. */
  readonly id: string;
  /** Time at which the first try began, in milliseconds since the epoch. */
  readonly firstAt: number;
  /** Time at which this try began. */
  readonly takenAt: number;
}

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type IdempotencyState =
  | { readonly state: 'fresh'; readonly run: KeyRun }
  | { readonly state: 'running' }
  | { readonly state: 'mismatch' }
  | { readonly state: 'done'; readonly answer: StoredAnswer };

/**
 * Keeps what a request answers in the very transaction that does its work, so that a kill leaves
 * both or neither. The transaction is that of `server/storage`; it has to fail when this fails,
 * which says that the key was taken by another try.
 */
export type Settle<Result> = (transaction: unknown, result: Result) => Promise<void>;

/**
 * Answers by Idempotency-Key for 24 hours. `begin` claims a fresh key durably, and of two that run
 * at the same time exactly one gets `fresh`; it must call `finish` or `forget`, or `settle` before.
 * The key of a process that died is free at once.
 */
export interface IdempotencyStore {
  begin(claim: IdempotencyClaim): Promise<IdempotencyState>;
  /** Fails with `idempotency_in_progress` when another try has taken the key. */
  settle(transaction: unknown, run: KeyRun, answer: StoredAnswer): Promise<void>;
  /** Ends a run with its answer; undefined when that was settled with the work. */
  finish(run: KeyRun, answer: StoredAnswer | undefined): Promise<void>;
  forget(run: KeyRun): Promise<void>;
}
