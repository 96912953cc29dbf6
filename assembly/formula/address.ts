import { KIND_REFERENCE } from '../abi';
import { forgetMissing, missingCount } from '../grid/model';
import { findName, findTable } from '../grid/name';
import { TEXT_HEADER, lengthOf, textFrom } from '../memory/text';
import { formulaColumn, formulaRow, formulaSheet } from '../vm/context';
import { valueOfName } from '../vm/name';
import { pushRecord, pushSpilled } from '../vm/record';
import { pushTablePart } from '../vm/record-table';
import { isSpan } from '../vm/reference';
import { kindOf, wordOf } from '../vm/slot';
import { startOf } from './buffer';
import {
  NOTATION_A1,
  NOTATION_R1C1,
  lex,
  openLexer,
  references,
  setHome,
  setNotation,
  tokenAt,
  tokenCount,
} from './lexer';
import { dropWords } from './record-text';
import { OPERATOR_SPILL, TABLE_DATA, TOKEN_NAME, TOKEN_OPERATOR, TOKEN_REFERENCE } from './token';

/**
 * Reads the reference that a text names, for INDIRECT: an address in A1 or R1C1 notation with or
 * without a sheet, a part of a table, a spilled range, or a name. It is put into the slot; returns
 * false if the text is none of these, or means several sheets, which INDIRECT does not allow. The
 * lists of the lexer are used, so no compilation may be under way.
 */
export function parseAddress(text: usize, isA1: bool, slot: usize): bool {
  openLexer();
  setHome(<i32>formulaRow, <i32>formulaColumn);
  setNotation(isA1 ? NOTATION_A1 : NOTATION_R1C1);
  const missing = missingCount();
  const isLexed = lex(text + TEXT_HEADER, lengthOf(text));
  setNotation(NOTATION_A1);
  const isReference = isLexed && pushAddress(slot) && !isSpan(wordOf(slot));
  dropWords();
  // A missing sheet is no reference, so nothing needs its record.
  forgetMissing(missing);
  return isReference;
}

function pushAddress(slot: usize): bool {
  if (tokenCount() < 2) return false;
  const token = tokenAt(0);
  if (token.kind == TOKEN_REFERENCE) pushRecord(startOf(references), token.value, slot);
  else if (token.kind == TOKEN_NAME) {
    const word = textFrom(token.value, token.length);
    const name = findName(word, formulaSheet);
    const table: usize = name ? 0 : findTable(word);
    if (name) valueOfName(name, slot);
    else if (table) pushTablePart(table, TABLE_DATA, slot);
    else return false;
  } else return false;
  if (tokenCount() == 3 && tokenAt(1).kind == TOKEN_OPERATOR) {
    if (tokenAt(1).value != OPERATOR_SPILL || kindOf(slot) != KIND_REFERENCE) return false;
    pushSpilled(slot);
  } else if (tokenCount() != 2) return false;
  return kindOf(slot) == KIND_REFERENCE;
}
