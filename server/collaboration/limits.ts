import { operationLimits } from '../model/operation-limits.ts';

/** Limits that a client of a socket can meet. */
export const socketLimits = {
  frameBytes: 1 << 20,
  depth: 32,
  opsPerSubmission: 10_000,
  unackedSubmissions: 16,
  presenceBytes: 2_048,
  draftBytes: 1_024,
  idBytes: 64,
  writerCharacters: operationLimits.writerLength,
  framesPerSecond: 60,
  frameBurst: 120,
  opsPerSecond: 2_000,
  opBurst: 10_000,
  bytesPerSecond: 1 << 20,
  byteBurst: 4 << 20,
  presencePerSecond: 20,
  presenceBurst: 40,
} as const;

/** Sockets at the same time, at most. */
export const socketCaps = {
  perBranch: 500,
  /** Sockets of a credential in one workbook. */
  perCredential: 20,
  perAccount: 500,
  perProcess: 50_000,
} as const;

/** Operations that are sent again to a client that comes back; beyond these it gets a gap. */
export const replayLimits = { operations: 10_000, bytes: 8 << 20 } as const;

/**
 * Operations that a room keeps in memory: more while slow sockets are waited for, fewer afterwards,
 * as many as are sent again to a client that comes back.
 */
export const ringLimits = {
  operations: 16_384,
  restOperations: replayLimits.operations,
  bytes: 4 << 20,
} as const;

/** Operations of one frame, at most, and the time that the first of them waits for others. */
export const batchLimits = { operations: 256, bytes: 64 << 10, milliseconds: 8 } as const;

/** Bytes waiting for one socket, and what happens above each limit. */
export const pressureLimits = {
  /** Presence and cell activity are left out. */
  lossyBytes: 64 << 10,
  /** Operations wait. */
  opsBytes: 256 << 10,
  /** Below this, operations go on. */
  drainedBytes: 32 << 10,
  /** A socket that cannot take operations for longer is closed. */
  laggingMilliseconds: 30_000,
} as const;

export const lifeLimits = {
  helloMilliseconds: 10_000,
  idleMilliseconds: 30_000,
  timeoutMilliseconds: 60_000,
  /** Time that a presence outlives its socket, so that others do not notice a reconnection. */
  graceMilliseconds: 5_000,
  recheckMilliseconds: 60_000,
  /** Time for which open sockets may still listen with a key that a claim has replaced. */
  supersededMilliseconds: 60_000,
  ticketSeconds: 60,
} as const;
