import { cellName } from './address.ts';
import type { FormatRule } from './payload-rules.ts';

type TextRule = 'containsText' | 'notContainsText' | 'beginsWith' | 'endsWith';
type TimePeriod = Extract<FormatRule, { type: 'timePeriod' }>['period'];

/** Formulas that a file has beside a rule that says the same by its type; `C` is the first cell. */
const byType: Readonly<Record<string, string>> = {
  containsBlanks: 'LEN(TRIM(C))=0',
  notContainsBlanks: 'LEN(TRIM(C))>0',
  containsErrors: 'ISERROR(C)',
  notContainsErrors: 'NOT(ISERROR(C))',
};

const byText: Readonly<Record<TextRule, string>> = {
  containsText: 'NOT(ISERROR(SEARCH(T,C)))',
  notContainsText: 'ISERROR(SEARCH(T,C))',
  beginsWith: 'LEFT(C,LEN(T))=T',
  endsWith: 'RIGHT(C,LEN(T))=T',
};

const byPeriod: Readonly<Record<TimePeriod, string>> = {
  today: 'FLOOR(C,1)=TODAY()',
  yesterday: 'FLOOR(C,1)=TODAY()-1',
  tomorrow: 'FLOOR(C,1)=TODAY()+1',
  last7Days: 'AND(TODAY()-FLOOR(C,1)<=6,FLOOR(C,1)<=TODAY())',
  thisWeek:
    'AND(TODAY()-ROUNDDOWN(C,0)<=WEEKDAY(TODAY())-1,ROUNDDOWN(C,0)-TODAY()<=7-WEEKDAY(TODAY()))',
  lastWeek:
    'AND(TODAY()-ROUNDDOWN(C,0)>=WEEKDAY(TODAY()),TODAY()-ROUNDDOWN(C,0)<WEEKDAY(TODAY())+7)',
  nextWeek:
    'AND(ROUNDDOWN(C,0)-TODAY()>7-WEEKDAY(TODAY()),ROUNDDOWN(C,0)-TODAY()<15-WEEKDAY(TODAY()))',
  thisMonth: 'AND(MONTH(C)=MONTH(TODAY()),YEAR(C)=YEAR(TODAY()))',
  lastMonth: 'AND(MONTH(C)=MONTH(EDATE(TODAY(),-1)),YEAR(C)=YEAR(EDATE(TODAY(),-1)))',
  nextMonth: 'AND(MONTH(C)=MONTH(EDATE(TODAY(),1)),YEAR(C)=YEAR(EDATE(TODAY(),1)))',
};

/** The formula that goes without saying; undefined for rules that have none. */
export function impliedFormula(
  rule: {
    readonly type: string;
    readonly text?: string | undefined;
    readonly period?: string;
  },
  { row, column }: { readonly row: number; readonly column: number },
): string | undefined {
  const { type, text, period } = rule;
  const template =
    type === 'timePeriod'
      ? byPeriod[period as TimePeriod]
      : text === undefined
        ? byType[type]
        : byText[type as TextRule];
  const quoted = `"${(text ?? '').replaceAll('"', '""')}"`;
  return template?.replaceAll(/\bC\b|\bT\b/g, (mark) =>
    mark === 'C' ? cellName(row, column) : quoted,
  );
}
