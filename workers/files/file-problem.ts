export type FileProblemCode =
  | 'file_not_xlsx'
  | 'file_not_csv'
  | 'file_encrypted'
  | 'file_too_large'
  | 'file_broken';

/** A file that cannot be imported, with what is wrong and what its sender can do next. */
export class FileProblem extends Error {
  readonly code: FileProblemCode;
  readonly hint: string;

  constructor(code: FileProblemCode, message: string, hint: string) {
    super(message);
    this.name = 'FileProblem';
    this.code = code;
    this.hint = hint;
  }
}

/**
 * Returns the problem of a file that breaks its own format; `where` names the part and the fault.
 */
export function brokenFile(where: string): FileProblem {
  return new FileProblem(
    'file_broken',
    `The file is damaged: ${where}.`,
    'Open it in a spreadsheet program, save it again as .xlsx and import that file.',
  );
}

/**
 * Returns the problem of a valid file that is too large; `limit` names the limit and its number.
 */
export function tooLargeFile(limit: string): FileProblem {
  return new FileProblem(
    'file_too_large',
    `The file is too large to import: ${limit}.`,
    'Split the workbook into several files, or delete the sheets you do not need, and try again.',
  );
}
