import { cutText } from '../../server/model/cut-text.ts';
import { parse } from 'csv-parse/sync';
import { columnLimit, columnName, rowLimit } from '../../server/model/address.ts';
import { quoteSheet } from '../../server/model/range.ts';
import { decodeCsv, sniffDelimiter } from './csv-dialect.ts';
import {
  leftInDoubt,
  readField,
  type Doubt,
  type LeftAsText,
  type TypedValue,
} from './csv-value.ts';
import { fileLimits } from './file-limits.ts';
import { FileProblem, tooLargeFile } from './file-problem.ts';
import { FormulaTable } from './formula-table.ts';
import { DroppedList, type Dropped, type ImportedWorkbook } from './imported-workbook.ts';
import { cellKind, SheetCells, WorkbookPool } from './sheet-cells.ts';
import { plainLook, plainWorkbook } from './sheet-look.ts';

export interface CsvOptions {
  /** Name of the sheet; `Sheet1` by default. */
  readonly sheet?: string;
  /** Delimiter; by default it is found from the first lines. */
  readonly delimiter?: string;
  /** True to keep every field as text; by default fields are read as a person types them. */
  readonly rawText?: boolean;
  /** Year of dates without one; by default they stay text. */
  readonly year?: number;
  /** Returns whether the kernel can read a formula (with its `=`); any other stays text. */
  readonly acceptsFormula?: (formula: string) => boolean;
}

/** Reads a CSV file into a workbook of one sheet; every failure is a FileProblem. */
export function readCsv(bytes: Uint8Array, options: CsvOptions = {}): ImportedWorkbook {
  const { text, declaredDelimiter } = decodeCsv(bytes);
  const delimiter = options.delimiter ?? declaredDelimiter ?? sniffDelimiter(text);
  const name = options.sheet ?? 'Sheet1';
  const read = (foreign: ColumnSigns): CsvRows => {
    const rows = new CsvRows(options, foreign);
    parseRecords(text, delimiter, (fields) => rows.add(fields));
    return rows;
  };
  const first = read({ comma: new Set(), order: new Set() });
  // Only a whole column shows how its numbers and dates are written, so a doubtful file is read
  // again.
  const { cells, losses } = first.isInDoubt ? read(first.foreign) : first;
  cells.settle();
  const sheet = { name, content: cells, look: plainLook };
  const book = { date1904: false, names: [], tables: [], look: plainWorkbook };
  return { ...book, sheets: [sheet], dropped: losses.lines(name) };
}

function parseRecords(
  text: string,
  delimiter: string,
  take: (fields: readonly string[]) => void,
): void {
  try {
    parse(text, {
      delimiter,
      relax_column_count: true,
      // A quote within an unquoted field is text, as in spreadsheet programs.
      relax_quotes: true,
      on_record: (fields: string[]) => {
        take(fields);
        return null;
      },
    });
  } catch (cause) {
    if (cause instanceof FileProblem || !isCsvError(cause)) throw cause;
    const hint = 'Close every opened quote, and double the quotes that stand inside a field.';
    throw new FileProblem('file_broken', `The CSV file is damaged: ${cause.message}.`, hint);
  }
}

function isCsvError(cause: unknown): cause is Error {
  return cause instanceof Error && 'code' in cause && String(cause.code).startsWith('CSV_');
}

/** Columns, by kind of doubt, with a field that is not written as in the United States. */
type ColumnSigns = Readonly<Record<Doubt, Set<number>>>;

const reasons: Readonly<Record<LeftAsText, readonly [what: string, why: string]>> = {
  digits: [
    'digits kept as text',
    'a number would lose leading zeros, a leading + or digits past the fifteenth',
  ],
  number: ['numbers left as text', 'numbers are read as 1,234.50, $1,234.50 and 12.5%'],
  date: [
    'dates left as text',
    'dates are read as 2026-01-31, 1/31/2026 (month first), 31-Jan-26, Jan 31, 2026 and Jan 31',
  ],
};

/** Counts, by column, the fields that are kept otherwise than a reader might expect. */
class CsvLosses {
  readonly #left: Readonly<Record<LeftAsText, number[]>> = { digits: [], number: [], date: [] };
  #cutCount = 0;

  leave(why: LeftAsText, column: number): void {
    const counts = this.#left[why];
    counts[column] = (counts[column] ?? 0) + 1;
  }

  cut(): void {
    this.#cutCount++;
  }

  lines(sheet: string): Dropped[] {
    const dropped = new DroppedList();
    if (this.#cutCount > 0) {
      const why = 'a cell holds at most 32,767 characters; the rest is cut off';
      dropped.add('long texts', why, { count: this.#cutCount });
    }
    for (const key of ['digits', 'number', 'date'] as const) {
      const [what, why] = reasons[key];
      this.#left[key].forEach((count, column) => {
        const letters = columnName(column);
        dropped.add(what, why, { where: `${quoteSheet(sheet)}!${letters}:${letters}`, count });
      });
    }
    return dropped.lines();
  }
}

/** Adds records to a sheet, one below the other. */
class CsvRows {
  readonly cells = new SheetCells(new WorkbookPool(new FormulaTable()));
  readonly losses = new CsvLosses();
  readonly foreign: ColumnSigns = { comma: new Set(), order: new Set() };
  readonly #options: CsvOptions;
  /** Kinds of doubt that an earlier pass has settled for columns. */
  readonly #known: ColumnSigns;
  readonly #doubted: ColumnSigns = { comma: new Set(), order: new Set() };
  #row = 0;

  constructor(options: CsvOptions, known: ColumnSigns) {
    this.#options = options;
    this.#known = known;
  }

  /** True when values were read that other fields of their column contradict. */
  get isInDoubt(): boolean {
    return (['comma', 'order'] as const).some((doubt) =>
      [...this.foreign[doubt]].some((column) => this.#doubted[doubt].has(column)),
    );
  }

  add(fields: readonly string[]): void {
    if (this.#row >= rowLimit) throw tooLargeFile(`a sheet has at most ${rowLimit} rows`);
    if (fields.length > columnLimit) {
      throw tooLargeFile(`a sheet has at most ${columnLimit} columns`);
    }
    for (const [column, field] of fields.entries()) {
      if (field !== '') this.#addField(column, this.#read(column, field));
    }
    this.#row++;
  }

  #read(column: number, field: string): TypedValue {
    if (this.#options.rawText === true) return { value: field };
    const typed = readField(field, this.#options.year);
    const { doubt, foreign } = typed;
    if (foreign !== undefined) this.foreign[foreign].add(column);
    if (doubt === undefined) return typed;
    this.#doubted[doubt].add(column);
    return this.#known[doubt].has(column) ? leftInDoubt(field, doubt) : typed;
  }

  #addField(column: number, typed: TypedValue): void {
    const { value, format, left } = typed;
    const row = this.#row;
    const { pool } = this.cells;
    if (left !== undefined) this.losses.leave(left, column);
    if (format !== undefined) this.cells.addFormat(row, column, pool.formatOf(format));
    if (typeof value === 'number') {
      this.cells.add(row, column, { kind: cellKind.number, data: value });
    } else if (typeof value === 'boolean') {
      this.cells.add(row, column, { kind: cellKind.boolean, data: value ? 1 : 0 });
    } else if (typeof value === 'object') this.cells.addError(row, column, value.error);
    else if (typed.isFormula === true && (this.#options.acceptsFormula?.(value) ?? true)) {
      const data = pool.formulas.intern(value, { row, column, isScalar: false });
      this.cells.add(row, column, { kind: cellKind.formula, data });
    } else this.#addText(column, value);
  }

  #addText(column: number, text: string): void {
    if (text === '') return;
    if (text.length > fileLimits.textCharacters) this.losses.cut();
    this.cells.addText(this.#row, column, cutText(text, fileLimits.textCharacters));
  }
}
