import { closingParenthesis, formulaTokens, type Token } from './formula-tokens.ts';

/** Arguments (from zero) that a function takes as whole ranges, whatever the cell's flag. */
const rangeArguments = new Map<string, (argument: number) => boolean>();

function declare(names: string, takesRange: (argument: number) => boolean): void {
  for (const name of names.trim().split(/\s+/)) rangeArguments.set(name, takesRange);
}

declare(
  `SUM AVERAGE COUNT COUNTA COUNTBLANK MIN MAX PRODUCT AND OR XOR MEDIAN STDEV STDEV.S STDEV.P STDEVP
   VAR VAR.S VAR.P VARP SUMSQ AVERAGEA MAXA MINA GEOMEAN HARMEAN DEVSQ AVEDEV CONCAT SUMPRODUCT
   ROWS COLUMNS SUMXMY2 SUMX2MY2 SUMX2PY2 CORREL SLOPE INTERCEPT RSQ PEARSON`,
  () => true,
);
declare('COUNTIF', (argument) => argument === 0);
declare('SUMIF AVERAGEIF', (argument) => argument !== 1);
declare('COUNTIFS', (argument) => argument % 2 === 0);
declare('SUMIFS AVERAGEIFS MINIFS MAXIFS', (argument) => argument === 0 || argument % 2 === 1);
declare('VLOOKUP HLOOKUP MATCH RANK RANK.EQ RANK.AVG', (argument) => argument === 1);
declare('LARGE SMALL PERCENTILE QUARTILE', (argument) => argument === 0);
declare('SUBTOTAL', (argument) => argument > 0);
declare('TEXTJOIN', (argument) => argument > 1);

/**
 * Functions of single values, which only spill if an argument does; arguments are checked by
 * themselves.
 */
const scalarFunctions = new Set(
  `ABS ACOS ACOSH ASIN ASINH ATAN ATAN2 ATANH CEILING CHAR CLEAN CODE CONCATENATE COS COSH DATE
   DATEVALUE DAY DAYS DAYS360 DEGREES EDATE EOMONTH ERROR.TYPE EVEN EXACT EXP FACT FALSE FIND FIXED
   FLOOR FV GCD HOUR IF IFERROR IFNA INT IPMT ISBLANK ISERR ISERROR ISEVEN ISLOGICAL ISNA ISNONTEXT
   ISNUMBER ISODD ISTEXT LCM LEFT LEN LN LOG LOG10 LOWER MID MINUTE MOD MONTH MROUND N NA NOT NOW
   NPER ODD PI PMT POWER PPMT PROPER PV QUOTIENT RADIANS RAND RANDBETWEEN RATE REPLACE REPT RIGHT
   ROUND ROUNDDOWN ROUNDUP SEARCH SECOND SIGN SIN SINH SLN SQRT SUBSTITUTE T TAN TANH TEXT TIME
   TIMEVALUE TODAY TRIM TRUE TRUNC UPPER VALUE WEEKDAY WEEKNUM YEAR`.split(/\s+/),
);

const areaKinds: ReadonlySet<string> = new Set(['bracket', 'columns', 'rows']);
/**
 * One column of this row: `[@Price]`, `[@[Unit price]]`. `[@]` and `[@[a]:[b]]` are more than that.
 */
const oneCellOfRow = /^\[@(?:[^[\]]+|\[[^[\]]+\])\]$/;
/** Each range looks at its neighbours, so a long list of ranges would take quadratic time. */
const tokensMax = 500;

/**
 * Returns whether a formula has the same value as a legacy scalar and as a dynamic formula, so that
 * the flag is not needed: nothing in it can be more than one cell, except where a function takes a
 * whole range anyway. In doubt it answers false.
 */
export function sameEitherWay(text: string): boolean {
  const tokens = formulaTokens(text).filter((token) => token.kind !== 'space');
  if (tokens.length > tokensMax) return false;
  return !tokens.some((token, index) => isPlural(tokens, index, token));
}

function isPlural(tokens: readonly Token[], index: number, token: Token): boolean {
  if (areaKinds.has(token.kind)) {
    return !oneCellOfRow.test(token.text) && !inRangeArgument(tokens, index);
  }
  if (token.kind === 'mark') return isPluralMark(tokens, index, token.text);
  if (token.kind !== 'name') return false;
  const name = token.text.toUpperCase();
  const next = tokens[index + 1];
  if (next?.text === '(') return !rangeArguments.has(name) && !scalarFunctions.has(name);
  if (name === 'TRUE' || name === 'FALSE' || next?.kind === 'bracket') return false;
  return !inRangeArgument(tokens, index);
}

function isPluralMark(tokens: readonly Token[], index: number, mark: string): boolean {
  if (mark === ':') return !inRangeArgument(tokens, index);
  return mark === '{' || mark === '@' || mark === '#';
}

/** Returns whether a token stands alone in an argument that the function takes as a whole range. */
function inRangeArgument(tokens: readonly Token[], index: number): boolean {
  const open = openBefore(tokens, index);
  if (open === undefined) return false;
  let depth = 0;
  let argument = 0;
  let isBare = true;
  for (const { kind, text } of tokens.slice(open + 1, index)) {
    if (kind !== 'mark') continue;
    if (text === '(') depth++;
    else if (text === ')') depth--;
    if (depth > 0) continue;
    if (text === ',') {
      argument++;
      isBare = true;
    } else if (text !== ':') isBare = false;
  }
  return isBare && takesWhole(tokens, { open, index, argument });
}

/** Returns the index of the parenthesis that a token is in. */
function openBefore(tokens: readonly Token[], index: number): number | undefined {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if (token.text === ')') depth++;
    else if (token.text === '(' && depth === 0) return at;
    else if (token.text === '(') depth--;
  }
  return undefined;
}

interface Place {
  readonly open: number;
  readonly index: number;
  readonly argument: number;
}

function takesWhole(tokens: readonly Token[], { open, index, argument }: Place): boolean {
  const close = closingParenthesis(tokens, open);
  if (close === undefined) return false;
  for (let at = index + 1; at < close; at++) {
    const token = tokens[at];
    if (token?.kind !== 'mark' || token.text === ':') continue;
    if (token.text === ',') break;
    return false;
  }
  const name = tokens[open - 1];
  if (name?.kind !== 'name') return false;
  return rangeArguments.get(name.text.toUpperCase())?.(argument) ?? false;
}
