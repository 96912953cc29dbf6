import { TEMPLATE_BATCHED, TEMPLATE_NOT_BATCHED, Template, recordOf } from '../formula/template';
import {
  RECORD_AREA,
  RECORD_STRUCTURED,
  REFERENCE_TRIM_LEADING,
  REFERENCE_TRIM_TRAILING,
} from '../formula/token';
import { LAZY_IF } from '../functions/logical/lazy-modes';
import {
  OP_BINARY,
  OP_BINARY_SNAP,
  OP_BOOLEAN,
  OP_CALL,
  OP_CELL,
  OP_CONSTANT,
  OP_END,
  OP_FIXED,
  OP_IMPLICIT,
  OP_KEEP,
  OP_LAZY,
  OP_NAME,
  OP_NEGATE,
  OP_PERCENT,
  OP_PLUS,
  OP_REFERENCE,
} from '../vm/opcode';
import { isKnownFunction } from './call';

/**
 * Returns whether the batch interpreter supports everything in a template. The answer is stored as
 * a flag of the template.
 */
export function isForBatches(template: Template): bool {
  if (template.flags & TEMPLATE_BATCHED) return true;
  if (template.flags & TEMPLATE_NOT_BATCHED) return false;
  const isKnown = areReferencesKnown(template) && isCodeKnown(template);
  template.flags |= isKnown ? TEMPLATE_BATCHED : TEMPLATE_NOT_BATCHED;
  return isKnown;
}

/**
 * Returns whether every reference of a template can be placed for a batch of rows: it is an area or
 * a structured reference on one sheet, without trimming.
 */
export function areReferencesKnown(template: Template): bool {
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    const record = recordOf(template, index);
    const trims = <u32>record.flags & (REFERENCE_TRIM_LEADING | REFERENCE_TRIM_TRAILING);
    const isKnown = record.kind == RECORD_AREA || record.kind == RECORD_STRUCTURED;
    if (!isKnown || record.lastSheet || trims) return false;
  }
  return true;
}

/** The code of a lazy call's arguments comes after their offsets, so one walk meets all of it. */
function isCodeKnown(template: Template): bool {
  let place = <usize>template.code;
  const end = place + template.codeBytes;
  while (place < end) {
    const word = load<u32>(place);
    place += 4;
    switch (word & 255) {
      case OP_CALL:
        if (!isKnownFunction(load<u32>(place))) return false;
        place += 4;
        break;
      case OP_NAME:
      case OP_FIXED:
        place += 4;
        break;
      case OP_LAZY:
        if (load<u32>(place) != LAZY_IF) return false;
        place += 8 + ((<usize>(word >> 8)) << 2);
        break;
      case OP_END:
      case OP_CONSTANT:
      case OP_BOOLEAN:
      case OP_CELL:
      case OP_REFERENCE:
      case OP_BINARY:
      case OP_BINARY_SNAP:
      case OP_NEGATE:
      case OP_PERCENT:
      case OP_PLUS:
      case OP_IMPLICIT:
      case OP_KEEP:
        break;
      default:
        return false;
    }
  }
  return true;
}
