import { cellName } from '../../model/address.ts';
import { errorCodes, type FormulaInput, type Input } from '../../model/cell-value.ts';
import type { FormulaOrigin, FormulaService } from '../../model/formula-service.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { columnCount, parseRange, rangeName, rowCount } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { cellTag } from './block.ts';
import { Dictionary, type StoredFormula } from './dictionary.ts';
import { moveFormula, type FormulaMove } from '../formulas/formula-text.ts';
import { withSheetNames } from '../formulas/sheet-spelling.ts';
import { LineMap } from '../structure/line-map.ts';
import type { LineId, Order } from '../ids/order.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/**
 * The content of a cell as blocks store it: a tag, and a number whose meaning depends on the tag.
 */
export interface CodedCell {
  readonly tag: number;
  readonly number: number;
}

export interface CellPlace {
  readonly sheetId: string;
  readonly row: LineId;
  readonly column: LineId;
}

export const blankCell: CodedCell = { tag: cellTag.blank, number: 0 };

/** Compares tags and numbers. Formulas that mean the same can differ in these: see `sameCell`. */
export function sameLane(a: CodedCell, b: CodedCell): boolean {
  return a.tag === b.tag && a.number === b.number;
}

/** Converts inputs to the content of blocks, and back. */
export class CellCoding {
  readonly dictionary = new Dictionary();
  readonly formulas: FormulaService;
  /** The sheets among which a formula is known to spell all sheet names correctly. */
  readonly #spelled = new WeakMap<StoredFormula, Structure['sheets']>();

  constructor(formulas: FormulaService) {
    this.formulas = formulas;
  }

  /** Encodes an input; a formula is stored relative to the present `structure`. */
  encode(input: Input, at: { row: number; column: number }, structure: Structure): CodedCell {
    switch (typeof input) {
      case 'number':
        return { tag: cellTag.number, number: input };
      case 'boolean':
        return { tag: cellTag.boolean, number: Number(input) };
      case 'string':
        return { tag: cellTag.text, number: this.dictionary.textIndex(checkLength(input)) };
      default: {
        if (input === null) return blankCell;
        if ('error' in input)
          return { tag: cellTag.error, number: errorCodes.indexOf(input.error) };
        const formula = this.#store(input, at, structure);
        return { tag: cellTag.formula, number: this.dictionary.formulaIndex(formula) };
      }
    }
  }

  /**
   * Decodes a cell; a formula is shown in the addresses and sheet names of the present `structure`.
   */
  decode(cell: CodedCell, place: CellPlace, structure: Structure): Input {
    if (cell.tag !== cellTag.formula) return this.constant(cell);
    const stored = this.dictionary.formula(cell.number);
    const input = this.#carried(stored, place, structure);
    if (!stored.r1c1.includes('!') || this.#spelled.get(stored) === structure.sheets) return input;
    const formula = withSheetNames(input.formula, structure, this.formulas);
    if (formula !== input.formula) return { ...input, formula };
    this.#spelled.set(stored, structure.sheets);
    return input;
  }

  /** Returns a formula of the dictionary with sheet names as its author wrote them. */
  asWritten(index: number, place: CellPlace, structure: Structure): FormulaInput {
    return this.#carried(this.dictionary.formula(index), place, structure);
  }

  /** Returns the input of a cell without a formula. */
  constant(cell: CodedCell): Exclude<Input, FormulaInput> {
    switch (cell.tag) {
      case cellTag.number:
        return cell.number;
      case cellTag.text:
        return this.dictionary.text(cell.number);
      case cellTag.boolean:
        return cell.number === 1;
      case cellTag.error:
        return { error: errorCodes[cell.number] ?? '#VALUE!' };
      default:
        return null;
    }
  }

  /**
   * Returns a formula with a changed text under the structure that it was stored under; undefined
   * when `change` leaves it as it is.
   */
  rewrite(
    index: number,
    { sheetId, row, column }: CellPlace,
    change: (text: string) => string | undefined,
  ): number | undefined {
    const stored = this.dictionary.formula(index);
    const written = stored.structure.withId(sheetId);
    if (!written) throw new Error(`no sheet ${sheetId}`);
    const at = [positionIn(written.rows, row), positionIn(written.columns, column)] as const;
    const text = change(this.formulas.fromR1C1(stored.r1c1, ...at));
    if (text === undefined) return undefined;
    return this.dictionary.rewrittenIndex(index, this.formulas.toR1C1(text, ...at));
  }

  /** Returns a formula as it would be shown after it was entered. */
  canonical(text: string, row: number, column: number): string {
    const r1c1 = this.formulas.toR1C1(text, row, column);
    return this.formulas.fromR1C1(r1c1, row, column);
  }

  /** Throws a rejection unless the text is a valid formula for its origin. */
  checkFormula(text: string, origin: FormulaOrigin): void {
    if (origin === 'journal') return;
    if (text.length > limits.formulaLength) {
      throw new Rejection(
        'bad_formula',
        `a formula has at most ${limits.formulaLength} characters`,
      );
    }
    const check = this.formulas.check(text, origin);
    if (check.ok) return;
    throw new Rejection('bad_formula', `${check.message} at character ${check.at + 1} of ${text}`);
  }

  #store(input: FormulaInput, at: { row: number; column: number }, structure: Structure) {
    const { row, column } = at;
    const stored: StoredFormula = {
      r1c1: this.formulas.toR1C1(input.formula, row, column),
      structure,
      array: input.array === undefined ? undefined : arrayExtent(input.array, at),
      legacy: input.legacy === true,
    };
    return stored;
  }

  #carried(stored: StoredFormula, place: CellPlace, structure: Structure): FormulaInput {
    const from = stored.structure;
    const written = from.withId(place.sheetId);
    const current = structure.withId(place.sheetId);
    if (!written || !current) throw new Error(`no sheet ${place.sheetId}`);
    const row = positionIn(written.rows, place.row);
    const column = positionIn(written.columns, place.column);
    const text = this.formulas.fromR1C1(stored.r1c1, row, column);
    const move: FormulaMove = { from, to: structure, sheetId: place.sheetId };
    const formula = moveFormula(text, move, this.formulas);
    const shown = stored.legacy ? { formula, legacy: true as const } : { formula };
    if (!stored.array) return shown;
    const range = movedRange(written, current, {
      row0: row,
      column0: column,
      row1: row + stored.array.rowCount - 1,
      column1: column + stored.array.columnCount - 1,
    });
    return range === undefined ? shown : { ...shown, array: range };
  }
}

function positionIn(order: Order, id: LineId): number {
  const position = placeIn(order, id);
  if (position === undefined) throw new Error('a formula is older than its row or column');
  return position;
}

function movedRange(
  from: SheetOutline,
  to: SheetOutline,
  range: { row0: number; column0: number; row1: number; column1: number },
): string | undefined {
  const rows = new LineMap(from, to, 'row').range(range.row0, range.row1);
  const columns = new LineMap(from, to, 'column').range(range.column0, range.column1);
  if (!rows || !columns) return undefined;
  // When the first cell of an array was moved away, it fills only itself.
  const first = { row: from.rows.idAt(range.row0), column: from.columns.idAt(range.column0) };
  const [row, column] = [placeIn(to.rows, first.row), placeIn(to.columns, first.column)];
  if ((row ?? rows[0]) !== rows[0] || (column ?? columns[0]) !== columns[0]) return undefined;
  return rangeName({ row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] });
}

function placeIn(order: Order, { branch, sequence, offset }: LineId): number | undefined {
  return order.positionOf(branch, sequence, offset);
}

function arrayExtent(text: string, { row, column }: { row: number; column: number }) {
  const range = parseRange(text);
  if (!range) throw new Rejection('bad_range', `${text} is not a range`);
  if (range.row0 !== row || range.column0 !== column) {
    const cell = cellName(row, column);
    throw new Rejection('bad_range', `the array range ${text} does not start at its cell ${cell}`);
  }
  return { rowCount: rowCount(range), columnCount: columnCount(range) };
}

function checkLength(text: string): string {
  if (text.length <= limits.textLength) return text;
  throw new Rejection('text_too_long', `a text of ${text.length} characters does not fit a cell`);
}
