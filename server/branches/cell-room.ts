import type { Operation, OperationKind } from '../model/operation.ts';
import { cellCount, parseSheetRange } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import type { BranchState } from '../state/branch-state.ts';

/** Operations of a batch whose growth is counted by doing them on a copy. */
const trialsMost = 32;

/** Kinds that write cells, and whose payload does not say how many. */
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
  /** Cells that the branch may hold; Infinity where nothing caps them. */
  readonly cellsMost: number;
  /** The workbook takes more memory than one may. */
  readonly isHeavy: boolean;
}

/** Cells that hold something. Between two exact counts it is never less than there are. */
export interface KnownCells {
  count: number;
  /** By how much it may be too high. */
  slack: number;
}

/** A count that may be wrong by more than this part of the cap is made anew. */
const slackShare = 0.005;

/** Limits the growth of a branch during a batch, counted in cells that hold something. */
export class CellRoom {
  readonly #facts: RoomFacts;
  readonly #known: KnownCells;
  #trialCount = 0;

  constructor(facts: RoomFacts, known: KnownCells) {
    this.#facts = facts;
    this.#known = known;
  }

  /** The next batch goes on with what has to be counted. */
  get isFull(): boolean {
    return this.#trialCount >= trialsMost;
  }

  /**
   * Rejects an operation, or answers `trial` where only doing it on a copy shows whether it fits.
   * Undefined lets it in.
   */
  check(operation: Operation): Rejection | 'trial' | undefined {
    const growth = growthBound(operation);
    if (growth === 0) return undefined;
    if (this.#facts.isHeavy) return tooHeavy();
    if (this.#facts.cellsMost === Infinity) return undefined;
    if (this.#known.count + growth > this.#facts.cellsMost) {
      this.#trialCount++;
      return 'trial';
    }
    this.#known.count += growth;
    this.#known.slack += growth;
    return undefined;
  }

  /** Counts anew where the count may be too far off; to be called between operations. */
  recount(state: BranchState): void {
    const { cellsMost } = this.#facts;
    if (this.#known.slack > cellsMost * slackShare) this.#count(filledCells(state));
  }

  /** Rejects a copy on which an operation was done if it may not take the place of the state. */
  checkTrial(before: BranchState, after: BranchState): Rejection | undefined {
    const { cellsMost } = this.#facts;
    if (cellsMost === Infinity) return undefined;
    const count = filledCells(after);
    const isKept = count <= cellsMost || count <= filledCells(before);
    this.#count(isKept ? count : filledCells(before));
    return isKept ? undefined : tooManyCells();
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

function tooManyCells(): Rejection {
  const why = 'the workbooks of the owner would hold more cells than the plan allows';
  return new Rejection('too_many_cells', why);
}

function tooHeavy(): Rejection {
  return new Rejection('workbook_too_large', 'the workbook takes as much memory as one may');
}
