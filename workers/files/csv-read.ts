import { parse } from 'csv-parse/sync';
import { columnLimit, rowLimit } from '../../server/model/address.ts';
import { decodeCsv, sniffDelimiter } from './csv-dialect.ts';
import { readTyped, type TypedValue } from './csv-value.ts';
import { fileLimits } from './file-limits.ts';
import { FileProblem, tooLargeFile } from './file-problem.ts';
import { FormulaTable } from './formula-table.ts';
import { DroppedList, type ImportedWorkbook } from './imported-workbook.ts';
import { cellKind, SheetCells, WorkbookPool } from './sheet-cells.ts';
import { plainLook, plainWorkbook } from './sheet-look.ts';

export interface CsvOptions {
  /** Name of the one sheet; Sheet1 by default. */
  readonly sheet?: string;
  /** Found from the first lines when absent. */
  readonly delimiter?: string;
  /** Keep every field as text; otherwise fields are read as a person types them. */
  readonly rawText?: boolean;
  /** Whether the kernel can read a formula (with its `=`); one it cannot read stays text. */
  readonly acceptsFormula?: (formula: string) => boolean;
}

/** Reads a CSV file into a workbook of one sheet; every failure is a FileProblem. */
export function readCsv(bytes: Uint8Array, options: CsvOptions = {}): ImportedWorkbook {
  const { text, declaredDelimiter } = decodeCsv(bytes);
  const delimiter = options.delimiter ?? declaredDelimiter ?? sniffDelimiter(text);
  const dropped = new DroppedList();
  const content = new SheetCells(new WorkbookPool(new FormulaTable()));
  const rows = new CsvRows(content, options, dropped);
  parseRecords(text, delimiter, (fields) => rows.add(fields));
  content.settle();
  const sheet = { name: options.sheet ?? 'Sheet1', content, look: plainLook };
  const book = { date1904: false, names: [], tables: [], look: plainWorkbook };
  return { ...book, sheets: [sheet], dropped: dropped.lines() };
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
      // A quote inside an unquoted field is text, as spreadsheet programs read it.
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

/** Puts records below one another into the sheet. */
class CsvRows {
  readonly #cells: SheetCells;
  readonly #options: CsvOptions;
  readonly #dropped: DroppedList;
  #row = 0;

  constructor(cells: SheetCells, options: CsvOptions, dropped: DroppedList) {
    this.#cells = cells;
    this.#options = options;
    this.#dropped = dropped;
  }

  add(fields: readonly string[]): void {
    if (this.#row >= rowLimit) throw tooLargeFile(`a sheet has at most ${rowLimit} rows`);
    if (fields.length > columnLimit) {
      throw tooLargeFile(`a sheet has at most ${columnLimit} columns`);
    }
    for (const [column, field] of fields.entries()) {
      if (field !== '') this.#addField(column, field);
    }
    this.#row++;
  }

  #addField(column: number, field: string): void {
    const { rawText, acceptsFormula } = this.#options;
    const typed: TypedValue = rawText === true ? { value: field } : readTyped(field);
    const row = this.#row;
    if (typed.format !== undefined) {
      this.#cells.addFormat(row, column, this.#cells.pool.formatOf(typed.format));
    }
    const { value } = typed;
    if (typeof value === 'number')
      this.#cells.add(row, column, { kind: cellKind.number, data: value });
    else if (typeof value === 'boolean') {
      this.#cells.add(row, column, { kind: cellKind.boolean, data: value ? 1 : 0 });
    } else if (typeof value === 'object') this.#cells.addError(row, column, value.error);
    else if (typed.isFormula === true && (acceptsFormula?.(value) ?? true)) {
      const data = this.#cells.pool.formulas.intern(value, { row, column, isScalar: false });
      this.#cells.add(row, column, { kind: cellKind.formula, data });
    } else this.#addText(column, value);
  }

  #addText(column: number, text: string): void {
    if (text === '') return;
    if (text.length > fileLimits.textCharacters) {
      this.#dropped.add(
        'long texts',
        'a cell holds at most 32,767 characters; the rest is cut off',
      );
    }
    this.#cells.addText(this.#row, column, text.slice(0, fileLimits.textCharacters));
  }
}
