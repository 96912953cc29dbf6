import { evaluateFindB, evaluateLeftB, evaluateLenB, evaluateMidB } from './text-bytes';
import { evaluateReplaceB, evaluateRightB, evaluateSearchB } from './text-bytes';
import { evaluateChar, evaluateCode, evaluateUnichar, evaluateUnicode } from './text-code';
import { evaluateAsc, evaluateEncodeUrl } from './text-code';
import { evaluateDollar, evaluateFixed, evaluateText, evaluateValue } from './text-format';
import { evaluateArrayToText, evaluateNumberValue, evaluateValueToText } from './text-format';
import { evaluateConcat, evaluateConcatenate, evaluateTextJoin } from './text-join';
import { evaluateClean, evaluateLeft, evaluateLen, evaluateLower } from './text-piece';
import { evaluateExact, evaluateMid, evaluateProper, evaluateRept } from './text-piece';
import { evaluateRight, evaluateT, evaluateTrim, evaluateUpper } from './text-piece';
import { evaluateFind, evaluateReplace, evaluateSearch, evaluateSubstitute } from './text-search';
import { evaluateFilterXml } from './filter-xml';
import { evaluateRegexExtract, evaluateRegexReplace, evaluateRegexTest } from './text-regex';
import { evaluateTextAfter, evaluateTextBefore, evaluateTextSplit } from './text-split';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callText. */
export const TEXT: string = `
LEN 1 1 v;
LENB 1 1 v;
LEFT 1 2 v;
LEFTB 1 2 v;
RIGHT 1 2 v;
RIGHTB 1 2 v;
MID 3 3 v;
MIDB 3 3 v;
UPPER 1 1 v;
LOWER 1 1 v;
PROPER 1 1 v;
TRIM 1 1 v;
CLEAN 1 1 v;
CONCATENATE 1 255 v;
CONCAT 1 255 +r;
TEXTJOIN 3 255 rv+r;
FIND 2 3 v;
FINDB 2 3 v;
SEARCH 2 3 v;
SEARCHB 2 3 v;
REPLACE 4 4 v;
REPLACEB 4 4 v;
SUBSTITUTE 3 4 v;
REPT 2 2 v;
EXACT 2 2 v;
CHAR 1 1 v;
CODE 1 1 v;
UNICHAR 1 1 v;
UNICODE 1 1 v;
VALUE 1 1 v;
NUMBERVALUE 1 3 v;
TEXT 2 2 v;
FIXED 1 3 v;
DOLLAR 1 2 v;
USDOLLAR 1 2 v;
T 1 1 r;
TEXTBEFORE 2 6 vrv;
TEXTAFTER 2 6 vrv;
TEXTSPLIT 2 6 vrrvvv;
VALUETOTEXT 1 2 v;
ARRAYTOTEXT 1 2 av;
ASC 1 1 v;
ENCODEURL 1 1 v;
REGEXTEST 2 3 v;
REGEXEXTRACT 2 4 v;
REGEXREPLACE 3 5 v;
FILTERXML 2 2 v;
`;

export function callText(index: u32): void {
  if (index < 13) callPiece(index);
  else if (index < 25) callSearch(index);
  else callConversion(index);
}

function callPiece(index: u32): void {
  switch (index) {
    case 0:
      return evaluateLen();
    case 1:
      return evaluateLenB();
    case 2:
      return evaluateLeft();
    case 3:
      return evaluateLeftB();
    case 4:
      return evaluateRight();
    case 5:
      return evaluateRightB();
    case 6:
      return evaluateMid();
    case 7:
      return evaluateMidB();
    case 8:
      return evaluateUpper();
    case 9:
      return evaluateLower();
    case 10:
      return evaluateProper();
    case 11:
      return evaluateTrim();
    default:
      return evaluateClean();
  }
}

function callSearch(index: u32): void {
  switch (index) {
    case 13:
      return evaluateConcatenate();
    case 14:
      return evaluateConcat();
    case 15:
      return evaluateTextJoin();
    case 16:
      return evaluateFind();
    case 17:
      return evaluateFindB();
    case 18:
      return evaluateSearch();
    case 19:
      return evaluateSearchB();
    case 20:
      return evaluateReplace();
    case 21:
      return evaluateReplaceB();
    case 22:
      return evaluateSubstitute();
    case 23:
      return evaluateRept();
    default:
      return evaluateExact();
  }
}

function callConversion(index: u32): void {
  switch (index) {
    case 25:
      return evaluateChar();
    case 26:
      return evaluateCode();
    case 27:
      return evaluateUnichar();
    case 28:
      return evaluateUnicode();
    case 29:
      return evaluateValue();
    case 30:
      return evaluateNumberValue();
    case 31:
      return evaluateText();
    case 32:
      return evaluateFixed();
    case 33:
    case 34:
      return evaluateDollar();
    case 35:
      return evaluateT();
    case 36:
      return evaluateTextBefore();
    case 37:
      return evaluateTextAfter();
    case 38:
      return evaluateTextSplit();
    case 39:
      return evaluateValueToText();
    case 40:
      return evaluateArrayToText();
    case 41:
      return evaluateAsc();
    case 42:
      return evaluateEncodeUrl();
    default:
      callLanguage(index);
  }
}

/** Functions with a language of their own. */
function callLanguage(index: u32): void {
  if (index == 43) evaluateRegexTest();
  else if (index == 44) evaluateRegexExtract();
  else if (index == 45) evaluateRegexReplace();
  else evaluateFilterXml();
}
