import type { Mutation } from '../../model/mutation.ts';
import type { Range } from '../../model/range.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { settleLooks, showLooks } from '../plan/lane-looks.ts';
import {
  countLanes,
  filledBounds,
  formulaRuns,
  readLanes,
  type LaneColumn,
} from '../cells/lanes.ts';
import type { DefinedName } from './names.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { ReferenceMap, SheetArea } from '../formulas/reference-map.ts';
import { ReaderSearch } from './reader-search.ts';
import { retargetNames, type Retargeting } from './retarget.ts';
import { blankMutation, constantMutations, formulaMutations } from './rewrite-mutations.ts';
import type { ClearedArea, RewritePlan, RewrittenCells, SortedRows } from './rewrite.ts';
import type { RecordChange } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/** Steps between two pauses. A step searches a block or rewrites a run of formulas. */
const stepsBetweenPauses = 32;

const everything = { values: true, formats: true };

/** Cells that all move by the same distance. */
export interface CellMove {
  readonly from: SheetOutline;
  readonly to: SheetOutline;
  readonly rows: number;
  readonly columns: number;
}

export interface RewriteParts {
  readonly written: RewritePlan['written'];
  readonly map?: ReferenceMap;
  readonly names?: readonly DefinedName[];
  /** The structure after the operation; left out when it does not change. */
  readonly after?: Structure;
  readonly order?: SheetOutline;
  readonly sorted?: SortedRows;
  readonly records?: RecordChange | undefined;
}

/** Collects the changes that one operation makes to cells, with mutations for the kernel. */
export class RewriteDraft {
  readonly formulas: FormulaRuns;
  readonly #context: PlanContext;
  readonly #clears: ClearedArea[] = [];
  readonly #held = { values: 0, formats: 0 };
  readonly #runs: FormulaRun[] = [];
  readonly #mutations: Mutation[] = [];
  #cells: RewrittenCells | undefined;
  #steps = 0;

  constructor(context: PlanContext) {
    this.#context = context;
    this.formulas = new FormulaRuns(context.coding, context.head);
  }

  /** Reads contents and looks of an area of the head. */
  *read(sheet: SheetOutline, area: Range): Generator<void, LaneColumn[]> {
    const lanes = yield* readLanes(sheet, area, this.#context.cellsOf(sheet));
    showLooks(lanes, sheet, this.#context);
    return lanes;
  }

  /** Clears cells whose content `lanes` has. */
  *clear(
    sheet: SheetOutline,
    area: Range,
    { lanes, what = everything }: { lanes: readonly LaneColumn[]; what?: typeof everything },
  ): Generator<void, void> {
    this.#clears.push({ sheet, area, ...what });
    const own: LaneColumn[] = [];
    for (const column of lanes) {
      own.push({ ...column, formats: column.formats.slice() });
      if (this.#isPauseDue()) yield;
    }
    settleLooks(own, sheet, this.#context);
    yield;
    const count = countLanes(own);
    yield;
    if (what.formats) this.#held.formats += count.formats;
    if (!what.values) return;
    this.#held.values += count.values;
    const bounds = filledBounds(lanes);
    if (bounds) this.#mutations.push(blankMutation(sheet.key, bounds));
  }

  /** Converts formulas of the columns to the present structure. */
  *atHead(lanes: readonly LaneColumn[], sheet: SheetOutline): Generator<void, void> {
    for (const column of lanes) {
      for (const run of formulaRuns(column, sheet)) {
        for (const current of this.formulas.atHead(run)) setIndex(column, current, current.row);
        if (this.#isPauseDue()) yield;
      }
    }
  }

  /** Writes columns to cleared cells; formulas shift as in a copy. */
  *write(sheet: SheetOutline, lanes: readonly LaneColumn[]): Generator<void, void> {
    settleLooks(lanes, sheet, this.#context);
    this.#cells = { sheet, lanes };
    yield* this.#mutate(sheet, lanes, yield* this.#copied(sheet, lanes));
  }

  /** Adds mutations only: tells the kernel where the cells of moved rows are. */
  *show(
    sheet: SheetOutline,
    before: readonly LaneColumn[],
    after: readonly LaneColumn[],
  ): Generator<void, void> {
    const bounds = filledBounds(before);
    if (bounds) this.#mutations.push(blankMutation(sheet.key, bounds));
    yield* this.#mutate(sheet, after, yield* this.#copied(sheet, after));
  }

  /** Writes columns that were cut elsewhere; formulas keep their targets. */
  *paste(
    lanes: readonly LaneColumn[],
    { from, to, rows, columns }: CellMove,
    retargeting: Retargeting,
  ): Generator<void, void> {
    const moved: LaneColumn[] = [];
    const runs: FormulaRun[] = [];
    for (const column of lanes) {
      for (const run of formulaRuns(column, from)) {
        const place = { sheet: to, row: run.row + rows, column: run.column + columns };
        for (const pasted of retargeting.run(run, place)) {
          this.formulas.checkArray(pasted);
          setIndex(column, pasted, pasted.row - rows);
          runs.push(pasted);
        }
        if (this.#isPauseDue()) yield;
      }
      moved.push({ ...column, row: column.row + rows, column: column.column + columns });
      if (this.#isPauseDue()) yield;
    }
    settleLooks(moved, to, this.#context);
    this.#cells = { sheet: to, lanes: moved };
    yield* this.#mutate(to, moved, runs);
  }

  /** Rewrites the formulas of other cells that refer to moved cells; returns changed names. */
  *retarget(
    retargeting: Retargeting,
    except: readonly SheetArea[],
  ): Generator<void, DefinedName[]> {
    const search = new ReaderSearch(retargeting.map.interest, this.formulas);
    const changed: FormulaRun[] = [];
    for (const found of search.outside(except, this.#context)) {
      if (found) this.#follow(found, retargeting, changed);
      if (this.#isPauseDue()) yield;
    }
    this.restore(changed);
    yield* this.#mutateFormulas(changed);
    const names = retargetNames(this.#context.names, retargeting, this.#context);
    for (const { name, scopeId, formula } of names) {
      const scope = scopeId === undefined ? undefined : this.#context.head.withId(scopeId)?.key;
      this.#mutations.push({ kind: 'nameSet', name, scope, formula });
    }
    return names;
  }

  #follow(found: FormulaRun, retargeting: Retargeting, changed: FormulaRun[]): void {
    for (const current of this.formulas.atHead(found)) {
      for (const after of retargeting.run(current, current)) {
        if (after.index !== current.index) changed.push(after);
      }
    }
  }

  /** Writes formulas to cleared cells. */
  *enter(runs: readonly FormulaRun[]): Generator<void, void> {
    this.restore(runs);
    yield* this.#mutateFormulas(runs);
  }

  /** Stores formulas again that keep their meaning. */
  restore(runs: readonly FormulaRun[]): void {
    for (const run of runs) this.#runs.push(run);
  }

  finish(parts: RewriteParts): RewritePlan {
    return {
      type: 'rewrite',
      clears: this.#clears,
      held: this.#held,
      cells: this.#cells,
      runs: this.#runs,
      mutations: this.#mutations,
      names: [],
      after: this.#context.head,
      order: undefined,
      map: undefined,
      sorted: undefined,
      records: undefined,
      ...parts,
    };
  }

  *#copied(sheet: SheetOutline, lanes: readonly LaneColumn[]): Generator<void, FormulaRun[]> {
    const runs: FormulaRun[] = [];
    for (const column of lanes) {
      for (const run of formulaRuns(column, sheet)) {
        for (const copy of this.formulas.copied(run, run)) {
          setIndex(column, copy, copy.row);
          runs.push(copy);
        }
        if (this.#isPauseDue()) yield;
      }
    }
    return runs;
  }

  /** Adds the mutations for columns that are written to cleared cells. */
  *#mutate(
    sheet: SheetOutline,
    lanes: readonly LaneColumn[],
    runs: readonly FormulaRun[],
  ): Generator<void, void> {
    const { dictionary } = this.#context.coding;
    for (const mutation of constantMutations(sheet.key, lanes, dictionary)) {
      if (mutation) this.#mutations.push(mutation);
      yield;
    }
    yield* this.#mutateFormulas(runs);
  }

  *#mutateFormulas(runs: readonly FormulaRun[]): Generator<void, void> {
    for (const mutation of formulaMutations(runs, this.formulas)) {
      this.#mutations.push(mutation);
      if (this.#isPauseDue()) yield;
    }
  }

  #isPauseDue(): boolean {
    return ++this.#steps % stepsBetweenPauses === 0;
  }
}

function setIndex(column: LaneColumn, run: FormulaRun, row: number): void {
  const from = row - column.row;
  column.numbers.fill(run.index, from, from + run.count);
}
