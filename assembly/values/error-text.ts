import { textOf } from '../memory/text';

const ERROR_NAMES: StaticArray<string> = [
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
  '#GETTING_DATA',
  '#SPILL!',
  '#CALC!',
  '#FIELD!',
  '#BLOCKED!',
  '#CIRC!',
];

/** An error as Excel writes it, by its number in abi.ts. */
export function errorText(code: u32): usize {
  return textOf(unchecked(ERROR_NAMES[min(code, 12)]));
}

/** The number of the error these units spell (without regard to case), or -1. */
export function errorNumber(units: usize, length: u32): i32 {
  for (let code = 0; code < 13; code++) {
    const name = unchecked(ERROR_NAMES[code]);
    if (<u32>name.length != length) continue;
    let index: u32 = 0;
    while (index < length) {
      let unit = <u32>load<u16>(units + ((<usize>index) << 1));
      if (unit - 97 < 26) unit -= 32;
      if (unit != <u32>name.charCodeAt(index)) break;
      index++;
    }
    if (index == length) return code;
  }
  return -1;
}
