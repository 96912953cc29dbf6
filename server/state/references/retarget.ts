import { firstAfter } from '../ids/first-after.ts';
import { referenceFlags, type FormulaReference } from '../../model/formula-service.ts';
import { quoteSheet, type Range } from '../../model/range.ts';
import { referenceText, sheetAt, type FormulaMove } from '../formulas/formula-text.ts';
import { part, type CellSpot, type FormulaRun, type FormulaRuns } from '../cells/formula-runs.ts';
import { nameFormula, type DefinedName, type NameTable } from './names.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { ReferenceMap, SheetArea } from '../formulas/reference-map.ts';
import type { ReferenceScan } from '../formulas/reference-scan.ts';

const { absoluteRow0, absoluteColumn0, absoluteRow1, absoluteColumn1, wholeColumns, wholeRows } =
  referenceFlags;

/** The new target of a reference, and how far its corners moved. */
interface Outcome {
  readonly placed: SheetArea | 'gone' | undefined;
  readonly moves: string;
}

/** Rewrites references of formulas by a map of moved cells, in the addresses of the head. */
export class Retargeting {
  readonly map: ReferenceMap;
  readonly #runs: FormulaRuns;
  readonly #breaks: Float64Array;

  constructor(map: ReferenceMap, runs: FormulaRuns) {
    this.map = map;
    this.#runs = runs;
    this.#breaks = Float64Array.from(map.rowBreaks).sort();
  }

  /**
   * Rewrites a run of formulas that is moved to another place but keeps its targets, except for
   * mapped cells. Returns several runs when references change differently; unchanged ones keep
   * their index.
   */
  run(run: FormulaRun, to: CellSpot): FormulaRun[] {
    const done: FormulaRun[] = [];
    const waiting = [run];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const place = { ...to, row: to.row + (next.row - run.row) };
      const outcome = this.#even(next, place);
      if (typeof outcome === 'object') done.push(outcome);
      else waiting.push(part(next, outcome, next.count), part(next, 0, outcome));
    }
    return done;
  }

  /**
   * Rewrites a formula outside cells; undefined when nothing changes. References without a sheet
   * mean `scopeId`, even if the formula moves to the sheet `toId`.
   */
  name(text: string, scopeId: string | undefined, toId = scopeId): string | undefined {
    const move = { from: this.#runs.head, to: this.#runs.head, sheetId: scopeId };
    const references = this.#runs.coding.formulas.references(text).filter(isFixed);
    const home = { ...move, sheetId: toId };
    const rewritten = this.#rewrite(text, { references, move, home });
    return rewritten === text ? undefined : rewritten;
  }

  /** Returns the rewritten run, or the number of rows after which it must be cut. */
  #even(run: FormulaRun, place: CellSpot): FormulaRun | number {
    const { formulas } = this.#runs.coding;
    const text = formulas.fromR1C1(this.#runs.stored(run.index).r1c1, run.row, run.column);
    const move = { from: this.#runs.head, to: this.#runs.head, sheetId: run.sheet.id };
    const references = formulas.references(text);
    const last = run.count - 1;
    const cut = this.#firstCut(references, run, move);
    if (cut !== undefined) return cut;
    for (const reference of last === 0 ? [] : references) {
      const first = this.#outcome(reference, 0, move);
      if (first?.moves !== this.#outcome(reference, last, move)?.moves) return run.count >> 1;
    }
    const home = { ...move, sheetId: place.sheet.id };
    const rewritten = this.#rewrite(text, { references, move, home });
    const isSame = rewritten === text && place.row === run.row && place.column === run.column;
    if (isSame && place.sheet.id === run.sheet.id) return run;
    return { ...place, count: run.count, index: this.#runs.entered(rewritten, run.index, place) };
  }

  /**
   * Returns the number of rows before a relative corner crosses an edge of the map, or the ends
   * swap.
   */
  #firstCut(
    references: readonly FormulaReference[],
    { count }: FormulaRun,
    move: FormulaMove,
  ): number | undefined {
    let first = count;
    for (const reference of references) {
      if (!this.#isConcerned(reference, move)) continue;
      const { row0, row1, flags } = reference;
      const walks0 = (flags & absoluteRow0) === 0;
      const walks1 = (flags & absoluteRow1) === 0;
      if (walks0 && !walks1) first = Math.min(first, row1 - row0 + 1);
      if (walks0) first = Math.min(first, this.#breakAfter(row0) - row0);
      if (walks1) first = Math.min(first, this.#breakAfter(row1) - row1);
    }
    return first < count ? first : undefined;
  }

  #breakAfter(row: number): number {
    const breaks = this.#breaks;
    return breaks[firstAfter(breaks.length, (at) => (breaks[at] ?? 0) > row)] ?? Infinity;
  }

  #isConcerned(reference: FormulaReference, move: FormulaMove): boolean {
    const id = sheetAt(reference, move)?.id;
    return this.map.interest.some(({ sheetId }) => sheetId === id);
  }

  /**
   * Returns the outcome for a reference `skipped` rows below; undefined when its sheet is unknown.
   */
  #outcome(reference: FormulaReference, skipped: number, move: FormulaMove): Outcome | undefined {
    const sheet = sheetAt(reference, move);
    if (!sheet) return undefined;
    const range = walked(reference, skipped);
    const placed = this.map.map({ sheetId: sheet.id, range });
    if (placed === undefined || placed === 'gone') return { placed, moves: placed ?? '' };
    const { row0, row1, column0, column1 } = placed.range;
    const rows = `${row0 - range.row0},${row1 - range.row1}`;
    const columns = `${column0 - range.column0},${column1 - range.column1}`;
    return { placed, moves: `${placed.sheetId} ${rows} ${columns}` };
  }

  #rewrite(text: string, { references, move, home }: Rewriting): string {
    let rewritten = text;
    for (const reference of references.toReversed()) {
      const outcome = this.#outcome(reference, 0, move);
      const spelled = this.#spelled(reference, { outcome, move: home, homeId: move.sheetId });
      if (spelled === undefined) continue;
      rewritten = rewritten.slice(0, reference.start) + spelled + rewritten.slice(reference.end);
    }
    return rewritten;
  }

  /** Returns the new text of a reference; undefined when it may stay as written. */
  #spelled(reference: FormulaReference, { outcome, move, homeId }: Spelling): string | undefined {
    if (!outcome || outcome.placed === 'gone') return outcome && '#REF!';
    const isNamed = reference.sheet !== undefined;
    if (!outcome.placed && (isNamed || homeId === move.sheetId)) return undefined;
    const { sheetId, range } = outcome.placed ?? { sheetId: homeId ?? '', range: reference };
    const prefix = isNamed || sheetId !== move.sheetId ? prefixOf(sheetId, move) : '';
    return prefix + referenceText({ ...range, flags: reference.flags });
  }
}

function prefixOf(sheetId: string, { to }: FormulaMove): string {
  const sheet = to.withId(sheetId);
  return sheet ? `${quoteSheet(sheet.name)}!` : '';
}

interface Rewriting {
  readonly references: readonly FormulaReference[];
  /** Move from the formula's structure to the head, at its old place. */
  readonly move: FormulaMove;
  /** Move from the formula's structure to the head, at its new place. */
  readonly home: FormulaMove;
}

interface Spelling {
  readonly outcome: Outcome | undefined;
  /** The move of the formula; its `sheetId` is the new sheet. */
  readonly move: FormulaMove;
  /** The present sheet of the formula. */
  readonly homeId: string | undefined;
}

/** Returns the range that a reference means some rows below. */
function walked(reference: FormulaReference, skipped: number): Range {
  const { row0, row1, column0, column1, flags } = reference;
  const isWhole = (flags & wholeColumns) !== 0;
  const down = (bit: number) => (isWhole || (flags & bit) !== 0 ? 0 : skipped);
  return { row0: row0 + down(absoluteRow0), row1: row1 + down(absoluteRow1), column0, column1 };
}

/** Returns whether a reference of a defined name is absolute. */
function isFixed({ flags }: FormulaReference): boolean {
  const rows = absoluteRow0 | absoluteRow1;
  const columns = absoluteColumn0 | absoluteColumn1;
  const wanted =
    (flags & wholeColumns) !== 0 ? columns : (flags & wholeRows) !== 0 ? rows : rows | columns;
  return (flags & wanted) === wanted;
}

/** Returns the defined names whose formulas change. */
export function retargetNames(
  names: NameTable,
  retargeting: Retargeting,
  { head, coding }: Pick<PlanContext, 'head' | 'coding'>,
): DefinedName[] {
  return names.list().flatMap((name) => {
    const formula = retargeting.name(nameFormula(name, head, coding.formulas), name.scopeId);
    return formula === undefined ? [] : [{ ...name, formula, structure: head }];
  });
}

/** Returns whether a formula whose row moves reads the same as a copied one. */
export function movesWithRow(
  scan: ReferenceScan,
  { row0, row1 }: { readonly row0: number; readonly row1: number },
): boolean {
  for (let index = 0; index < scan.count; index++) {
    if (scan.isOwnRow(index)) continue;
    if (scan.isElsewhere(index) || scan.walks(index)) return false;
    if (scan.isWholeColumns(index)) continue;
    if (scan.low(index, 'row', 0) <= row1 && scan.high(index, 'row', 0) >= row0) return false;
  }
  return true;
}
