import { Failure } from '../../model/failure.ts';
import { suggest } from '../../model/schema/suggest.ts';
import { columnForms, namesInFormula, type NamePlace } from '../../state/formulas/formula-names.ts';
import type { StoredColumn } from '../../state/structure/tables.ts';

/** Functions whose result is volatile, or depends on more than the row. */
export const volatileFunctions: ReadonlySet<string> = new Set(
  'NOW TODAY RAND RANDBETWEEN RANDARRAY OFFSET INDIRECT INFO CELL SUBTOTAL AGGREGATE'.split(' '),
);

const counted: ReadonlySet<string | undefined> = new Set(['number', 'integer', 'date', 'datetime']);

/** Makes failures of questions, with examples from the table's columns. */
export class QuestionFaults {
  readonly #columns: readonly StoredColumn[];

  constructor(columns: readonly StoredColumn[]) {
    this.#columns = columns;
  }

  /** Failure of a formula that is not allowed; `at` is the character, from 1. */
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

  /** Failure of a cell or range instead of a column. */
  place(written: string, at: number): Failure {
    const { ofRow } = this.#example(() => true);
    return this.unasked(`${written} is a place on a sheet: name columns, such as ${ofRow}`, at);
  }

  /**
   * Failure of a question with an array for each row, because of the column at a place, if known.
   */
  several(formula: string, place?: NamePlace, at?: number): Failure {
    const column = place ?? namesInFormula(formula).find(({ kind }) => kind === 'column');
    const named = column === undefined ? undefined : columnForms(column.name);
    const { ofRow, whole } = named ?? this.#example(() => true);
    const means = `${ofRow} is the value of the row, ${whole} are all of its column`;
    return this.unasked(`it has more than one value for a row: ${means}`, at);
  }

  /** Failure of a formula that takes too long for all rows. */
  tooCostly(seconds: number): Failure {
    const message = `The question takes longer than ${seconds} seconds`;
    const { ofRow, whole } = this.#example(() => true);
    return new Failure('invalidRequest', {
      detail: `?where: ${message}.`,
      hint: `Ask less of each row: ${ofRow} is its value, ${whole} are all of the column. Or keep the answer in a calculated column and ask for that.`,
      errors: [{ pointer: '?where', code: 'too_costly', message: `${message}.` }],
    });
  }

  /** Returns forms of the first column that fits; untyped columns fit always. */
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
