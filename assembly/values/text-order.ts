import { lengthOf, lowerUnit, unit } from '../memory/text';
import { noteWork } from '../memory/work';

/** The signs of ASCII, in the order that help on sorting lists them. */
const SIGNS: string = '\'- !"#$%&()*,./:;?@[\\]^_`{|}~+<=>';

/** The letters without their accents of U+00C0 to U+017F, 32 a line; two signs are among them. */
const BASES: StaticArray<string> = [
  'aaaaaaaceeeeiiiidnooooo×ouuuuyts',
  'aaaaaaaceeeeiiiidnooooo÷ouuuuyty',
  'aaaaaaccccccccddddeeeeeeeeeegggg',
  'gggghhhhiiiiiiiiiiiijjkkklllllll',
  'lllnnnnnnnnnoooooooorrrrrrssssss',
  'ssttttttuuuuuuuuuuuuwwyyyzzzzzzs',
];
const FIRST_ACCENTED: u32 = 0xc0;

/** Digits and letters are this much further than their units, behind all signs. */
const LETTERS: i32 = 0x3000;

/** The place of a unit in lower case: signs, digits, letters, whatever accents they carry. */
function placeOf(code: u32): i32 {
  if (code - 97 < 26 || code - 48 < 10) return LETTERS + <i32>code;
  if (code < 128) return placeOfSign(code);
  const row = (code - FIRST_ACCENTED) >> 5;
  if (row < <u32>BASES.length) {
    const base = BASES[row].charCodeAt((code - FIRST_ACCENTED) & 31);
    return base < 128 ? LETTERS + base : base;
  }
  const isSign = code < FIRST_ACCENTED || code - 0x2000 < 0xc00;
  return isSign ? <i32>code : LETTERS + <i32>code;
}

function placeOfSign(code: u32): i32 {
  let place = SIGNS.length - 1;
  while (place >= 0 && <u32>SIGNS.charCodeAt(place) != code) place--;
  return place;
}

/**
 * Order of two texts, as Excel compares and sorts them in en-US: without regard to case, and by
 * accents only where nothing else tells them apart. Negative, 0 (equalTexts) or positive.
 */
export function compareTexts(left: usize, right: usize): i32 {
  if (left == right) return 0;
  const leftLength = lengthOf(left);
  const rightLength = lengthOf(right);
  const shared = min(leftLength, rightLength);
  noteWork(shared);
  let accent = 0;
  for (let index: u32 = 0; index < shared; index++) {
    let a = unit(left, index);
    let b = unit(right, index);
    if (a == b) continue;
    a = lowerUnit(a);
    b = lowerUnit(b);
    if (a == b) continue;
    const gap = placeOf(a) - placeOf(b);
    if (gap != 0) return gap;
    if (accent == 0) accent = <i32>a - <i32>b;
  }
  return leftLength == rightLength ? accent : <i32>leftLength - <i32>rightLength;
}
