import type { StoredFormula } from '../cells/dictionary.ts';
import { identityOf } from '../cells/formula-identity.ts';
import { sayOther } from '../formulas/formula-skeleton.ts';
import { FormulaRuns, type FormulaRun, type SpelledRun } from '../cells/formula-runs.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { placeOf, sameCell } from '../compare/same-lanes.ts';
import { Carrier } from '../carrier.ts';
import { renamesTables } from '../references/table-names.ts';
import type { ChangedRun } from './run-list.ts';
import type { RenamedNames } from './renamed-names.ts';
import { nameSameLines } from './same-references.ts';
import type { Sides } from './sides.ts';

/** Consecutive cells of a run. */
export interface RunPart {
  readonly skipped: number;
  readonly count: number;
}

/**
 * Decides whether formulas that were entered separately mean the same, by comparing their texts in
 * the addresses of the later state, run by run.
 */
export class FormulaSameness {
  readonly #sides: Sides;
  readonly #sheet: SheetOutline;
  readonly #runs: FormulaRuns;
  readonly #carrier: Carrier;
  readonly #renamed: RenamedNames;
  /** True when no name, table or column was renamed. */
  readonly #areNamesSame: boolean;

  /** Takes the sheet of the later state. */
  constructor(sides: Sides, sheet: SheetOutline, renamed: RenamedNames) {
    const { from, to } = sides;
    this.#sides = sides;
    this.#sheet = sheet;
    this.#runs = new FormulaRuns(to.coding, to.structure);
    this.#carrier = new Carrier(from, to);
    this.#renamed = renamed;
    this.#areNamesSame = renamed.isEmpty && !renamesTables(from.tables, to.tables);
  }

  /** Returns the parts of a run where the formulas do not mean the same. */
  differing(run: ChangedRun): RunPart[] {
    const { count } = run;
    const [was, is] = [this.#runs.stored(run.was.number), this.#runs.stored(run.is.number)];
    if (was.array || is.array) return this.#differingCells(run, { skipped: 0, count }, []);
    const isOther = this.#areNamesSame && sayOther(was.r1c1, is.r1c1);
    if (was.legacy !== is.legacy || isOther) {
      return [{ skipped: 0, count }];
    }
    if (!this.#areNamesSame) return this.#differingTexts(run);
    const found: RunPart[] = [];
    for (const { skipped, count: length } of this.#unlike(run, [was, is])) {
      const part = {
        ...run,
        lane: run.lane + skipped,
        fromRow: run.fromRow + skipped,
        toRow: run.toRow + skipped,
        count: length,
      };
      for (const one of this.#differingTexts(part)) {
        push(found, { skipped: skipped + one.skipped, count: one.count });
      }
    }
    return found;
  }

  /** The parts of a run whose formulas do not name the same lines. */
  #unlike(
    { block, lane, count }: ChangedRun,
    [was, is]: readonly [StoredFormula, StoredFormula],
  ): RunPart[] {
    const at = { sheetId: this.#sheet.id, column: block.columnId };
    const found: RunPart[] = [];
    for (let skipped = 0; skipped < count;) {
      const place = placeOf(block.place, lane + skipped, at);
      const [one, other] = [identityOf(was, place), identityOf(is, place)];
      const end = Math.min(count, skipped + Math.min(one.to, other.to) - place.row.offset);
      if (one.text !== other.text) push(found, { skipped, count: end - skipped });
      skipped = end;
    }
    return found;
  }

  #differingTexts(run: ChangedRun): RunPart[] {
    const [was, is] = [run.was.number, run.is.number].map((index) => this.#spelled(run, index));
    const found: RunPart[] = [];
    let skipped = 0;
    for (let a = 0, b = 0; skipped < run.count;) {
      const [one, other] = [was?.[a], is?.[b]];
      if (!one || !other) throw new Error('a run of formulas is spelled in part');
      const end = Math.min(endOf(one, run), endOf(other, run));
      const [former, now] = [this.#inLaterPlaces(one), this.#relative(other)];
      const carried = this.#renamed.carry(former, this.#sheet.id);
      // A name that both texts have says the same, even if it was another one's before.
      if (former !== now && carried !== now) {
        const part = { skipped, count: end - skipped };
        if (this.#mayHaveSlid(carried, now)) this.#differingCells(run, part, found);
        else push(found, part);
      }
      skipped = end;
      if (endOf(one, run) === end) a++;
      if (endOf(other, run) === end) b++;
    }
    return found;
  }

  #spelled({ toRow: row, count, block }: ChangedRun, index: number): SpelledRun[] {
    const run: FormulaRun = { sheet: this.#sheet, row, column: block.toColumn, count, index };
    return [...this.#runs.spelled(run)];
  }

  /** Returns the earlier formula in the addresses and names of tables of the later state. */
  #inLaterPlaces(one: SpelledRun): string {
    return this.#carrier.names(this.#relative(one));
  }

  #relative({ run, text }: SpelledRun): string {
    return this.#sides.to.coding.formulas.toR1C1(text, run.row, run.column);
  }

  /**
   * Returns whether two texts differ only in references. A range that lost an end step by step can
   * end elsewhere than one carried in a single step, so such formulas are compared by what they
   * name.
   */
  #mayHaveSlid(was: string, is: string): boolean {
    const { from, to } = this.#sides;
    if (from.structure.sheets === to.structure.sheets) return false;
    return was.replaceAll(places, '') === is.replaceAll(places, '');
  }

  #differingCells(
    { block, lane, was, is }: ChangedRun,
    { skipped, count }: RunPart,
    found: RunPart[],
  ): RunPart[] {
    const { from, to } = this.#sides;
    const at = { sheetId: this.#sheet.id, column: block.columnId };
    for (let next = skipped; next < skipped + count; next++) {
      const place = placeOf(block.place, lane + next, at);
      const isSame =
        sameCell({ cell: was, state: from }, { cell: is, state: to }, place) ||
        nameSameLines({ cell: was, state: from }, { cell: is, state: to }, place);
      if (!isSame) push(found, { skipped: next, count: 1 });
    }
    return found;
  }
}

/** References in R1C1 notation and `#REF!`, with the sheets before them, and colons. */
const places =
  /(?:(?:'(?:[^']|'')+'|[^\s!'"(),;:+*/^&=<>{}-]+)!)?(?:R(?:\[-?\d+\]|\d*)C(?:\[-?\d+\]|\d*)|#REF!)|:/gu;

function endOf({ run }: SpelledRun, { toRow }: ChangedRun): number {
  return run.row + run.count - toRow;
}

function push(parts: RunPart[], { skipped, count }: RunPart): void {
  const last = parts.at(-1);
  if (last && last.skipped + last.count === skipped) {
    parts[parts.length - 1] = { skipped: last.skipped, count: last.count + count };
  } else {
    parts.push({ skipped, count });
  }
}
