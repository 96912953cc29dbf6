/** Limits of one submission and one operation. Each is far above honest use. */
export const operationLimits = {
  operationsPerSubmission: 10_000,
  cellsPerOperation: 100_000,
  /** Cells that range.fill and format.set may write; whole rows and columns count as none. */
  cellsPerFill: 2_097_152,
  /** Most cells of a legacy array formula, all of which are calculated and stored. */
  cellsPerArray: 2_097_152,
  /** Cells that move, are copied, sorted or continued at once. */
  cellsPerTransfer: 2_097_152,
  /**
   * Cells that an undo may write again one by one; cells of one content below one another count as
   * none.
   */
  cellsPerUndo: 1_000_000,
  charactersPerUndo: 4_194_304,
  /** Most operations of one undo, and most stretches of the journal in which they are. */
  operationsPerUndo: 10_000,
  spansPerUndo: 100,
  areasPerRange: 1_000,
  sortKeys: 64,
  textLength: 32_767,
  formulaLength: 8_192,
  numberFormatLength: 255,
  operationIdLength: 64,
  writerLength: 128,
  groupLength: 64,
  commentLength: 1_024,
  messageLength: 4_096,
  titleLength: 255,
  labelLength: 64,
  labelCount: 64,
  fontNameLength: 64,
  styleIdLength: 255,
  /** Named styles of a workbook. */
  styleCount: 4_096,
  /** Different looks that the cells of a workbook have: number formats, fonts and all together. */
  formatCount: 65_535,
  /** Height of a row or width of a column. */
  linePixels: 4_096,
  sheetCount: 1_024,
  nameCount: 65_536,
  tableCount: 4_096,
  columnsPerTable: 1_024,
  /** Rows of one rows.import or rows.upsert, or keys of one rows.delete. */
  rowsPerOperation: 100_000,
  cellsPerRowsOperation: 1_000_000,
  /** Characters of all texts of one rows.import or rows.upsert together. */
  charactersPerRowsOperation: 4_194_304,
  /** Records of each type in a workbook. */
  recordCount: 65_536,
  commentTextLength: 10_000,
  commentsPerThread: 1_000,
  linkLength: 2_079,
  listItems: 1_000,
  listItemLength: 255,
  filterColumns: 1_024,
  filterValues: 10_000,
  protectionNames: 1_000,
  /** Characters in the `spec` of an image or a chart. */
  specCharacters: 65_536,
  specDepth: 16,
  /** Cells with another value that the answer to a submission may tell of, and new errors. */
  changesPerAnswer: 1_000,
  errorsPerAnswer: 10_000,
  /** A base further behind the head than this is refused: `base_too_old`. */
  baseWindowOperations: 100_000,
  /** Time for which a retry with the same operation id is recognised, in milliseconds. */
  idempotencyMilliseconds: 30 * 24 * 3_600_000,
} as const;
