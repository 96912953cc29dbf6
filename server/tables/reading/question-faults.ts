import { Failure } from '../../model/failure.ts';
import { suggest } from '../../model/schema/suggest.ts';
import { columnForms, namesInFormula, type NamePlace } from '../../state/formulas/formula-names.ts';
import type { StoredColumn } from '../../state/structure/tables.ts';

/** Functions that answer otherwise each time, or that read beyond their row. */
export const volatileFunctions: ReadonlySet<string> = new Set(
  'NOW TODAY RAND RANDBETWEEN RANDARRAY OFFSET INDIRECT INFO CELL SUBTOTAL AGGREGATE'.split(' '),
);

const counted: ReadonlySet<string | undefined> = new Set(['number', 'integer', 'date', 'datetime']);

/** Refuses questions about a table, with examples of its own columns. */
export class QuestionFaults {
  readonly #columns: readonly StoredColumn[];

  constructor(columns: readonly StoredColumn[]) {
    this.#columns = columns;
  }

  /** A formula that may not be asked of rows; `at` is the character of it, from 1. */
  unasked(message: string, at?: number): Failure {
    const place = at === undefined ? '' : `, at character ${at}`;
    const numbers = this.#example(({ type }) => counted.has(type)).ofRow;
    const texts = this.#example(({ type }) => type === 'text').ofRow;
    return new Failure('invalidRequest', {
      detail: `?where: ${message}${place}.`,
      hint: `Write a formula over the row, such as AND(${numbers}>10,${texts}="North").`,
      errors: [{ pointer: '?where', code: 'bad_formula', message: `${message}${place}.` }],
    });
  }

  /** A cell or range that stands where a column is meant. */
  place(written: string, at: number): Failure {
    const { ofRow } = this.#example(() => true);
    return this.unasked(`${written} is a place on a sheet: name columns, such as ${ofRow}`, at);
  }

  /** A question that makes an array for each row, of a column that is at a place if it is known. */
  several(formula: string, place?: NamePlace, at?: number): Failure {
    const column = place ?? namesInFormula(formula).find(({ kind }) => kind === 'column');
    const named = column === undefined ? undefined : columnForms(column.name);
    const { ofRow, whole } = named ?? this.#example(() => true);
    const means = `${ofRow} is the value of the row, ${whole} are all of its column`;
    return this.unasked(`it has more than one value for a row: ${means}`, at);
  }

  /** A formula that is asked of all rows and takes too long. */
  tooCostly(seconds: number): Failure {
    const message = `The question takes longer than ${seconds} seconds`;
    const { ofRow, whole } = this.#example(() => true);
    return new Failure('invalidRequest', {
      detail: `?where: ${message}.`,
      hint: `Ask less of each row: ${ofRow} is its value, ${whole} are all of the column. Or keep the answer in a calculated column and ask for that.`,
      errors: [{ pointer: '?where', code: 'too_costly', message: `${message}.` }],
    });
  }

  /** The first column that fits; columns of no type may hold anything. */
  #example(fits: (column: StoredColumn) => boolean): ReturnType<typeof columnForms> {
    const columns = this.#columns;
    const found = columns.find(fits) ?? columns.find(({ type }) => (type ?? 'any') === 'any');
    return columnForms((found ?? columns[0])?.name ?? '');
  }
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
