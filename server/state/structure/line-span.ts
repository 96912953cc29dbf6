/** Rows or columns beside one another, by index: the first of them, and how many there are. */
export interface LineSpan {
  readonly from: number;
  readonly count: number;
}
