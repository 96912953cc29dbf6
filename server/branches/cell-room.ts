import type { Operation, OperationKind } from '../model/operation.ts';
import { cellCount, parseSheetRange } from '../model/range.ts';
import { grownBeyond, type Rejection } from '../model/rejection.ts';
import type { BranchState } from '../state/branch-state.ts';

/** Most operations of a batch whose growth is found by doing them on a copy. */
const trialsMost = 32;

/** Kinds that write cells whose number is not in the payload. */
const unmeasured: ReadonlySet<OperationKind> = new Set<OperationKind>([
  'range.autofill',
  'range.copy',
  'table.create',
  'table.column.add',
  'table.column.alter',
  'undo',
  'redo',
  'revert',
  'merge',
]);

export interface RoomFacts {
  /** Most cells of the branch; Infinity without a limit. */
  readonly cellsMost: number;
  /** Most cells by the plan of the owner; Infinity without a limit. */
  readonly planMost: number;
  /** Cells of the parent with which the branch began. */
  readonly baseCells: number;
  /** Memory that the workbook uses, and the most it may use, in bytes. */
  readonly bytes: number;
  readonly bytesMost: number;
}

/** Number of filled cells; between two exact counts it may be too high, never too low. */
export interface KnownCells {
  count: number;
  /** Number by which the count may be too high. */
  slack: number;
}

/** Share of the limit by which a count may be wrong before cells are counted again. */
const slackShare = 0.005;

/** Limits the growth of a branch during a batch, in filled cells. */
export class CellRoom {
  readonly #facts: RoomFacts;
  readonly #known: KnownCells;
  #trialCount = 0;

  constructor(facts: RoomFacts, known: KnownCells) {
    this.#facts = facts;
    this.#known = known;
  }

  /** True if operations that need counting must wait for the next batch. */
  get isFull(): boolean {
    return this.#trialCount >= trialsMost;
  }

  /**
   * Returns a rejection, or `trial` if only a copy shows whether the operation fits; undefined if
   * it fits.
   */
  check(operation: Operation): Rejection | 'trial' | undefined {
    const growth = growthBound(operation);
    if (growth === 0) return undefined;
    const { bytes, bytesMost } = this.#facts;
    if (bytes > bytesMost) return tooHeavy(bytes, bytesMost);
    if (this.#facts.cellsMost === Infinity) return undefined;
    if (this.#known.count + growth > this.#facts.cellsMost) {
      this.#trialCount++;
      return 'trial';
    }
    this.#known.count += growth;
    this.#known.slack += growth;
    return undefined;
  }

  /** Counts again if the count may be too far off; called between operations. */
  recount(state: BranchState): void {
    const { cellsMost } = this.#facts;
    if (this.#known.slack > cellsMost * slackShare) this.#count(filledCells(state));
  }

  /** Returns a rejection if a copy with an operation must not replace the state. */
  checkTrial(before: BranchState, after: BranchState): Rejection | undefined {
    const { cellsMost } = this.#facts;
    if (cellsMost === Infinity) return undefined;
    const count = filledCells(after);
    const isKept = count <= cellsMost || count <= filledCells(before);
    this.#count(isKept ? count : filledCells(before));
    return isKept ? undefined : this.#tooManyCells();
  }

  /** Explains which cells fill the limit, including those of other branches. */
  #tooManyCells(): Rejection {
    const { planMost, cellsMost, baseCells } = this.#facts;
    const usedHere = Math.max(0, this.#known.count - baseCells);
    const used = planMost - (cellsMost - baseCells) + usedHere;
    const why = `the plan allows the workbooks of the owner ${planMost} cells, and they hold ${used}`;
    return grownBeyond('too_many_cells', why, { limit: 'cells', used, max: planMost, usedHere });
  }

  #count(count: number): void {
    this.#known.count = count;
    this.#known.slack = 0;
  }
}

export function filledCells(state: BranchState): number {
  return state.structure.sheets.reduce((sum, sheet) => sum + state.cellsOf(sheet).filledCount, 0);
}

function growthBound(operation: Operation): number {
  switch (operation.kind) {
    case 'cells.set':
      return operation.payload.cells.length;
    case 'range.set':
      return operation.payload.inputs.reduce((sum, row) => sum + row.length, 0);
    case 'range.fill':
      return operation.payload.input === null ? 0 : areaBound(operation.payload.range);
    case 'sheet.add':
      return operation.payload.copyOf === undefined ? 0 : Infinity;
    case 'rows.import':
    case 'rows.upsert':
      return Infinity;
    default:
      return unmeasured.has(operation.kind) ? Infinity : 0;
  }
}

function areaBound(range: string): number {
  const areas = parseSheetRange(range)?.areas;
  return areas ? areas.reduce((sum, area) => sum + cellCount(area), 0) : Infinity;
}

function tooHeavy(used: number, max: number): Rejection {
  const why = `the workbook takes ${used} bytes of memory, and ${max} is what one may take`;
  const growth = { limit: 'workbookBytes', used, max, usedHere: used } as const;
  return grownBeyond('workbook_too_large', why, growth);
}
