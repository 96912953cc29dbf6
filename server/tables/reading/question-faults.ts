import { Failure } from '../../model/failure.ts';
import { suggest } from '../../model/schema/suggest.ts';

/** Functions that answer otherwise each time, or that read beyond their row. */
export const volatileFunctions: ReadonlySet<string> = new Set(
  'NOW TODAY RAND RANDBETWEEN RANDARRAY OFFSET INDIRECT INFO CELL SUBTOTAL AGGREGATE'.split(' '),
);

/** A formula that may not be asked of rows; `at` is the character of it, from 1. */
export function unasked(message: string, at?: number): Failure {
  const place = at === undefined ? '' : `, at character ${at}`;
  return new Failure('invalidRequest', {
    detail: `?where: ${message}${place}.`,
    hint: 'Write a formula over the row, such as AND([@Price]>10,[@Region]="North").',
    errors: [{ pointer: '?where', code: 'bad_formula', message: `${message}${place}.` }],
  });
}

/** A formula that is asked of all rows and takes too long. */
export function tooCostly(seconds: number): Failure {
  const message = `The question takes longer than ${seconds} seconds`;
  return new Failure('invalidRequest', {
    detail: `?where: ${message}.`,
    hint: 'Ask less of each row: [@Price] is its value, [Price] are all of the column. Or keep the answer in a calculated column and ask for that.',
    errors: [{ pointer: '?where', code: 'too_costly', message: `${message}.` }],
  });
}

export function columnNotFound(
  name: string,
  { names, pointer }: { names: readonly string[]; pointer: string },
): Failure {
  const meant = suggest(name, names);
  const message = `The table has no column ${name.slice(0, 100)}.`;
  return new Failure('tableRefused', {
    detail: message,
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}Its columns are: ${names.slice(0, 20).join(', ')}.`,
    errors: [{ pointer, code: 'column_not_found', message }],
  });
}
