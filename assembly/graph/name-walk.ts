import { bytesIn, newBuffer, pushWord } from '../formula/buffer';
import { Template } from '../formula/template';
import { scratch } from '../memory/scratch';
import { OP_ARRAY, OP_CALL, OP_FIXED, OP_LAMBDA, OP_LAZY, OP_NAME } from '../vm/opcode';

/** Lambdas nested in a formula (formula/scope.ts), two words each. */
const DEPTH_LIMIT: u32 = 66;

/**
 * Returns the defined names in a template's code, as a buffer of addresses in scratch memory.
 * Instructions have operand words, so the code is walked from its start; the captures of a lambda,
 * after its body, are data and skipped.
 */
export function namesIn(template: Template): usize {
  const names = newBuffer(64);
  const regions = scratch(DEPTH_LIMIT << 3);
  let depth: u32 = 0;
  const start = <usize>template.code;
  const end = start + template.codeBytes;
  let place = start;
  while (place < end) {
    const region = regions + ((<usize>(depth - 1)) << 3);
    if (depth && place == start + ((<usize>load<u32>(region)) << 2)) {
      place = start + ((<usize>load<u32>(region, 4)) << 2);
      depth--;
      continue;
    }
    const word = load<u32>(place);
    place += 4;
    switch (word & 255) {
      case OP_NAME:
        pushWord(names, load<u32>(place));
        place += 4;
        break;
      case OP_CALL:
      case OP_FIXED:
        place += 4;
        break;
      case OP_ARRAY:
        place += 8;
        break;
      case OP_LAZY:
        place += 8 + ((<usize>(word >> 8)) << 2);
        break;
      case OP_LAMBDA:
        if (depth < DEPTH_LIMIT) {
          store<u64>(regions + ((<usize>depth) << 3), load<u64>(place, 8));
          depth++;
        }
        place += 16;
        break;
    }
  }
  return names;
}

export function nameCount(names: usize): u32 {
  return bytesIn(names) >> 2;
}
