import { atEnd, isNext, peekUnit, place, refusePattern, skipUnits } from './reader';
import { addProperty } from './set';

/** `\p{Lu}` and its like: characters by their general category. Scripts have no names here. */

/** Two letters for each category, in the order of categoryOf. */
const CATEGORY_NAMES: string = 'LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn';

const ALL: u32 = 0x3fffffff;
const CASED_LETTERS: u32 = 0b111;
const LETTERS: u32 = 0b11111;
const NUMBERS: u32 = 0b111 << 8;
/** Non-spacing marks and connectors, such as the low line, belong to words too. */
const INSIDE_WORDS: u32 = (1 << 5) | (1 << 11);

const OPEN_BRACE: u32 = 123;
const CLOSE_BRACE: u32 = 125;
const CARET: u32 = 94;
const NAME_LENGTH_LIMIT: u32 = 3;

/** The latest name: up to three letters, small, the first one uppermost; 0 for none. */
let name: u32 = 0;

/** Adds the property that stands behind `\p` or, turned round, `\P` to a set. */
export function addNamedProperty(set: usize, isTurned: bool): void {
  if (isNext(OPEN_BRACE)) {
    skipUnits(1);
    if (isNext(CARET)) {
      skipUnits(1);
      isTurned = !isTurned;
    }
    readName(CLOSE_BRACE);
  } else readLetter();
  const categories = categoriesNamed();
  if (categories == 0) refusePattern();
  else addProperty(set, categories, isTurned);
}

function readLetter(): void {
  name = (peekUnit() | 32) & 0x7f;
  if (peekUnit() > 0x7f || atEnd()) name = 0;
  skipUnits(1);
}

/** Spaces, low lines and hyphens between the letters of a name count for nothing. */
function readName(end: u32): void {
  const start = place;
  name = 0;
  let length: u32 = 0;
  while (!atEnd() && !isNext(end)) {
    const code = peekUnit();
    skipUnits(1);
    if (code == 32 || code == 45 || code == 95) continue;
    // An ampersand has the bit of small letters already.
    name = (name << 8) | (code | 32);
    if (code > 0x7f || ++length > NAME_LENGTH_LIMIT) refusePattern();
  }
  if (place == start || !isNext(end)) refusePattern();
  skipUnits(1);
}

function small(index: i32): u32 {
  return <u32>CATEGORY_NAMES.charCodeAt(index) | 32;
}

/** A bit for each category that the latest name stands for; 0 if it is none. */
function categoriesNamed(): u32 {
  switch (name) {
    // l&
    case 0x6c26:
      return CASED_LETTERS;
    // any
    case 0x616e79:
      return ALL;
    // xan
    case 0x78616e:
      return LETTERS | NUMBERS;
    // xwd
    case 0x787764:
      return LETTERS | NUMBERS | INSIDE_WORDS;
    default:
      return categoriesSpelled();
  }
}

function categoriesSpelled(): u32 {
  let categories: u32 = 0;
  for (let index = 0; index < CATEGORY_NAMES.length; index += 2) {
    const group = small(index);
    if (name == group || name == ((group << 8) | small(index + 1))) categories |= 1 << (index >> 1);
  }
  return categories;
}
