import { operationLimits } from '../../server/model/operation-limits.ts';

const mebibyte = 1024 * 1024;

/**
 * Limits of an import. They are high enough for a workbook of a million formulas. Memory is bounded
 * by streaming: bytes are counted as they are inflated, whatever the archive states.
 */
export const fileLimits = {
  /** Genuine workbooks with many sheets, drawings and comments have more than 200 entries. */
  entryCount: 2_000,
  entryInflatedBytes: 384 * mebibyte,
  totalInflatedBytes: 512 * mebibyte,
  /** Ratio of inflated to compressed size; a column that was filled down reaches 60. */
  inflateRatio: 200,
  /** Inflated size from which the ratio is checked, because it means nothing for small parts. */
  ratioFromBytes: 10 * mebibyte,
  xmlDepth: 64,
  /**
   * Most characters of a tag, a comment, or the text between two tags, before entities are
   * resolved; the longest genuine one is a cell of 32,767 escaped characters.
   */
  xmlElementCharacters: 2 * mebibyte,
  cellCount: 10_000_000,
  sheetCount: 1_000,
  /** Characters of all operations of an import, after shared text is written out. */
  operationCharacters: 512 * mebibyte,
  /** Cells of one legacy array formula, as in operations. */
  arrayCells: operationLimits.cellsPerArray,
  textCharacters: 32_767,
  formulaCharacters: 8_192,
  rowCount: 1_048_576,
  columnCount: 16_384,
} as const;
