/** Numbers of the interface that a client can meet. What an operation may hold is beside it. */

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** Bodies, counted while they arrive and again while they are unpacked. */
export const bodyLimits = {
  defaultBytes: mebibyte,
  identityBytes: 16 * kibibyte,
  operationsBytes: 8 * mebibyte,
  fileBytes: 32 * mebibyte,
  /** Rows of a table: a quarter of what there is for all bodies. */
  rowsBytes: 64 * mebibyte,
  /** Rows that lie in object storage until they are written, as they are sent; gzip may unpack. */
  spooledRowsBytes: 1024 * mebibyte,
  unpackedRowsBytes: 4096 * mebibyte,
  /** A gzip body may unpack to ten times its size, or to this, whichever is more. */
  inflateFloorBytes: 64 * kibibyte,
  inflateRatio: 10,
  /** Rows name their columns again and again: sixteen times is common. */
  rowsInflateRatio: 100,
  deadlineMilliseconds: 30_000,
  depth: 32,
  /** A larger body is read in the pool. */
  wholeBytes: 256 * kibibyte,
  /** Most values of a body that is read without its schema. */
  values: 100_000,
} as const;

/** Memory of one process for all bodies and answers that are under way, unless settings say else. */
export const requestMemory = {
  bodyBytes: 256 * mebibyte,
  answerBytes: 256 * mebibyte,
} as const;

/** Answers to clients that do not read them. */
export const answerLimits = {
  /** Bytes that have to go out in each window, or the client is cut off. */
  progressBytes: 32 * kibibyte,
  progressMilliseconds: 10_000,
  /** An answer that has not moved for so long makes room for others. */
  stalledMilliseconds: 1_000,
  /** Bytes of memory of a cell that waits in a streamed answer. */
  bytesPerCell: 48,
} as const;

/** Requests a minute, kept as a bucket that refills evenly. */
export interface RequestRates {
  readonly readPerMinute: number;
  readonly writePerMinute: number;
}

export const requestRates = {
  anonymous: { readPerMinute: 300, writePerMinute: 120 },
  claimed: { readPerMinute: 6000, writePerMinute: 1200 },
  human: { readPerMinute: 6000, writePerMinute: 1200 },
  /** Routes without a credential, by client address. */
  public: { readPerMinute: 600, writePerMinute: 120 },
} as const satisfies Record<string, RequestRates>;

/** Cells read or written for which one more unit is drawn. */
export const cellsPerUnit = 10_000;
export const concurrentRequestsPerPrincipal = 32;

/** A service bound to loopback serves its own developer: every limit by address is this much wider. */
export const loopbackFactor = 100;

export const registrationLimits = {
  perAddressPerHour: 5,
  perDeploymentPerHour: 100,
  /** Bearer checks that had to ask the database and found nothing. */
  unknownCredentialsPerMinute: 60,
} as const;

export const credentialLife = {
  unclaimedDays: 30,
  claimedIdleDays: 365,
  /** After a rotation the old key still works for this long. */
  rotatedMinutes: 15,
  /** Days between the end of an unclaimed agent and the purge of its workbooks. */
  purgeAfterDays: 30,
  liveKeysPerUser: 25,
} as const;

/** Limits of one-time codes: on requests and guesses. */
export const codeLimits = {
  digits: 6,
  lifeMinutes: 10,
  triesPerCode: 5,
  cooldownSeconds: 60,
  perClaimTokenPerHour: 5,
  perEmailPerHour: 5,
  perEmailPerDay: 15,
  triesPerEmailPerDay: 30,
  muteHours: 24,
  /** Life of a claim token that came with an e-mail address; others live as long as their agent. */
  assertionHours: 1,
  requestsPerAddressPerHour: 60,
  assertionsPerDeploymentPerHour: 1000,
  completionsPerAddressPerHour: 30,
  /** Letters that wait to be sent; above it no new one is taken. */
  waitingLetters: 10_000,
} as const;

/** Days for which the old address of a workbook that a merge renamed leads to the new one. */
export const movedAddressDays = 90;

export const idempotency = {
  keyLength: 255,
  hours: 24,
  /** Repeats of a registration; its answer holds a secret. */
  registrationMinutes: 10,
  registrationKeyLengthLeast: 16,
  /** A request that has not ended after this is taken for dead, and its key may run again. */
  runningMinutes: 5,
} as const;

/** Limits reported to a registration in addition to those of its plan. */
export const anonymousPlan = {
  cells: 1_000_000,
} as const;

export const pages = {
  listDefault: 50,
  listMost: 500,
  rowsDefault: 100,
  rowsMost: 10_000,
  valuesDefault: 10_000,
  valuesMost: 100_000,
  /** Cells of one slice, all its ranges together. */
  sliceCellsMost: 250_000,
  rangesMost: 100,
} as const;

/** `Prefer: wait=n` is honoured up to this. */
export const waitSecondsMost = 10;

/** Strictness of limits by rate: `loopback` is a service for its own developer. */
export type LimitsProfile = 'on' | 'loopback' | 'off';
