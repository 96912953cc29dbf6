import {
  referenceFlags,
  type FormulaReference,
  type FormulaService,
} from '../../model/formula-service.ts';
import { moveFormula, sheetAt, type FormulaMove } from '../formulas/formula-text.ts';
import { LineMap } from '../structure/line-map.ts';
import { movedSpan, type LineStep, type MovedSpan } from '../structure/line-steps.ts';
import type { Structure } from '../structure/structure.ts';

const { absoluteRow0, absoluteRow1, wholeColumns, wholeRows } = referenceFlags;

type Ends = readonly [from: number, to: number];

/** The effect of one edit of lines on references, in the addresses before it. */
export class StepReferences {
  readonly before: Structure;
  readonly after: Structure;
  readonly #step: LineStep;
  readonly #map: LineMap;
  readonly #moved: MovedSpan | undefined;

  constructor(before: Structure, step: LineStep) {
    this.before = before;
    this.after = before.replace(step.after);
    this.#step = step;
    this.#moved = movedSpan(step);
    this.#map = new LineMap(step.before, step.after, step.axis, this.#moved?.span);
  }

  /** Returns the move for formulas of a sheet. */
  moveOn(sheetId: string | undefined): FormulaMove {
    return { from: this.before, to: this.after, sheetId, moved: this.#moved };
  }

  /** Returns a formula as it reads after the edit. */
  carry(text: string, sheetId: string | undefined, formulas: FormulaService): string {
    return moveFormula(text, this.moveOn(sheetId), formulas);
  }

  /**
   * Returns whether the edit removes an end of a range. The lines between the ends do not matter:
   * some may be elsewhere by now.
   */
  loses(reference: FormulaReference, sheetId: string | undefined): boolean {
    const ends = this.#endsOf(reference, sheetId);
    if (!ends || ends[0] === ends[1]) return false;
    if (this.#map.parts(...ends)) return true;
    return ends.some((line) => this.#map.position(line) === undefined);
  }

  /** Returns whether the edit changes a reference in the same way in `count` contiguous cells. */
  isEven(reference: FormulaReference, count: number, sheetId: string): boolean {
    const ends = this.#step.axis === 'row' ? this.#endsOf(reference, sheetId) : undefined;
    if (!ends || count === 1) return true;
    const walks0 = (reference.flags & absoluteRow0) === 0;
    const walks1 = (reference.flags & absoluteRow1) === 0;
    if (this.#isGone(ends, [walks0 ? count : 1, walks1 ? count : 1])) return true;
    if (walks0 !== walks1) return this.#isEvenFrom(ends, count, walks0);
    if (!walks0) return true;
    const [first, last] = ends;
    return this.#keeps(first, count) && this.#keeps(last, count) && !this.#map.parts(first, last);
  }

  /** Returns whether nothing is left of a range in any of the cells. */
  #isGone([first, last]: Ends, [count0, count1]: Ends): boolean {
    const from = Math.min(first, last);
    return this.#map.range(from, Math.max(first + count0, last + count1) - 1) === undefined;
  }

  /** Does as `isEven` for a range with one relative end. */
  #isEvenFrom(ends: Ends, count: number, walks0: boolean): boolean {
    const [first, last] = ends;
    const [walker, fixed] = walks0 ? [first, last] : [last, first];
    const crosses = walks0 && walker + count - 1 > fixed;
    if (crosses || !this.#keeps(walker, count)) return false;
    if (this.#map.parts(first, last)) return this.#passes(walker, count);
    const walked: Ends = walks0 ? [first + count - 1, last] : [first, last + count - 1];
    const [one, other] = [this.#map.range(first, last), this.#map.range(...walked)];
    return one !== undefined && other !== undefined && one[+walks0] === other[+walks0];
  }

  #endsOf(reference: FormulaReference, sheetId: string | undefined): Ends | undefined {
    const { axis, before } = this.#step;
    if (sheetAt(reference, this.moveOn(sheetId))?.id !== before.id) return undefined;
    const whole = axis === 'row' ? wholeColumns : wholeRows;
    if ((reference.flags & whole) !== 0) return undefined;
    const { row0, row1, column0, column1 } = reference;
    return axis === 'row' ? [row0, row1] : [column0, column1];
  }

  #keeps(line: number, count: number): boolean {
    const [piece, ...more] = this.#map.pieces(line, count);
    return more.length === 0 && piece?.length === count;
  }

  /** Returns whether a relative end meets none of the moved lines in any of the cells. */
  #passes(line: number, count: number): boolean {
    const span = this.#moved?.span;
    const from = this.#map.position(line);
    const taken = span && this.#map.position(span.from);
    if (!span || from === undefined || taken === undefined) return false;
    const isTaken = line >= span.from && line < span.from + span.count;
    return !isTaken && (from > taken + span.count || from + count < taken);
  }
}
