import { sample } from '../kernel/workload.ts';
import type { MeasuredFormula } from './golden-formulas.ts';

/** Rows of the block that the formulas read: numbers in A and B, keys in C, texts in D. */
const rowCount = 500;

const formulas = [
  'SUM(A1:B500)',
  'SUM(A1:A500)',
  'AVERAGE(A1:A500)',
  'COUNT(A1:D500)',
  'COUNTA(A1:D500)',
  'COUNTBLANK(A1:D500)',
  'MIN(A1:B500)',
  'MAX(A1:B500)',
  'PRODUCT(C1:C20)',
  'SUMSQ(A1:B500)',
  'MEDIAN(A1:A500)',
  'STDEV(A1:A500)',
  'STDEV.P(A1:A500)',
  'VAR(A1:A500)',
  'VAR.P(A1:A500)',
  'GEOMEAN(A1:A500)',
  'HARMEAN(A1:A500)',
  'AVEDEV(A1:A500)',
  'DEVSQ(A1:A500)',
  'SKEW(A1:A500)',
  'LARGE(A1:A500,7)',
  'SMALL(A1:A500,7)',
  'CORREL(A1:A500,B1:B500)',
  'COVARIANCE.P(A1:A500,B1:B500)',
  'SLOPE(A1:A500,B1:B500)',
  'INTERCEPT(A1:A500,B1:B500)',
  'RSQ(A1:A500,B1:B500)',
  'STEYX(A1:A500,B1:B500)',
  'SUMPRODUCT(A1:A500,B1:B500)',
  'SUMX2MY2(A1:A500,B1:B500)',
  'SUMXMY2(A1:A500,B1:B500)',
  'COUNTIF(C1:C500,7)',
  'COUNTIF(A1:A500,">50")',
  'COUNTIF(D1:D500,"k1*")',
  'COUNTIFS(C1:C500,7,A1:A500,">50")',
  'SUMIF(C1:C500,7,A1:A500)',
  'SUMIF(A1:A500,">50",B1:B500)',
  'SUMIFS(A1:A500,C1:C500,7,B1:B500,">20")',
  'AVERAGEIF(C1:C500,7,A1:A500)',
  'MAXIFS(A1:A500,C1:C500,7)',
  'MINIFS(A1:A500,C1:C500,7)',
  'MATCH("key 333",D1:D500,0)',
  'MATCH(7,C1:C500,0)',
  'VLOOKUP(7,C1:D500,2,FALSE())',
  'XLOOKUP("key 333",D1:D500,A1:A500)',
  'INDEX(A1:D500,333,2)',
  'SUBTOTAL(9,A1:A500)',
  'NPV(0.1,A1:A500)',
  'FTEST(A1:A500,B1:B500)',
  'TTEST(A1:A500,B1:B500,2,3)',
  'ZTEST(A1:A500,50)',
  'CHISQ.TEST(A1:B100,B1:C100)',
  'CONCATENATE(D1,D2,D3,D4,D5,D6,D7,D8)',
  'TEXTJOIN(",",TRUE(),D1:D100)',
  'OR(C1:C500)',
  'AND(A1:A500)',
  'XOR(C1:C500)',
  'GCD(C1:C500)',
  'LCM(C1:C20)',
] as const;

/** Returns functions over long columns, whose cost is in the cells and not in the call. */
export function rangeFormulas(): MeasuredFormula[] {
  const inputs = Array.from({ length: rowCount }, (_, row) => [
    { row, column: 0, cell: sample(row) },
    { row, column: 1, cell: sample(row + 313) },
    { row, column: 2, cell: (row % 17) + 1 },
    { row, column: 3, cell: `key ${row}` },
  ]).flat();
  return formulas.map((text) => {
    const name = text.slice(0, text.indexOf('('));
    return { name, formula: `=${text}`, inputs };
  });
}
