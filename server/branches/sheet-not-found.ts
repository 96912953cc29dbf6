import { Failure } from '../model/failure.ts';

const namedMost = 20;

/** Failure for an unknown sheet, or, without a name, for a workbook without sheets. */
export function sheetNotFound(
  name: string | undefined,
  sheets: readonly { readonly name: string }[],
  pointer?: string,
): Failure {
  const names = sheets.slice(0, namedMost).map((sheet) => sheet.name);
  return new Failure('sheetNotFound', {
    detail:
      name === undefined
        ? 'The workbook has no sheets at this position.'
        : `There is no sheet called ${name}.`,
    hint: names.length > 0 ? `Its sheets are: ${names.join(', ')}.` : 'Add one with sheet.add.',
    ...(pointer !== undefined && {
      errors: [{ pointer, code: 'sheet_not_found', message: 'no sheet has this name' }],
    }),
  });
}
