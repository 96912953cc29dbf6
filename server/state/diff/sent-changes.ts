import type { Block } from '../cells/block.ts';
import type { BlockPlace } from '../cells/held-block.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import { blockOf } from '../compare/same-lanes.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { CellList } from './cell-list.ts';
import { ChangedAreas, type AreaLists } from './changed-areas.ts';
import { collapse, type CellChanges } from './changed-cells.ts';
import { columnPosition } from './lane-positions.ts';
import { RunList, type ComparedBlock } from './run-list.ts';
import type { Sides } from './sides.ts';

/** Changed cells of a sheet in shared memory; what they hold is in the states of the receiver. */
export interface SentChanges extends AreaLists {
  readonly sheetId: string;
  /** For each compared block the numbers of its column and place, `blockMembers` in all. */
  readonly blocks: Float64Array;
  readonly runs: Int32Array;
  /** For each cell with an entry of its own the index of its run, and its row. */
  readonly indexes: Int32Array;
  readonly rows: Int32Array;
}

const blockMembers = 6;

interface FoundChanges {
  readonly runs: RunList;
  readonly areas: ChangedAreas;
  readonly cells: CellList;
}

export function sendChanges(sheetId: string, { runs, areas, cells }: FoundChanges): SentChanges {
  const { records, next } = areas.lists;
  return {
    sheetId,
    blocks: Float64Array.from(runs.blocks.flatMap(numbersOf)),
    runs: shared(runs.records),
    records: shared(records),
    next: shared(next),
    indexes: shared(cells.indexes),
    rows: shared(cells.rows),
  };
}

/** Reads what `sendChanges` made. */
export function* receiveChanges(
  { from, to }: Sides,
  { sheetId, blocks, runs: records, indexes, rows, ...areas }: SentChanges,
): Generator<void, CellChanges> {
  const [was, is] = [from.structure.withId(sheetId), to.structure.withId(sheetId)];
  const sides = { was, is, before: was && from.cellsOf(was), after: is && to.cellsOf(is) };
  const compared: ComparedBlock[] = [];
  for (let at = 0; at < blocks.length; at += blockMembers) {
    compared.push(new FoundBlock(blocks.subarray(at, at + blockMembers), sides));
  }
  yield;
  const runs = RunList.of(compared, records);
  const { collapsed } = yield* collapse(ChangedAreas.of(runs, areas));
  return { runs, cells: new CellList(runs, indexes, rows), collapsed };
}

function numbersOf({ columnId, place }: ComparedBlock): number[] {
  const { branch, sequence, offset } = columnId;
  return [branch, sequence, offset, place.branch, place.sequence, place.index];
}

function shared(values: Int32Array): Int32Array {
  const copy = new Int32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}

interface SheetSides {
  readonly was: SheetOutline | undefined;
  readonly is: SheetOutline | undefined;
  readonly before: SheetCells | undefined;
  readonly after: SheetCells | undefined;
}

/** A block that another thread has compared; it is read here when somebody asks for its cells. */
class FoundBlock implements ComparedBlock {
  readonly columnId: LineId;
  readonly place: BlockPlace;
  readonly fromColumn: number;
  readonly toColumn: number;
  readonly #sides: SheetSides;

  constructor(numbers: Float64Array, sides: SheetSides) {
    const [branch = 0, sequence = 0, offset = 0, ...place] = numbers;
    this.columnId = { branch, sequence, offset };
    this.place = { branch: place[0] ?? 0, sequence: place[1] ?? 0, index: place[2] ?? 0 };
    this.fromColumn = columnPosition(this.columnId, sides.was);
    this.toColumn = columnPosition(this.columnId, sides.is);
    this.#sides = sides;
  }

  get from(): Block | undefined {
    return blockOf(this.#sides.before, this.place, this.columnId);
  }

  get to(): Block | undefined {
    return blockOf(this.#sides.after, this.place, this.columnId);
  }
}
