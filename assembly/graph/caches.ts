import { forgetAnswers } from '../functions/answer-cache';
import { dropColumnIndexes } from '../functions/column-index';
import { openPrefixes } from '../functions/prefix-cache';

/**
 * Indexes over columns that formulas share within one recalculation. They hold as long as no cell
 * that was read changes.
 */
export function dropIndexes(): void {
  dropColumnIndexes();
  openPrefixes();
  forgetAnswers();
}
