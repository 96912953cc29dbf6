import {
  ASSERT_LAST_LINE_END,
  ASSERT_LINE_END,
  ASSERT_LINE_START,
  ASSERT_TEXT_START,
  LOOK_BEHIND,
  LOOK_NEGATIVE,
  NODE_ANY,
  NODE_ASSERT,
  NODE_ATOMIC,
  NODE_CHOICE,
  NODE_CONDITION,
  NODE_EMPTY,
  NODE_GROUP,
  NODE_LOOK,
  NODE_REPEAT,
  NODE_SEQUENCE,
  NODE_SET,
  REPEAT_GREEDY,
  REPEAT_LAZY,
  UNLIMITED,
  mostUnits,
  newNode,
} from './node';
import { backReference, isPiece, parseEscape } from './parse-escape';
import { parseSet } from './parse-set';
import {
  FLAG_DOT_ALL,
  FLAG_EXTENDED,
  FLAG_FOLDS,
  FLAG_LINES,
  GROUP_LIMIT,
  atEnd,
  flags,
  groupCount,
  groupOfName,
  isBad,
  isNext,
  nameGroup,
  nameUntil,
  nextGroup,
  openReader,
  peekUnit,
  place,
  readAgain,
  readDigits,
  refusePattern,
  setFlags,
  skipUnits,
  unitNode,
} from './reader';

/**
 * Patterns in the dialect of PCRE2 (pcre2pattern(3)), which Excel's functions speak: all of it but
 * recursion, callouts, backtracking verbs and properties of Unicode, which are no patterns here.
 */
let depth: i32 = 0;

const DEPTH_LIMIT = 200;
const REPEAT_LIMIT: u32 = 65535;

const BAR: u32 = 124;
const CLOSE: u32 = 41;
const OPEN: u32 = 40;
const QUESTION: u32 = 63;
const EQUALS: u32 = 61;
const LESS: u32 = 60;
const GREATER: u32 = 62;
const BANG: u32 = 33;
const COLON: u32 = 58;
const MINUS: u32 = 45;
const QUOTE: u32 = 39;
const CLOSE_BRACE: u32 = 125;
/** Most units that are looked at behind a place, as PCRE2 has it. */
const BEHIND_LIMIT: u32 = 255;

/** Reads the pattern; the root node, unless `isBad` says that it is none. */
export function parsePattern(text: usize, foldsCase: bool): u32 {
  openReader(text, foldsCase);
  depth = 0;
  const root = parseChoice();
  if (!atEnd()) refusePattern();
  return newNode(NODE_GROUP, root, 0);
}

/** Alternatives up to a closing parenthesis or the end; flags set inside end with them. */
function parseChoice(): u32 {
  if (++depth > DEPTH_LIMIT) return refusePattern();
  const outside = flags;
  let node = parseSequence();
  while (isNext(BAR)) {
    skipUnits(1);
    node = newNode(NODE_CHOICE, node, parseSequence());
  }
  setFlags(outside);
  depth--;
  return node;
}

function parseSequence(): u32 {
  let node: u32 = 0;
  let isFirst = true;
  while (!atEnd() && !isBad) {
    const code = peekUnit();
    if (code == BAR || code == CLOSE) break;
    if (skipBlank()) continue;
    const next = parseRepeated(code);
    node = isFirst ? next : newNode(NODE_SEQUENCE, node, next);
    isFirst = false;
  }
  return isFirst ? newNode(NODE_EMPTY) : node;
}

/** Skips what stands for nothing in extended patterns. */
function skipBlank(): bool {
  if (!(flags & FLAG_EXTENDED) || atEnd()) return false;
  const code = peekUnit();
  if (code == 32 || code - 9 < 5) {
    skipUnits(1);
    return true;
  }
  if (code != 35) return false;
  while (!atEnd() && !isNext(10)) skipUnits(1);
  return true;
}

/** True when the node read last can be repeated. */
let isRepeatable: bool = false;

function parseOne(code: u32): u32 {
  isRepeatable = true;
  skipUnits(1);
  switch (code) {
    case 46:
      return newNode(NODE_ANY, flags & FLAG_DOT_ALL);
    case 94:
      return assertion(flags & FLAG_LINES ? ASSERT_LINE_START : ASSERT_TEXT_START);
    case 36:
      return assertion(flags & FLAG_LINES ? ASSERT_LINE_END : ASSERT_LAST_LINE_END);
    case 91:
      return newNode(NODE_SET, <u32>parseSet(), flags & FLAG_FOLDS);
    case OPEN:
      return parseGroup();
    case 92:
      return escaped();
    case 42:
    case 43:
    case QUESTION:
      return refusePattern();
    default:
      return unitNode(code);
  }
}

function escaped(): u32 {
  const node = parseEscape();
  isRepeatable = isPiece;
  return node;
}

function assertion(kind: u32): u32 {
  isRepeatable = false;
  return newNode(NODE_ASSERT, kind);
}

/** A piece with `*`, `+`, `?` or `{2,3}` behind it, which may have `?` or `+` behind them. */
function parseRepeated(code: u32): u32 {
  const node = parseOne(code);
  while (skipBlank());
  if (isBad || !readCounts()) return node;
  if (!isRepeatable) return refusePattern();
  const isLazy = isNext(QUESTION);
  const isPossessive = isNext(43);
  if (isLazy || isPossessive) skipUnits(1);
  const repeated = newNode(NODE_REPEAT, node, fewest, most, isLazy ? REPEAT_LAZY : REPEAT_GREEDY);
  return isPossessive ? newNode(NODE_ATOMIC, repeated) : repeated;
}

let fewest: u32 = 0;
let most: u32 = 0;

/** Reads how often; returns false if the next units are no quantifier. */
function readCounts(): bool {
  if (isNext(123)) return readBraces();
  const code = peekUnit();
  if (code != 42 && code != 43 && code != QUESTION) return false;
  fewest = code == 43 ? 1 : 0;
  most = code == QUESTION ? 1 : UNLIMITED;
  skipUnits(1);
  return true;
}

/** `{2}`, `{2,}`, `{,3}` and `{2,3}`; other braces stand for themselves. */
function readBraces(): bool {
  const start = place;
  skipUnits(1);
  const low = readDigits();
  let high = low;
  if (isNext(44)) {
    skipUnits(1);
    high = readDigits();
  }
  if (!isNext(CLOSE_BRACE) || (low < 0 && high < 0)) {
    readAgain(start);
    return false;
  }
  skipUnits(1);
  fewest = max(low, 0);
  most = high < 0 ? UNLIMITED : <u32>high;
  if (fewest > REPEAT_LIMIT || (high >= 0 && most > REPEAT_LIMIT) || most < fewest) refusePattern();
  return true;
}

function closeGroup(node: u32): u32 {
  if (!isNext(CLOSE)) return refusePattern();
  skipUnits(1);
  isRepeatable = true;
  return node;
}

/** Parses a group, behind its opening parenthesis, and returns its node. */
function parseGroup(): u32 {
  if (isNext(42)) return refusePattern();
  if (!isNext(QUESTION)) return capture();
  skipUnits(1);
  const code = peekUnit();
  skipUnits(1);
  switch (code) {
    case COLON:
      return closeGroup(parseChoice());
    case GREATER:
      return closeGroup(newNode(NODE_ATOMIC, parseChoice()));
    case EQUALS:
      return look(0);
    case BANG:
      return look(LOOK_NEGATIVE);
    case LESS:
      return parseLess();
    case QUOTE:
      return namedCapture(QUOTE);
    case 80:
      return parsePython();
    case 35:
      return skipComment();
    case OPEN:
      return parseCondition();
    default:
      readAgain(place - 1);
      return parseFlags();
  }
}

function capture(): u32 {
  const number = nextGroup();
  if (number >= GROUP_LIMIT) return refusePattern();
  return closeGroup(newNode(NODE_GROUP, parseChoice(), number));
}

function look(bits: u32): u32 {
  const inside = parseChoice();
  if (bits & LOOK_BEHIND && mostUnits(inside) > BEHIND_LIMIT) return refusePattern();
  return closeGroup(newNode(NODE_LOOK, inside, bits));
}

function parseLess(): u32 {
  const code = peekUnit();
  if (code != EQUALS && code != BANG) return namedCapture(GREATER);
  skipUnits(1);
  return look(code == BANG ? LOOK_BEHIND | LOOK_NEGATIVE : LOOK_BEHIND);
}

/** `(?P<name>…)` and `(?P=name)` */
function parsePython(): u32 {
  const code = peekUnit();
  skipUnits(1);
  if (code == LESS) return namedCapture(GREATER);
  if (code != EQUALS) return refusePattern();
  isRepeatable = true;
  return backReference(groupOfName(CLOSE));
}

function namedCapture(end: u32): u32 {
  const start = place;
  const length = nameUntil(end);
  if (!length || !nameGroup(start, length)) return refusePattern();
  return capture();
}

function skipComment(): u32 {
  while (!atEnd() && !isNext(CLOSE)) skipUnits(1);
  isRepeatable = false;
  if (atEnd()) return refusePattern();
  skipUnits(1);
  return newNode(NODE_EMPTY);
}

/** `(?(1)yes|no)` and `(?(<name>)yes|no)` */
function parseCondition(): u32 {
  let number = <u32>max(readDigits(), 0);
  if (!number && (isNext(LESS) || isNext(QUOTE))) {
    const end = isNext(LESS) ? GREATER : QUOTE;
    skipUnits(1);
    number = groupOfName(end);
  }
  if (!number || number > groupCount || !isNext(CLOSE)) return refusePattern();
  skipUnits(1);
  const yes = parseSequence();
  let no = newNode(NODE_EMPTY);
  if (isNext(BAR)) {
    skipUnits(1);
    no = parseSequence();
  }
  return closeGroup(newNode(NODE_CONDITION, number, yes, no));
}

/** `(?i)` and `(?-s)` for the rest of the group, `(?im:…)` for what is inside. */
function parseFlags(): u32 {
  const before = flags;
  let isOff = false;
  while (!atEnd()) {
    const code = peekUnit();
    skipUnits(1);
    if (code == CLOSE) {
      isRepeatable = false;
      return newNode(NODE_EMPTY);
    }
    if (code == COLON) {
      const inside = parseChoice();
      setFlags(before);
      return closeGroup(inside);
    }
    const flag = flagOf(code);
    if (code == MINUS) isOff = true;
    else if (flag) setFlags(isOff ? flags & ~flag : flags | flag);
    else break;
  }
  return refusePattern();
}

function flagOf(letter: u32): u32 {
  if (letter == 105) return FLAG_FOLDS;
  if (letter == 109) return FLAG_LINES;
  if (letter == 115) return FLAG_DOT_ALL;
  return letter == 120 ? FLAG_EXTENDED : 0;
}
