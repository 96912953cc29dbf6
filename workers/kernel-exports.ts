/**
 * Exports of assembly/index.ts, as docs/kernel-abi.md describes them. Addresses come back signed.
 */
export interface KernelExports {
  open(key0: number, key1: number, key2: number, key3: number): void;
  attach(): void;
  input(byteCount: number): number;
  apply(byteCount: number, markSteps: number): number;
  recalculate(clock: number, seedHigh: number, seedLow: number, ...steps: number[]): number;
  pendingCount(): number;
  statistic(index: number): number;
  readRange(sheet: number, row0: number, column0: number, ...rest: number[]): number;
  readSpill(sheet: number, row: number, column: number): number;
  readExtent(sheet: number): number;
  usedRows(sheet: number, column0: number, column1: number): number;
  formulaMode(sheet: number, row: number, column: number): number;
  valueCount(): number;
  readValues(offset: number, limit: number): number;
  watchChanges(isWatched: number): void;
  useBatches(isUsed: number): void;
  readChanges(which: number, limit: number): number;
  resultAddress(): number;
  resultLength(): number;
  check(unitCount: number, isTyped: number): number;
  problemAddress(): number;
  problemLength(): number;
  problemAt(): number;
  evaluateInput(unitCount: number, sheet: number, cellsMost: number): number;
  convert(unitCount: number, row: number, column: number, ...notations: number[]): number;
  listReferences(unitCount: number): number;
  hashOperations(byteCount: number, firstHigh: number, firstLow: number): number;
  dotProducts(order: number): void;
  addPostings(place: number, from: number, to: number, weight: number): number;
  keepBest(place: number): number;
  endRead(): void;
}
