/** Numbers that somebody at the other end of a socket can meet. */
export const socketLimits = {
  frameBytes: 1 << 20,
  depth: 32,
  opsPerSubmission: 10_000,
  unackedSubmissions: 16,
  presenceBytes: 2_048,
  draftBytes: 1_024,
  idBytes: 64,
  framesPerSecond: 60,
  frameBurst: 120,
  opsPerSecond: 2_000,
  opBurst: 10_000,
  bytesPerSecond: 1 << 20,
  byteBurst: 4 << 20,
  presencePerSecond: 20,
  presenceBurst: 40,
} as const;

/** How many sockets there may be. */
export const socketCaps = {
  perBranch: 500,
  /** And workbook. */
  perCredential: 20,
  perAccount: 500,
  perProcess: 50_000,
} as const;

/** How far behind a client may be for its missing operations to be sent again. */
export const replayLimits = { operations: 10_000, bytes: 8 << 20 } as const;

/**
 * Operations that a room keeps at hand: those of one submission and more as long as sockets that
 * cannot follow are waited for, then as many as are sent again to who comes back.
 */
export const ringLimits = {
  operations: 16_384,
  restOperations: replayLimits.operations,
  bytes: 4 << 20,
} as const;

/** One frame of operations, and how long the first of them may wait for others. */
export const batchLimits = { operations: 256, bytes: 64 << 10, milliseconds: 8 } as const;

/** Bytes that wait for a socket to take them, and what is done about it. */
export const pressureLimits = {
  /** Presence and cell activity stop. */
  lossyBytes: 64 << 10,
  /** Operations stop. */
  opsBytes: 256 << 10,
  /** They go on. */
  drainedBytes: 32 << 10,
  /** A socket that lags for longer is closed. */
  laggingMilliseconds: 30_000,
} as const;

export const lifeLimits = {
  helloMilliseconds: 10_000,
  idleMilliseconds: 30_000,
  timeoutMilliseconds: 60_000,
  /** A presence outlives its socket by this, so that a reconnection is not seen. */
  graceMilliseconds: 5_000,
  recheckMilliseconds: 60_000,
  /** A key that was replaced by a claim lets open sockets listen for so long. */
  supersededMilliseconds: 60_000,
  ticketSeconds: 60,
} as const;
