/** Why one operation was not applied while its neighbours may have been. */
export const rejections = {
  sheet_not_found: 'GET the state for the sheets there are',
  target_deleted: 'what it wrote to was deleted after baseSeq: read again and decide anew',
  precondition_failed: 'read the cell again and decide anew',
  conflict: 'someone changed the same cells after baseSeq: read again and decide anew',
  bad_range: 'write ranges as A1, B2:C4, A:C, 2:7 or Plan!B2:C4',
  bad_formula: 'correct the formula, or send raw: true to keep it as text',
  bad_number_format: 'write number formats as Excel does, such as 0.00 or yyyy-mm-dd',
  shape_mismatch: 'give as many rows and columns of inputs as the range has',
  text_too_long: 'a cell holds at most 32767 characters',
  range_too_large: 'split the operation',
  position_missing: 'give exactly one of the positions that the kind describes',
  outside_grid: 'a sheet has 1048576 rows and 16384 columns',
  grid_full: 'clear the last rows or columns first: they would be pushed off the sheet',
  name_taken: 'choose another name',
  bad_name: 'choose another name',
  name_not_found: 'GET the state for the names there are',
  last_sheet: 'add another sheet first: a workbook keeps at least one',
  last_visible_sheet: 'show or add another sheet first: one stays visible',
  value_missing: 'give at least one of the values that the kind describes',
  style_not_found: 'GET the formats for the named styles there are, or define it with style.define',
  bad_style: 'define another style: Normal is below all others and cannot be deleted',
  too_many_styles: 'delete a named style, or use looks that other cells have already',
  too_many_sheets: 'delete a sheet first, or use another workbook',
  too_many_names: 'delete a name first',
  too_many_tables: 'drop a table first, or use another workbook',
  table_overlap: 'choose cells that belong to no other table',
  bad_table: 'give a range with a header of texts, and one name for each of its columns',
  table_not_found: 'GET the state for the tables there are',
  column_not_found: 'GET the state for the columns that the table has',
  key_needed: 'table.key.change names the column whose values tell the rows apart',
  key_not_found: 'read the rows again, or send onMissing: ignore',
  row_invalid: 'correct what pointer names, or send onInvalid: skip to leave such rows out',
  no_room: 'move what lies beside or below the table, or give the table a sheet of its own',
  merge_overlap: 'remove the merged cells there first, or choose cells apart from them',
  record_not_found: 'GET the records for the ids there are',
  bad_id: 'leave the id out, or choose one that no record will be given',
  bad_rule: 'give the members that the type of the rule asks for',
  bad_link: 'give a web, mail or ftp address, or a place in the workbook',
  too_many_records: 'delete some first',
  validation_failed: 'write a value that the rule of the cell allows, or change the rule',
  protected: 'ask somebody it names, or its maker to lift it with protect.delete',
  bad_setting: 'GET the state for the settings there are',
  wrong_branch: 'PUT settings changes the policy; other operations go to another branch',
  bad_target: 'name a target that fits: the message says which do',
  bad_series: 'continue numbers by linear or growth, dates by date, and anything by copy',
  bad_order: 'name rows of the range, each once, or give keys',
  copy_needs_values: 'read the slice with lens value and write it with range.set',
  sort_needs_values: 'read the slice, sort its rows, and send their numbers as order',
  table_in_the_way: 'take the whole width or height of the table, or whole rows or columns',
  operation_not_found: 'GET the operations of the branch for the sequences and groups there are',
  not_an_undo: 'redo takes back an undo, a redo or a revert; undo takes back any operation',
  nothing_to_undo: 'others changed all of it since: look at it and write what you want instead',
  cannot_undo: 'name sequences of this branch: revert {of: {from, through}}',
  base_too_old: 'read the state again and send the operation with its head as baseSeq',
  id_too_old: 'make a new id: repeats are recognised for 30 days',
  id_reused: 'make an id for each operation: this one stands twice in the submission',
  not_applied: 'another operation of the submission was rejected, so none was applied',
} as const;

export type RejectionCode = keyof typeof rejections;

/** The rejection of one operation; admission throws it to itself and returns it as a result. */
export class Rejection extends Error {
  readonly code: RejectionCode;
  /** Position of the change that stands in the way, when it is one. */
  readonly atSequence: number | undefined;
  /** JSON pointer into the payload, when one part of it is at fault. */
  readonly pointer: string | undefined;

  constructor(code: RejectionCode, message: string, atSequence?: number, pointer?: string) {
    super(message);
    this.name = 'Rejection';
    this.code = code;
    this.atSequence = atSequence;
    this.pointer = pointer;
  }
}

export interface RejectionError {
  readonly code: RejectionCode;
  readonly message: string;
  readonly hint: string;
  /** Whether the same operation with the same id may be accepted later. */
  readonly retryable: boolean;
  readonly atSeq?: number;
  /** Into the payload of the operation. */
  readonly pointer?: string;
}

export function rejectionError(rejection: Rejection): RejectionError {
  const { code, message, atSequence, pointer } = rejection;
  return {
    code,
    message,
    hint: rejections[code],
    retryable: false,
    ...(atSequence !== undefined && { atSeq: atSequence }),
    ...(pointer !== undefined && { pointer }),
  };
}
