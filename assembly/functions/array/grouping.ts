import { evaluateGroupBy } from './group-by';
import { evaluatePivotBy } from './pivot-by';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callGrouping. */
export const GROUPINGS: string = `
GROUPBY 3 8 aaavvaav;
PIVOTBY 4 11 aaaavvavaav;
`;

export function callGrouping(index: u32): void {
  if (index == 0) evaluateGroupBy();
  else evaluatePivotBy();
}
