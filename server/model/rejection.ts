import { asSentence } from './sentence.ts';

/** Reasons for which one operation was not applied, while its neighbours may have been. */
export const rejections = {
  sheet_not_found: 'GET the state for the sheets there are.',
  target_deleted: 'What it wrote to was deleted after baseSeq: read again and decide anew.',
  precondition_failed: 'Read the cell again and decide anew.',
  conflict: 'Someone changed the same cells after baseSeq: read again and decide anew.',
  bad_range: 'Write ranges as A1, B2:C4, A:C, 2:7 or Plan!B2:C4.',
  bad_formula: 'Correct the formula. In a cell, an apostrophe before the = keeps it as text.',
  bad_number_format: 'Write number formats as Excel does, such as 0.00 or yyyy-mm-dd.',
  shape_mismatch: 'Give as many rows and columns of inputs as the range has.',
  text_too_long: 'A cell holds at most 32767 characters.',
  range_too_large: 'Split the operation.',
  position_missing: 'Give exactly one of the positions that the kind describes.',
  outside_grid: 'A sheet has 1048576 rows and 16384 columns.',
  grid_full: 'Clear the last rows or columns first: they would be pushed off the sheet.',
  name_taken: 'Choose another name.',
  bad_name: 'Choose another name.',
  name_not_found: 'GET the state for the names there are.',
  last_sheet: 'Add another sheet first: a workbook keeps at least one.',
  last_visible_sheet: 'Show or add another sheet first: one stays visible.',
  value_missing: 'Give at least one of the values that the kind describes.',
  style_not_found:
    'GET the formats for the named styles there are, or define it with style.define.',
  bad_style: 'Define another style: Normal is below all others and cannot be deleted.',
  too_many_styles: 'Delete a named style, or use looks that other cells have already.',
  too_many_cells:
    'Clear cells, or claim this identity for the plan of a person: POST /agent/auth/claim {"claim_token","email"}. GET /v1/account/usage says what is used.',
  workbook_too_large: 'Clear or delete what is not needed, or use another workbook.',
  too_many_sheets: 'Delete a sheet first, or use another workbook.',
  too_many_names: 'Delete a name first.',
  too_many_tables: 'Drop a table first, or use another workbook.',
  table_overlap: 'Choose cells that belong to no other table.',
  bad_table:
    'Correct what the message names: a table has a header of texts, each the name of one column.',
  table_not_found: 'GET the state for the tables there are.',
  column_not_found: 'GET the state for the columns that the table has.',
  key_needed: 'The operation table.key.change names the column whose values tell the rows apart.',
  key_not_found: 'Read the rows again, or send onMissing: ignore.',
  row_invalid: 'Correct the rows that the message names, then send it again.',
  no_room: 'Move what lies beside or below the table, or give the table a sheet of its own.',
  merge_overlap: 'Remove the merged cells there first, or choose cells apart from them.',
  array_part:
    'Write, clear or move all cells of the array, or set its first cell with the same array range.',
  record_not_found: 'GET the records for the ids there are.',
  bad_id: 'Leave the id out, or choose one that no record will be given.',
  bad_rule: 'Give the members that the type of the rule asks for.',
  bad_link: 'Give a web, mail or ftp address, or a place in the workbook.',
  too_many_records: 'Delete some first.',
  validation_failed: 'Write a value that the rule of the cell allows, or change the rule.',
  protected: 'Ask somebody it names, or its maker to lift it with protect.delete.',
  bad_setting: 'GET the state for the settings there are.',
  wrong_branch: 'PUT settings changes the policy; other operations go to another branch.',
  bad_target: 'Name a target that fits: the message says which do.',
  bad_series: 'Continue numbers by linear or growth, dates by date, and anything by copy.',
  bad_order: 'Name rows of the range, each once, or give keys.',
  copy_needs_values: 'Read the slice with lens value and write it with range.set.',
  sort_needs_values: 'Read the slice, sort its rows, and send their numbers as order.',
  table_in_the_way: 'Take the whole width or height of the table, or whole rows or columns.',
  operation_not_found: 'GET the operations of the branch for the sequences and groups there are.',
  not_an_undo:
    'The operation redo takes back an undo, a redo or a revert; undo takes back any operation.',
  nothing_to_undo: 'Others changed all of it since: look at it and write what you want instead.',
  no_own_change: 'Name a sequence, or write under the name that the change was written under.',
  cannot_undo: 'Name sequences of this branch: revert {of: {from, through}}.',
  base_too_old: 'Read the state again and send the operation with its head as baseSeq.',
  id_too_old: 'Make a new id: repeats are recognised for 30 days.',
  id_reused: 'Make an id for each operation: this one stands twice in the submission.',
  not_applied: 'Another operation of the submission was rejected, so none was applied.',
} as const;

export type RejectionCode = keyof typeof rejections;

/** A limit that an operation would go beyond, in numbers. */
export interface RejectedGrowth {
  readonly limit: 'cells' | 'workbookBytes';
  readonly used: number;
  readonly max: number;
  /** How much of `used` the branch has gained that was to be written to. */
  readonly usedHere: number;
}

/** The rejection of one operation; admission throws it to itself and returns it as a result. */
export class Rejection extends Error {
  readonly code: RejectionCode;
  /** Sequence of the conflicting change, if there is one. */
  readonly atSequence: number | undefined;
  /** JSON pointer into the payload, when one part of it is at fault. */
  readonly pointer: string | undefined;
  /** The next step, where the one of its code does not fit. */
  hint: string | undefined;
  /** The limit, where one is the reason. */
  growth: RejectedGrowth | undefined;

  constructor(code: RejectionCode, message: string, atSequence?: number, pointer?: string) {
    super(message);
    this.name = 'Rejection';
    this.code = code;
    this.atSequence = atSequence;
    this.pointer = pointer;
  }

  advise(hint: string): this {
    this.hint = hint;
    return this;
  }
}

/** The rejection of an operation that would go beyond a limit. */
export function grownBeyond(
  code: 'too_many_cells' | 'workbook_too_large',
  message: string,
  growth: RejectedGrowth,
): Rejection {
  const rejection = new Rejection(code, message);
  rejection.growth = growth;
  return rejection;
}

/** Adds to a rejection the part of the payload it concerns; returns any other error unchanged. */
export function pointedError(error: unknown, pointer: string): unknown {
  if (!(error instanceof Rejection) || error.pointer !== undefined) return error;
  const pointed = new Rejection(error.code, error.message, error.atSequence, pointer);
  return error.hint === undefined ? pointed : pointed.advise(error.hint);
}

export interface RejectionError extends Partial<RejectedGrowth> {
  readonly code: RejectionCode;
  readonly message: string;
  readonly hint: string;
  /** True when the same operation with the same id may be accepted later. */
  readonly retryable: boolean;
  readonly atSeq?: number;
  /** Into the payload of the operation. */
  readonly pointer?: string;
}

export function rejectionError(rejection: Rejection): RejectionError {
  const { code, message, atSequence, pointer, hint, growth } = rejection;
  return {
    code,
    message: asSentence(message),
    hint: hint ?? rejections[code],
    // The rejection is not stored, so the same operation is judged again.
    retryable: code === 'not_applied',
    ...(atSequence !== undefined && { atSeq: atSequence }),
    ...(pointer !== undefined && { pointer }),
    ...growth,
  };
}
