import { suspended } from '../grid/sheet';
import { lengthOf, lowerUnit, unit } from '../memory/text';
import { pay } from '../vm/fuel';
import { widthAt } from './characters';

/**
 * Excel's wildcards: `?` is one character, `*` any run of units, `~` makes the next unit an
 * ordinary one and vanishes itself, at the end of the pattern too. Case does not matter.
 *
 * Matching keeps one point of return, the latest star: what an earlier star could still give, the
 * latest can give too. So the time is at most pattern × text, and near linear in practice.
 */
const ANY_ONE: i32 = -1;
const ANY_RUN: i32 = -2;
const NOTHING: i32 = -3;

const QUESTION: u32 = 63;
const STAR: u32 = 42;
const TILDE: u32 = 126;

/** Pattern place after the piece that pieceAt read last. */
export let nextPlace: u32 = 0;

/** The piece at a place of the pattern: a lower-case unit, or one of the constants. */
export function pieceAt(pattern: usize, place: u32): i32 {
  const code = unit(pattern, place);
  nextPlace = place + 1;
  if (code == STAR) return ANY_RUN;
  if (code == QUESTION) return ANY_ONE;
  if (code != TILDE) return <i32>lowerUnit(code);
  if (place + 1 >= lengthOf(pattern)) return NOTHING;
  nextPlace = place + 2;
  return <i32>lowerUnit(unit(pattern, place + 1));
}

/** Returns whether a pattern has wildcards or escapes, so that plain comparison would not do. */
export function hasWildcard(pattern: usize): bool {
  const length = lengthOf(pattern);
  for (let place: u32 = 0; place < length; place++) {
    const code = unit(pattern, place);
    if (code == STAR || code == QUESTION || code == TILDE) return true;
  }
  return false;
}

/** Returns whether the whole text matches the pattern. */
export function matchesWildcard(pattern: usize, text: usize): bool {
  return matchFrom(pattern, text, 0, true);
}

/**
 * The first place at or after `from` where the pattern matches a piece of the text (which may end
 * anywhere), or -1: what SEARCH looks for.
 */
export function findWildcard(pattern: usize, text: usize, from: u32): i32 {
  const length = lengthOf(text);
  for (let start = from; start <= length;) {
    if (matchFrom(pattern, text, start, false)) return <i32>start;
    // A star has looked at everything to the right already; a later start cannot do better.
    if (ranOut || suspended) return -1;
    start += start < length ? widthAt(text, start) : 1;
  }
  return -1;
}

/** True when the last failed match ended behind a star at the end of the text. */
let ranOut: bool = false;

/**
 * Cost of one piece of a pattern, in units of memory/work.ts, and the steps after which it is paid
 * for.
 */
const PIECE_UNITS: u32 = 4;
const PAID_STEPS: u32 = 65_536;

function settle(steps: u32, answer: bool): bool {
  pay(steps * PIECE_UNITS);
  return answer;
}

function matchFrom(pattern: usize, text: usize, start: u32, whole: bool): bool {
  const patternLength = lengthOf(pattern);
  const length = lengthOf(text);
  let place: u32 = 0;
  let index = start;
  let starPlace: u32 = 0;
  let starIndex: u32 = 0;
  let starred = false;
  ranOut = false;
  let steps: u32 = 0;
  while (true) {
    // A failed match costs up to pattern × text.
    if (++steps == PAID_STEPS) {
      if (!pay(PAID_STEPS * PIECE_UNITS)) return false;
      steps = 0;
    }
    if (place >= patternLength) {
      if (!whole || index == length) return settle(steps, true);
    } else {
      const piece = pieceAt(pattern, place);
      if (piece == ANY_RUN) {
        starred = true;
        place = starPlace = nextPlace;
        starIndex = index;
        continue;
      }
      if (piece == NOTHING) {
        place = nextPlace;
        continue;
      }
      if (index < length && (piece == ANY_ONE || piece == <i32>lowerUnit(unit(text, index)))) {
        place = nextPlace;
        index += piece == ANY_ONE ? widthAt(text, index) : 1;
        continue;
      }
    }
    if (!starred) return settle(steps, false);
    if (starIndex >= length) {
      ranOut = true;
      return settle(steps, false);
    }
    starIndex += widthAt(text, starIndex);
    index = starIndex;
    place = starPlace;
  }
}
