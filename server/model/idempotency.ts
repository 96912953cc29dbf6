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

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type IdempotencyState =
  | { readonly state: 'fresh' }
  | { readonly state: 'running' }
  | { readonly state: 'mismatch' }
  | { readonly state: 'done'; readonly answer: StoredAnswer };

/**
 * Answers by Idempotency-Key for 24 hours. `begin` claims a fresh key durably, and of two that run
 * at the same time exactly one gets `fresh`; it must call `finish` or `forget`.
 */
export interface IdempotencyStore {
  begin(claim: IdempotencyClaim): Promise<IdempotencyState>;
  finish(claim: IdempotencyClaim, answer: StoredAnswer): Promise<void>;
  forget(claim: IdempotencyClaim): Promise<void>;
}
