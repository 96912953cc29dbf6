import type { CorpusCase } from './corpus.ts';
import { isOfFile } from './run-case.ts';

/** Cases that share one workbook, a sheet each; or one case that has a workbook to itself. */
export type Batch =
  | { readonly way: 'rows'; readonly cases: readonly CorpusCase[] }
  | { readonly way: 'file'; readonly cases: readonly [CorpusCase] };

/** Cases in a workbook: few enough that it stays below the evaluation ceiling. */
const casesMost = 100;

/** Functions that see more of a workbook than the cells they are given. */
const lookAround = /!|\[|\b(?:SHEETS?|CELL|INFO|INDIRECT|ADDRESS|FORMULATEXT)\s*\(/iu;

/** Puts cases that see only their own sheet together, so that 4,000 cases are some 450 workbooks. */
export function* batchesOf(cases: Iterable<CorpusCase>): Generator<Batch> {
  let together: CorpusCase[] = [];
  for (const one of cases) {
    if (!staysOnItsSheet(one)) {
      yield { way: 'file', cases: [one] };
      continue;
    }
    together.push(one);
    if (together.length < casesMost) continue;
    yield { way: 'rows', cases: together };
    together = [];
  }
  if (together.length > 0) yield { way: 'rows', cases: together };
}

function staysOnItsSheet(one: CorpusCase): boolean {
  const { sheets, names = [], tables = [], epoch } = one;
  const [cells, ...others] = Object.values(sheets);
  if (cells === undefined || others.length > 0) return false;
  if (isOfFile(one) || epoch !== '1900' || names.length + tables.length > 0) return false;
  return Object.values(cells).every(({ f, array, dynamic }) => {
    return !lookAround.test(f ?? '') && (array === undefined || dynamic === true);
  });
}
