/** Classes of characters by XML 1.0 (fifth edition) and Namespaces in XML 1.0. */
export function isSpace(code: u32): bool {
  return code == 32 || code == 10 || code == 9 || code == 13;
}

const NAME_STARTS: StaticArray<u32> = [
  0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x2ff, 0x370, 0x37d, 0x37f, 0x1fff, 0x200c, 0x200d, 0x2070, 0x218f,
  0x2c00, 0x2fef, 0x3001, 0xd7ff, 0xf900, 0xfdcf, 0xfdf0, 0xfffd, 0x10000, 0xeffff,
];

function isNameStart(code: u32): bool {
  if (code < 128) return (code | 32) - 97 < 26 || code == 95;
  for (let index = 0; index < NAME_STARTS.length; index += 2) {
    if (code < unchecked(NAME_STARTS[index])) return false;
    if (code <= unchecked(NAME_STARTS[index + 1])) return true;
  }
  return false;
}

function isNameCode(code: u32): bool {
  if (isNameStart(code) || code - 48 < 10 || code == 45 || code == 46 || code == 0xb7) return true;
  return code - 0x300 <= 0x6f || code - 0x203f < 2;
}

/** Returns whether a code point may be in a document at all. */
export function isCharacter(code: u32): bool {
  if (code < 32) return isSpace(code);
  return code - 0xd800 >= 0x800 && code != 0xfffe && code != 0xffff && code < 0x110000;
}

export function isHighSurrogate(code: u32): bool {
  return code >> 10 == 0x36;
}

export function isLowSurrogate(code: u32): bool {
  return code >> 10 == 0x37;
}

/** Bytes of the character at a place; a surrogate without its other half is one character. */
export function widthAt(place: usize, end: usize): usize {
  if (place + 2 >= end || !isHighSurrogate(load<u16>(place))) return 2;
  return isLowSurrogate(load<u16>(place, 2)) ? 4 : 2;
}

export function characterAt(place: usize, end: usize): u32 {
  const code = <u32>load<u16>(place);
  if (widthAt(place, end) == 2) return code;
  return 0x10000 + ((code & 0x3ff) << 10) + (load<u16>(place, 2) & 0x3ff);
}

/** Where the name without a colon ends that begins at a place; the place itself if none does. */
export function endOfName(start: usize, end: usize): usize {
  if (start >= end || !isNameStart(characterAt(start, end))) return start;
  let place = start;
  while (place < end && isNameCode(characterAt(place, end))) place += widthAt(place, end);
  return place;
}

/** Returns whether units are those of a constant. */
export function isConstant(units: usize, length: u32, constant: string): bool {
  if (length != constant.length) return false;
  for (let index: u32 = 0; index < length; index++) {
    if (load<u16>(units + ((<usize>index) << 1)) != constant.charCodeAt(index)) return false;
  }
  return true;
}
