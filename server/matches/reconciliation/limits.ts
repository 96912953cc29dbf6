/** Numbers of the reconciliation service that a client can meet. */
export const reconciliationLimits = {
  linksPerWorkbook: 50,
  daysDefault: 90,
  daysMost: 365,
  /** Bytes of one POST, unpacked. */
  bodyBytes: 256 * 1024,
  queriesPerBatch: 50,
  /** Characters of a name that is looked for. */
  queryLength: 1000,
  candidatesDefault: 5,
  candidatesMost: 50,
  propertiesPerQuery: 20,
  valuesPerProperty: 20,
  suggestions: 20,
  suggestionsSkipped: 1000,
  extendedIds: 200,
  extendedProperties: 50,
  /** Requests of one link in one process: a minute, and at the same time. */
  requestsPerMinute: 3000,
  requestsAtOnce: 8,
  /** An index goes on being asked for so long while the branch moves on. */
  indexMilliseconds: 10_000,
  /** Memory of one process for all indexes. */
  indexBytes: 256 * 1024 * 1024,
  previewColumns: 50,
  previewCharacters: 500,
} as const;
