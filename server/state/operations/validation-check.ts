import type { ErrorCode, Input } from '../../model/cell-value.ts';
import { cellName } from '../../model/address.ts';
import type { Comparison, ValidationRule } from '../../model/payload-rules.ts';
import type { JsonObject } from '../../model/plain-json.ts';
import { cellCount, intersection, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import { sheetAt } from '../formulas/formula-text.ts';
import { foldName } from '../../model/names.ts';
import type { Plan } from '../plan/plan.ts';
import { shiftText, shown } from '../records/record-formulas.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** Most cells of a list that is searched at admission. */
const listCellsMost = 10_000;

type Literal = number | string | boolean | { readonly error: ErrorCode };

interface Cell {
  readonly row: number;
  readonly column: number;
}

/**
 * Throws a rejection if the plan enters a value that a validation rule of the cell forbids, as far
 * as that is known without evaluation: formulas pass, and so do rules that must be evaluated or are
 * exempt.
 */
export function checkValidation(plan: Plan, state: BranchState, isExempt = never): void {
  if (state.records.count('validation') === 0) return;
  const check = new ValidationCheck(state, isExempt, refuse);
  switch (plan.type) {
    case 'cells':
      for (const { sheet, row, column, input } of plan.cells) {
        const range = { row0: row, row1: row, column0: column, column1: column };
        check.over(sheet, range, () => input);
      }
      return;
    case 'blocks':
      for (const { range, inputs } of plan.blocks) {
        const inputAt = ({ row, column }: Cell) =>
          inputs[row - range.row0]?.[column - range.column0];
        check.over(plan.sheet, range, inputAt);
      }
      return;
    case 'fill':
      if (!isLiteral(plan.input)) return;
      for (const area of plan.areas) check.over(plan.sheet, area, () => plan.input);
      return;
    default:
  }
}

/** Finds the rule that forbids the content of a cell; undefined if none does. */
export function validationFault(state: BranchState, sheet: SheetOutline, at: Cell) {
  let fault: Fault | undefined;
  const check = new ValidationCheck(state, never, (found) => (fault ??= found));
  const range = { row0: at.row, row1: at.row, column0: at.column, column1: at.column };
  check.over(sheet, range, () => state.inputAt(sheet, at.row, at.column));
  return fault;
}

/** A broken rule: its record, the cell, and the values that it allows. */
interface Fault {
  readonly record: StoredRecord;
  readonly place: string;
  /** Description of the allowed values. */
  readonly wanted: string;
}

function refuse({ record, place, wanted }: Fault): void {
  const said = messageOf(record.value);
  throw new Rejection('validation_failed', `${place} takes ${wanted} (${record.id})${said}`);
}

function never(_rule: StoredRecord): boolean {
  return false;
}

function isLiteral(input: Input | undefined): input is Literal {
  if (input === null || input === undefined) return false;
  return typeof input !== 'object' || 'error' in input;
}

type Verdict = (input: Literal, cell: Cell) => string | undefined;

class ValidationCheck {
  readonly #state: BranchState;
  readonly #isExempt: (rule: StoredRecord) => boolean;
  readonly #onFault: (fault: Fault) => void;
  readonly #verdicts = new Map<StoredRecord, Verdict | undefined>();

  constructor(
    state: BranchState,
    isExempt: (rule: StoredRecord) => boolean,
    onFault: (fault: Fault) => void,
  ) {
    this.#state = state;
    this.#isExempt = isExempt;
    this.#onFault = onFault;
  }

  over(sheet: SheetOutline, range: Range, inputAt: (cell: Cell) => Input | undefined): void {
    const { records } = this.#state;
    for (const record of records.meeting('validation', sheet, range)) {
      const verdict = this.#verdictOf(record, sheet);
      if (!verdict) continue;
      for (const own of records.rangesOf(record, sheet)) {
        const shared = intersection(own, range);
        if (shared) this.#judge(record, { sheet, shared, verdict, inputAt });
      }
    }
  }

  #judge(record: StoredRecord, { sheet, shared, verdict, inputAt }: Judged): void {
    for (let row = shared.row0; row <= shared.row1; row++) {
      for (let column = shared.column0; column <= shared.column1; column++) {
        const input = inputAt({ row, column });
        if (!isLiteral(input)) continue;
        const wanted = verdict(input, { row, column });
        if (wanted === undefined) continue;
        const place = `${sheet.name}!${cellName(row, column)}`;
        this.#onFault({ record, place, wanted });
      }
    }
  }

  #verdictOf(record: StoredRecord, sheet: SheetOutline): Verdict | undefined {
    if (record.value['onInvalid'] !== 'reject' || this.#isExempt(record)) return undefined;
    if (!this.#verdicts.has(record)) this.#verdicts.set(record, this.#read(record, sheet));
    return this.#verdicts.get(record);
  }

  #read(record: StoredRecord, sheet: SheetOutline): Verdict | undefined {
    const { records, structure, coding } = this.#state;
    // The schema of the rule was checked at admission.
    const rule = shown(record, structure, coding.formulas)['rule'] as ValidationRule;
    const [first] = records.rangesOf(record, sheet);
    if (!first) return undefined;
    switch (rule.type) {
      case 'custom':
      case 'any':
        return undefined;
      case 'list':
        return rule.items
          ? amongItems(rule.items)
          : this.#amongCells(rule.source ?? '', { sheet, row: first.row0, column: first.column0 });
      default:
        return comparing(rule);
    }
  }

  /** Compares with a list in cells; a list with a formula in it cannot be compared. */
  #amongCells(source: string, from: Cell & { readonly sheet: SheetOutline }): Verdict {
    const lists = new Map<string, ReadonlySet<string> | undefined>();
    const { formulas } = this.#state.coding;
    return (input, cell) => {
      const text = shiftText(source, { from, to: cell }, formulas);
      if (!lists.has(text)) lists.set(text, this.#valuesAt(text, from.sheet));
      const list = lists.get(text);
      const isThere = list === undefined || list.has(foldName(textOf(input)));
      return isThere ? undefined : `one of the values of ${text.slice(1)}`;
    };
  }

  #valuesAt(source: string, own: SheetOutline): ReadonlySet<string> | undefined {
    const { structure, coding } = this.#state;
    const [reference, ...more] = coding.formulas.references(source);
    const isAlone = reference?.start === 1 && reference.end === source.length;
    if (!reference || !isAlone || more.length > 0) return undefined;
    const sheet = sheetAt(reference, { from: structure, to: structure, sheetId: own.id });
    if (!sheet || cellCount(reference) > listCellsMost) return undefined;
    const values = new Set<string>();
    for (let row = reference.row0; row <= reference.row1; row++) {
      for (let column = reference.column0; column <= reference.column1; column++) {
        const input = this.#state.inputAt(sheet, row, column);
        if (input === null) continue;
        if (!isLiteral(input)) return undefined;
        values.add(foldName(textOf(input)));
      }
    }
    return values;
  }
}

interface Judged {
  readonly sheet: SheetOutline;
  readonly shared: Range;
  readonly verdict: Verdict;
  readonly inputAt: (cell: Cell) => Input | undefined;
}

function messageOf({ error }: JsonObject): string {
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return '';
  const { text } = error as JsonObject;
  return typeof text === 'string' ? `: ${text}` : '';
}

function textOf(input: Literal): string {
  if (typeof input === 'boolean') return input ? 'TRUE' : 'FALSE';
  return typeof input === 'object' ? input.error : String(input);
}

/**
 * Compares with the values of a rule, which are case-sensitive, unlike those in cells: as in Excel.
 */
function amongItems(items: readonly (string | number | boolean)[]): Verdict {
  const texts = new Set(items.map((item) => textOf(item).trim()));
  const names = [...texts].slice(0, 10).join(', ') + (texts.size > 10 ? ', …' : '');
  return (input) => (texts.has(textOf(input).trim()) ? undefined : `one of ${names}`);
}

type ComparisonRule = Extract<ValidationRule, { operator: Comparison }>;

const nouns = {
  whole: 'a whole number',
  decimal: 'a number',
  date: 'a date (as its number)',
  time: 'a time (as its number)',
  textLength: 'a text with a length',
} as const;

function comparing({ type, operator, formula1, formula2 }: ComparisonRule): Verdict | undefined {
  const [low, high] = [formula1, formula2 ?? formula1];
  const noun = nouns[type];
  if (typeof low !== 'number' || typeof high !== 'number') {
    // An operand that needs evaluation allows only a check of the type.
    return (input) => (measure(type, input) === undefined ? noun : undefined);
  }
  const wanted = `${noun} ${wordsOf(operator, low, high)}`;
  return (input) => {
    const size = measure(type, input);
    return size !== undefined && holds(operator, size, [low, high]) ? undefined : wanted;
  };
}

/** Returns the number that a rule compares; undefined for an input of the wrong type. */
function measure(type: ComparisonRule['type'], input: Literal): number | undefined {
  if (type === 'textLength') return textOf(input).length;
  if (typeof input !== 'number') return undefined;
  return type === 'whole' && !Number.isInteger(input) ? undefined : input;
}

function holds(operator: Comparison, size: number, [low, high]: readonly [number, number]) {
  switch (operator) {
    case 'between':
      return size >= low && size <= high;
    case 'notBetween':
      return size < low || size > high;
    case 'equal':
      return size === low;
    case 'notEqual':
      return size !== low;
    case 'lessThan':
      return size < low;
    case 'lessThanOrEqual':
      return size <= low;
    case 'greaterThan':
      return size > low;
    case 'greaterThanOrEqual':
      return size >= low;
  }
}

function wordsOf(operator: Comparison, low: number, high: number): string {
  const words = {
    between: `between ${low} and ${high}`,
    notBetween: `not between ${low} and ${high}`,
    equal: `equal to ${low}`,
    notEqual: `other than ${low}`,
    lessThan: `less than ${low}`,
    lessThanOrEqual: `of at most ${low}`,
    greaterThan: `greater than ${low}`,
    greaterThanOrEqual: `of at least ${low}`,
  } as const;
  return words[operator];
}
