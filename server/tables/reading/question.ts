import { Pace } from '../../branches/pace.ts';
import type { Value } from '../../model/cell-value.ts';
import type { Environment } from '../../model/environment.ts';
import type { Failure } from '../../model/failure.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { BranchState } from '../../state/branch-state.ts';
import {
  columnForms,
  namesInFormula,
  sameName,
  type NamePlace,
} from '../../state/formulas/formula-names.ts';
import { columnNamed, type StoredColumn, type StoredTable } from '../../state/structure/tables.ts';
import { valueForm } from '../../../workers/decode.ts';
import { Kernel } from '../../../workers/kernel.ts';
import { explained, ModelTasks } from '../../values/model-tasks.ts';
import type { ModelParts } from '../../values/model-view.ts';
import {
  defining,
  NameSeeker,
  noDefinitions,
  type AskedName,
  type Definitions,
} from './asked-names.ts';
import { valueAt, type ColumnValues } from './column-values.ts';
import { columnNotFound, QuestionFaults, volatileFunctions } from './question-faults.ts';
import { QuestionForecast } from './question-forecast.ts';
import { columnAsCondition, rowFreeCalls } from './row-free.ts';

/** A formula over each row, with the columns and names in it. */
export interface Question {
  readonly formula: string;
  readonly columns: readonly StoredColumn[];
  readonly names: readonly AskedName[];
}

const constants = new Set(['TRUE', 'FALSE']);

/** Reads a question; fails for a malformed formula, or one that reads more than the row allows. */
export function readQuestion(text: string, table: StoredTable, state: BranchState): Question {
  const formula = text.startsWith('=') ? text : `=${text}`;
  const faults = new QuestionFaults(table.columns);
  const check = state.coding.formulas.check(formula, 'person');
  // Characters are numbered from 1 in the sent text.
  const first = 1 + text.length - formula.length;
  if (!check.ok) throw faults.unasked(check.message, check.at + first);
  const [reference] = state.coding.formulas.references(formula);
  if (reference) {
    const written = formula.slice(reference.start, reference.end);
    throw faults.place(written, reference.start + first);
  }
  const special = /\[#\s*(?!this row)[^\]]*\]/iu.exec(formula);
  if (special) throw faults.unasked(`${special[0]} is not of the row`, special.index + first);
  const columns = new Map<string, StoredColumn>();
  const seeker = new NameSeeker(state, table);
  for (const place of namesInFormula(formula)) {
    const column = columnOf(place, { table, seeker, faults, first });
    if (column) columns.set(column.id, column);
  }
  const whole = columnAsCondition(formula);
  if (whole) throw faults.several(formula, whole, whole.start + first);
  return { formula, columns: [...columns.values()], names: seeker.all };
}

interface Asking {
  readonly table: StoredTable;
  readonly seeker: NameSeeker;
  readonly faults: QuestionFaults;
  /** Offset from places in the formula to places in the sent text. */
  readonly first: number;
}

/** Returns the column of a name; undefined for an allowed name of something else. */
function columnOf(place: NamePlace, asking: Asking): StoredColumn | undefined {
  const { table, seeker, faults, first } = asking;
  const { kind, name, start } = place;
  const at = start + first;
  if (place.sheet !== undefined) {
    throw faults.unasked(`${place.sheet.name}!${name} is a name of one sheet: ask for ${name}`, at);
  }
  if (place.isCalled === true) return checkCall(name, asking, at);
  if (kind === 'table' && sameName(name, table.name)) return undefined;
  if (kind === 'column') return ownColumn(place, asking, at);
  const isKnown = kind === 'word' && isConstant(name);
  if (isKnown || (kind !== 'table' && seeker.add(name))) return undefined;
  const { ofRow } = columnForms(name);
  throw faults.unasked(`${name} is no column and no defined name: write ${ofRow} for a column`, at);
}

function ownColumn({ table: said, name }: NamePlace, { table, faults }: Asking, at: number) {
  if (said !== undefined && !sameName(said, table.name)) {
    throw faults.unasked(`${said} is another table`, at);
  }
  const column = columnNamed(table, name);
  if (column) return column;
  const names = table.columns.map((known) => known.name);
  throw columnNotFound(name, { names, pointer: '?where' });
}

/** Checks a call of a function or of a name. */
function checkCall(name: string, { seeker, faults }: Asking, at: number): undefined {
  const called = name.toUpperCase();
  if (volatileFunctions.has(called)) {
    throw faults.unasked(`${called} may not be asked here: it does not follow from the row`, at);
  }
  seeker.add(name);
}

/** Returns whether a word is a constant; numbers are words too. */
function isConstant(word: string): boolean {
  return /^[\d.]/u.test(word) || constants.has(word.toUpperCase());
}

export interface Asked {
  readonly table: StoredTable;
  readonly state: BranchState;
  readonly rowCount: number;
  /** Values in the order of the question's columns. */
  readonly columns: readonly ColumnValues[];
}

export interface Answered {
  /** Rows that fit, from 0. */
  readonly rows: Uint32Array;
  /** Number of rows with an error. */
  readonly errorCount: number;
}

/** Verdicts of a question on a row; `none` is that of a condition that AND and OR ignore. */
export const verdict = { no: 0, yes: 1, error: 2, none: 3 } as const;

const sheet = 1;
/** Name without a letter, which no column and no sheet has. */
const answerColumn = '\u2063';
/** Time limit of a question, whose client waits. */
const questionMilliseconds = 20_000;
const loadedAtOnce = 2_048;
const readAtOnce = 8_192;
const writtenMost = 255;
const noClock = { clockSerial: 0, seedHigh: 0, seedLow: 0 };

/**
 * A model of some columns of a table, for questions over its rows, one at a time; it uses memory
 * until it is dropped.
 */
export class QuestionModel {
  readonly #kernel = Kernel.create();
  readonly #tasks: ModelTasks;
  readonly #environment: Environment;
  readonly #rowCount: number;
  readonly #answerAt: number;
  readonly #faults: QuestionFaults;
  #turn: Promise<unknown> = Promise.resolve();
  /** Keys of the sheets that names refer to, by name; added by questions. */
  readonly #sheets = new Map<string, number>();
  readonly #defined = new Set<string>();

  private constructor(asked: Asked, { pool, environment }: ModelParts) {
    this.#environment = environment;
    this.#tasks = new ModelTasks(this.#kernel, `question/${asked.table.id}`, { pool, environment });
    this.#rowCount = asked.rowCount;
    this.#answerAt = asked.columns.length;
    this.#faults = new QuestionFaults(asked.table.columns);
  }

  static async load(
    columns: readonly StoredColumn[],
    asked: Asked,
    parts: ModelParts,
  ): Promise<QuestionModel> {
    const model = new QuestionModel(asked, parts);
    const kernel = model.#kernel;
    const pace = new Pace(parts.environment);
    const { table, rowCount, state } = asked;
    const names = [...columns.map(({ name }) => name), answerColumn];
    const date1904 = state.settings.get('dateSystem') === 1904;
    const size = { rowCount: rowCount + 1, columnCount: names.length };
    const rows = { headerRow: true, totalsRow: false };
    const place = { name: table.name, sheet, row: 0, column: 0, ...size, columns: names, ...rows };
    kernel.apply([
      { kind: 'sheetAdd', sheet, name: answerColumn, index: 0 },
      { kind: 'setting', name: 'date1904', value: date1904 },
      { kind: 'tableSet', ...place },
    ]);
    for (const mutation of loading(asked)) {
      kernel.apply([mutation]);
      if (pace.isDue) await pace.rest();
    }
    kernel.weigh();
    return model;
  }

  /** Evaluates the formula for each row; returns the rows that fit. */
  async ask(formula: string, definitions = noDefinitions): Promise<Answered> {
    return fitting(await this.verdicts(formula, definitions));
  }

  /** Evaluates the formula for each row; returns the verdicts. */
  verdicts(formula: string, definitions = noDefinitions): Promise<Uint8Array> {
    const answer = this.#turn.then(() => this.#ask(formula, definitions));
    this.#turn = answer.then(nothing, nothing);
    return answer;
  }

  /** Defines names, which are the same in all questions at one position. */
  async #define(definitions: Definitions): Promise<void> {
    if (definitions.names.every(({ name }) => this.#defined.has(name))) return;
    const pace = new Pace(this.#environment);
    for (const mutation of defining(definitions, (name) => this.#sheetOf(name))) {
      this.#kernel.apply([mutation]);
      if (pace.isDue) await pace.rest();
    }
    for (const { name } of definitions.names) this.#defined.add(name);
    this.#kernel.weigh();
  }

  #sheetOf(name: string): number {
    const known = this.#sheets.get(name);
    if (known !== undefined) return known;
    const key = sheet + 1 + this.#sheets.size;
    this.#sheets.set(name, key);
    this.#kernel.apply([{ kind: 'sheetAdd', sheet: key, name, index: this.#sheets.size }]);
    return key;
  }

  async #ask(formula: string, definitions: Definitions): Promise<Uint8Array> {
    if (this.#rowCount === 0) return new Uint8Array();
    await this.#define(definitions);
    const each = await this.#computedOnce(formula, definitions);
    // One row shows whether the result is a single value; all rows might take long.
    await this.#calculate(each, { first: this.#rowCount, count: 1 });
    if (this.#last().isArray) throw this.#faults.several(formula);
    await this.#calculate(each, { first: 1, count: this.#rowCount });
    return this.#read(new Pace(this.#environment));
  }

  /** Replaces calls that are the same for all rows by their values. */
  async #computedOnce(formula: string, { names }: Definitions): Promise<string> {
    const calls = rowFreeCalls(
      formula,
      names.map(({ name }) => name),
    );
    let each = formula;
    for (const { start, end, isDeciding } of calls.toReversed()) {
      await this.#calculate(`=${formula.slice(start, end)}`, { first: this.#rowCount, count: 1 });
      const { value, isArray } = this.#last();
      if (isArray && isDeciding) throw this.#faults.several(formula);
      const answer = isArray ? undefined : literalOf(value);
      if (answer !== undefined) each = each.slice(0, start) + answer + each.slice(end);
    }
    return each;
  }

  /** Calculates the formula for rows; row 0 of the sheet is the header. */
  async #calculate(formula: string, rows: { first: number; count: number }): Promise<void> {
    const place = { sheet, row: rows.first, column: this.#answerAt };
    const size = { rowCount: rows.count, columnCount: 1 };
    const fill: Mutation = { kind: 'fill', ...place, ...size, input: { formula } };
    const tooCostly = (seconds: number): Failure => this.#faults.tooCostly(seconds);
    const checkPatience = this.#tasks.patience(questionMilliseconds, tooCostly);
    const forecast = new QuestionForecast(rows.count, questionMilliseconds);
    try {
      let { isDone, last } = await this.#tasks.run(await this.#tasks.send([fill]), noClock);
      while (!isDone) {
        checkPatience();
        forecast.note(last.cells, last.evaluateMilliseconds);
        if (forecast.isHopeless) throw tooCostly(questionMilliseconds / 1_000);
        ({ isDone, last } = await this.#tasks.run([], noClock));
      }
    } catch (error) {
      throw explained(error);
    }
    this.#kernel.refresh();
  }

  /** Returns the result in the last row, from which an array has room to spill. */
  #last(): { value: Value; isArray: boolean } {
    const [row, column] = [this.#rowCount, this.#answerAt];
    const around = { row0: row, row1: row + 1, column0: column, column1: column + 1 };
    const asValues = { lens: 'value', form: valueForm } as const;
    const [[value = null, beside] = [], [below] = []] = this.#kernel.readRange(
      sheet,
      around,
      asValues,
    );
    return { value, isArray: (beside ?? below ?? null) !== null };
  }

  async #read(pace: Pace): Promise<Uint8Array> {
    const verdicts = new Uint8Array(this.#rowCount);
    const column = this.#answerAt;
    for (let at = 0; at < this.#rowCount; at += readAtOnce) {
      const row1 = Math.min(this.#rowCount, at + readAtOnce);
      const range = { row0: at + 1, row1, column0: column, column1: column };
      const answers = this.#kernel.readRange(sheet, range, { lens: 'value', form: valueForm });
      for (const [index, [answer = null]] of answers.entries()) {
        verdicts[at + index] = verdictOf(answer);
      }
      if (pace.isDue) await pace.rest();
    }
    return verdicts;
  }
}

/** Finds the rows that fit by their verdicts; a neutral one counts as an error. */
export function fitting(verdicts: Uint8Array): Answered {
  const found = new Uint32Array(verdicts.length);
  let count = 0;
  let errorCount = 0;
  for (let row = 0; row < verdicts.length; row++) {
    if (verdicts[row] === verdict.yes) found[count++] = row;
    else if (verdicts[row] !== verdict.no) errorCount++;
  }
  return { rows: found.slice(0, count), errorCount };
}

function nothing(): void {
  // The caller gets the failure; the next question is independent.
}

/** Writes a value as a literal; undefined if that would not be exact. */
function literalOf(value: Value): string | undefined {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return writtenNumber(value);
  const isShort = typeof value === 'string' && value.length <= writtenMost;
  return isShort ? `"${value.replaceAll('"', '""')}"` : undefined;
}

/** Writes a number, as a sum if 15 digits are not exact. */
function writtenNumber(value: number): string | undefined {
  const first = Number(value.toPrecision(15));
  const rest = Number((value - first).toPrecision(15));
  return first + rest === value ? `(${first}+${rest})` : undefined;
}

function verdictOf(answer: Value): number {
  if (typeof answer === 'object' && answer !== null) return verdict.error;
  const isTrue = answer === true || (typeof answer === 'number' && answer !== 0);
  return isTrue ? verdict.yes : verdict.no;
}

function* loading({ columns, rowCount, state }: Asked): Generator<Mutation> {
  for (const [column, values] of columns.entries()) {
    for (let at = 0; at < rowCount; at += loadedAtOnce) {
      const inputs: Value[] = [];
      const end = Math.min(rowCount, at + loadedAtOnce);
      for (let row = at; row < end; row++) inputs.push(valueAt(values, row, state));
      yield { kind: 'column', sheet, row: at + 1, column, inputs };
    }
  }
}
