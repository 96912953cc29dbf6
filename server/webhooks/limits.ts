/** The limits that a user of webhooks can meet. */
export const webhookLimits = {
  perWorkbook: 10,
  urlLength: 2_048,
  secretBytesLeast: 24,
  secretBytesMost: 64,
  operationsPerDelivery: 256,
  /** Deliveries that wait for one webhook; above it the journal is read on later. */
  waitingMost: 1_000,
  listedDeliveries: 50,
  replayMost: 1_000,
  deadlineMilliseconds: 10_000,
  /** Between one try and the next: 8 tries within 28 hours. */
  backoffSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
  /** Answers that ask for a rest: until that delivery is tried again, nothing else is sent. */
  restStatuses: [429, 502, 504],
  /** Finished deliveries can be looked at and replayed for so long. */
  keptDays: 7,
} as const;
