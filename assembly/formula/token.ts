// Kinds of token and of reference record, and the marks inside a template's source text.

export const TOKEN_END: u32 = 0;
/** A literal held in a constant slot; value = slot number. */
export const TOKEN_CONSTANT: u32 = 1;
/** TRUE or FALSE; value = 0 or 1. */
export const TOKEN_BOOLEAN: u32 = 2;
/** An error literal; value = its number. */
export const TOKEN_ERROR: u32 = 3;
/** A cell or area; value = reference record number. */
export const TOKEN_REFERENCE: u32 = 4;
/** A defined name or a local one; value = address of its units, length beside it. */
export const TOKEN_NAME: u32 = 5;
/** A name directly before `(`. */
export const TOKEN_FUNCTION: u32 = 6;
/** An operator or punctuation; value = its code below. */
export const TOKEN_OPERATOR: u32 = 7;

export const OPERATOR_ADD: u32 = 1;
export const OPERATOR_SUBTRACT: u32 = 2;
export const OPERATOR_MULTIPLY: u32 = 3;
export const OPERATOR_DIVIDE: u32 = 4;
export const OPERATOR_POWER: u32 = 5;
export const OPERATOR_CONCATENATE: u32 = 6;
export const OPERATOR_EQUAL: u32 = 7;
export const OPERATOR_NOT_EQUAL: u32 = 8;
export const OPERATOR_LESS: u32 = 9;
export const OPERATOR_LESS_EQUAL: u32 = 10;
export const OPERATOR_GREATER: u32 = 11;
export const OPERATOR_GREATER_EQUAL: u32 = 12;
export const OPERATOR_PERCENT: u32 = 13;
export const OPERATOR_COMMA: u32 = 14;
export const OPERATOR_SEMICOLON: u32 = 15;
export const OPERATOR_OPEN: u32 = 16;
export const OPERATOR_CLOSE: u32 = 17;
export const OPERATOR_OPEN_BRACE: u32 = 18;
export const OPERATOR_CLOSE_BRACE: u32 = 19;
export const OPERATOR_RANGE: u32 = 20;
export const OPERATOR_AT: u32 = 21;
export const OPERATOR_SPILL: u32 = 22;

// Reference records: kinds.
export const RECORD_AREA: u32 = 1;
/** A reference that was deleted, or that an error literal #REF! stands in for. */
export const RECORD_DELETED: u32 = 2;
/** Part of a table; resolved against the table's present place. */
export const RECORD_STRUCTURED: u32 = 3;
/** A reference into another file, which is never followed. */
export const RECORD_EXTERNAL: u32 = 4;

/** A defined name asked for on a certain sheet; its text is in columnName0. */
export const RECORD_NAME: u32 = 5;

// Reference flags beyond those of abi.ts.
/** `A1.:B9` drops leading blank rows and columns, `A1:.B9` trailing ones. */
export const REFERENCE_TRIM_LEADING: u32 = 128;
export const REFERENCE_TRIM_TRAILING: u32 = 256;
/**
 * Set in references of a defined name: an offset that leaves the grid goes on at its other edge.
 */
export const REFERENCE_WRAPS: u32 = 512;

// Parts of a table that a structured reference names.
export const TABLE_ALL: u32 = 1;
export const TABLE_DATA: u32 = 2;
export const TABLE_HEADERS: u32 = 4;
export const TABLE_TOTALS: u32 = 8;
export const TABLE_THIS_ROW: u32 = 16;

/** In source text: the next unit is the number of a reference record. */
export const MARK_REFERENCE: u32 = 0xf8f0;
/** In source text: the next unit is the number of a constant. */
export const MARK_CONSTANT: u32 = 0xf8f1;
/** In source text: begins and ends a name that stored texts have in quotes. */
export const MARK_NAME: u32 = 0xf8f2;

/** Returns whether a unit is one of the marks, which a formula may have only inside quotes. */
export function isMark(code: u32): bool {
  return code >= MARK_REFERENCE && code <= MARK_NAME;
}

/** One token in the token list. */
@unmanaged
export class Token {
  kind: u8 = 0;
  /** White space stood before it, which between two references means intersection. */
  spaceBefore: bool = false;
  length: u16 = 0;
  value: u32 = 0;
  /** Offset in the formula's text, for messages. */
  offset: u32 = 0;
}

/** One reference of a template; rows and columns are offsets from the cell unless absolute. */
@unmanaged
export class ReferenceRecord {
  kind: u16 = 0;
  flags: u16 = 0;
  /** 0 for the formula's own sheet. */
  sheet: u32 = 0;
  /** Last sheet of a 3-D reference, or 0. */
  lastSheet: u32 = 0;
  row0: i32 = 0;
  column0: i32 = 0;
  row1: i32 = 0;
  column1: i32 = 0;
  /** Structured: the table's name as interned text (0 = the table around the cell). */
  table: u32 = 0;
  /** Structured: the TABLE_* parts named. */
  parts: u32 = 0;
  /** Structured: first and last column as interned texts (0 = all columns). */
  columnName0: u32 = 0;
  columnName1: u32 = 0;
}

export const RECORD_BYTES: u32 = <u32>offsetof<ReferenceRecord>();
export const TOKEN_BYTES: u32 = <u32>offsetof<Token>();
