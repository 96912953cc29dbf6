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
  too_many_sheets: 'delete a sheet first, or use another workbook',
  too_many_names: 'delete a name first',
  too_many_tables: 'use another workbook: tables cannot be deleted yet',
  table_overlap: 'choose cells that belong to no other table',
  bad_table: 'give a range with a header of texts, and one name for each of its columns',
  merge_overlap: 'remove the merged cells there first, or choose cells apart from them',
  record_not_found: 'GET the records for the ids there are',
  bad_id: 'leave the id out, or choose one that no record will be given',
  bad_rule: 'give the members that the type of the rule asks for',
  bad_link: 'give a web, mail or ftp address, or a place in the workbook',
  too_many_records: 'delete some first',
  validation_failed: 'write a value that the rule of the cell allows, or change the rule',
  protected: 'ask somebody it names, or its maker to lift it with protect.delete',
  bad_setting: 'GET the state for the settings there are',
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

  constructor(code: RejectionCode, message: string, atSequence?: number) {
    super(message);
    this.name = 'Rejection';
    this.code = code;
    this.atSequence = atSequence;
  }
}

export interface RejectionError {
  readonly code: RejectionCode;
  readonly message: string;
  readonly hint: string;
  /** Whether the same operation with the same id may be accepted later. */
  readonly retryable: boolean;
  readonly atSeq?: number;
}

export function rejectionError(rejection: Rejection): RejectionError {
  const { code, message, atSequence } = rejection;
  const error = { code, message, hint: rejections[code], retryable: false };
  return atSequence === undefined ? error : { ...error, atSeq: atSequence };
}
