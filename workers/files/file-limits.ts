import { operationLimits } from '../../server/model/operation-limits.ts';

const mebibyte = 1024 * 1024;

/**
 * Bounds of an import. operations.md section 4 proposes lower ones; they are raised where a
 * workbook of a million formulas needs it, because memory is bounded by streaming instead:
 * what is counted is always what was really inflated, never what the archive says of itself.
 */
export const fileLimits = {
  /** Real workbooks with many sheets, drawings and comments pass 200 entries. */
  entryCount: 2_000,
  entryInflatedBytes: 384 * mebibyte,
  totalInflatedBytes: 512 * mebibyte,
  /** Inflated to compressed size; a filled-down column honestly reaches 60:1. */
  inflateRatio: 200,
  /** The ratio says nothing about small parts and is judged only past this size. */
  ratioFromBytes: 10 * mebibyte,
  xmlDepth: 64,
  /**
   * Most characters of one tag or comment, and of the text between two tags, before entities are
   * resolved; the longest honest one is a cell of 32,767 escaped characters.
   */
  xmlElementCharacters: 2 * mebibyte,
  cellCount: 10_000_000,
  sheetCount: 1_000,
  /** Characters that the operations of one import may hold after shared text is written out. */
  operationCharacters: 512 * mebibyte,
  /** Cells of one legacy array formula, as in operations. */
  arrayCells: operationLimits.cellsPerArray,
  textCharacters: 32_767,
  formulaCharacters: 8_192,
  rowCount: 1_048_576,
  columnCount: 16_384,
} as const;
