import {
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
} from '../abi';
import { Sheet } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { TEXT_HEADER, lengthOf, newText, setUnit, textFrom } from '../memory/text';
import { startOf } from './buffer';
import { homeColumn, homeRow, references, tokenAt, tokenCount } from './lexer';
import { RECORD_AREA, RECORD_BYTES, ReferenceRecord, TOKEN_REFERENCE, Token } from './token';

/** One reference as the host reads it (docs/kernel-abi.md). */
@unmanaged
class ListedReference {
  /** Offsets in the formula's text with its `=`; the sheet prefix is inside. */
  start: u32 = 0;
  end: u32 = 0;
  /** Text of the sheet's name (`First:Last` of a 3-D reference), or 0 without a prefix. */
  sheet: u32 = 0;
  row0: i32 = 0;
  column0: i32 = 0;
  row1: i32 = 0;
  column1: i32 = 0;
  /** REFERENCE_* of abi.ts. */
  flags: u32 = 0;
  spare0: u32 = 0;
  spare1: u32 = 0;
}

/** How many references listTextReferences found. */
export let listedCount: u32 = 0;

/**
 * Lists the references to cells and areas in the text that the lexer went over last; returns where
 * the records begin, in scratch. Names, tables, other files and deleted references are left out. /
 */
export function listTextReferences(): usize {
  listedCount = 0;
  const bytes = offsetof<ListedReference>();
  const list = scratch(tokenCount() * <u32>bytes);
  for (let index: u32 = 0; index < tokenCount(); index++) {
    const token = tokenAt(index);
    if (token.kind != TOKEN_REFERENCE) continue;
    const record = at<ReferenceRecord>(startOf(references) + <usize>token.value * RECORD_BYTES);
    if (record.kind != RECORD_AREA) continue;
    fill(at<ListedReference>(list + <usize>listedCount * bytes), token, record);
    listedCount++;
  }
  return list;
}

function fill(listed: ListedReference, token: Token, record: ReferenceRecord): void {
  const flags = <u32>record.flags;
  listed.start = token.offset + 1;
  listed.end = token.offset + token.length + 1;
  listed.sheet = record.sheet ? <u32>sheetText(record) : 0;
  listed.row0 = record.row0 + (flags & REFERENCE_ROW0_ABSOLUTE ? 0 : homeRow);
  listed.row1 = record.row1 + (flags & REFERENCE_ROW1_ABSOLUTE ? 0 : homeRow);
  listed.column0 = record.column0 + (flags & REFERENCE_COLUMN0_ABSOLUTE ? 0 : homeColumn);
  listed.column1 = record.column1 + (flags & REFERENCE_COLUMN1_ABSOLUTE ? 0 : homeColumn);
  listed.flags = flags;
  listed.spare0 = 0;
  listed.spare1 = 0;
}

function sheetText(record: ReferenceRecord): usize {
  const first = <usize>at<Sheet>(record.sheet).name;
  // A copy, because a sheet that is not there is forgotten with the text.
  if (!record.lastSheet) return textFrom(first + TEXT_HEADER, lengthOf(first));
  const last = <usize>at<Sheet>(record.lastSheet).name;
  const head = lengthOf(first);
  const tail = lengthOf(last);
  const text = newText(head + 1 + tail);
  memory.copy(text + TEXT_HEADER, first + TEXT_HEADER, (<usize>head) << 1);
  setUnit(text, head, 58);
  const rest = text + TEXT_HEADER + ((<usize>(head + 1)) << 1);
  memory.copy(rest, last + TEXT_HEADER, (<usize>tail) << 1);
  return text;
}
