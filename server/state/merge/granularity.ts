import type { Policy } from '../../model/policy.ts';
import { lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { tableMeeting } from '../tables/table-cells.ts';
import { unequalCells } from '../cells/unequal-lanes.ts';
import { changedBlocks, sharedSheets, type ChangedBlock } from './changed-blocks.ts';
import { placeText } from './contested-cell.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';
import { laneAt, placeOf, sameCell, type StatedCell } from '../compare/same-lanes.ts';

type Granularity = Policy['merge']['conflictGranularity'];

/** A cell that a side wrote to since the base. */
interface WrittenCell {
  readonly sheet: SheetOutline;
  readonly place: CellPlace;
  /** Position of the cell in the merged state. */
  readonly at: { readonly row: number; readonly column: number };
  readonly base: StatedCell;
  readonly side: StatedCell;
}

/** Cells that are in conflict because both sides wrote to the same row, block, table or sheet. */
export interface ContestedParts {
  /** Returns whether a cell that theirs changed is in conflict. */
  has: (place: CellPlace) => boolean;
  /** Returns whether a cell that either side changed is in conflict. */
  hasAny: (place: CellPlace) => boolean;
  /** Cells in conflict that only ours changed. */
  readonly ours: readonly WrittenCell[];
}

/** Finds the cells in conflict under a granularity coarser than a cell. */
export function* contestedParts(
  merging: Merging,
  granularity: Exclude<Granularity, 'cell'>,
): Generator<void, ContestedParts> {
  const theirs = yield* writtenCells(merging);
  const flipped = { ...merging, theirs: merging.ours, ours: merging.theirs, scope: undefined };
  const ours = yield* writtenCells(flipped);
  const partOf = partsOf(granularity, [...theirs, ...ours], stateOf(merging));
  const [yours, mine] = [theirs, ours].map((cells) => new Set(cells.map(partOf)));
  const isShared = (cell: WrittenCell) => {
    const part = partOf(cell);
    return part !== undefined && yours?.has(part) === true && mine?.has(part) === true;
  };
  const texts = new Set(theirs.filter(isShared).map(({ place }) => placeText(place)));
  const own = ours.filter((cell) => isShared(cell) && !texts.has(placeText(cell.place)));
  const ownTexts = new Set(own.map(({ place }) => placeText(place)));
  return {
    has: (place) => texts.has(placeText(place)),
    hasAny: (place) => texts.has(placeText(place)) || ownTexts.has(placeText(place)),
    ours: own,
  };
}

/** Lists the cells that theirs changed, without changes out of the scope. */
function* writtenCells(merging: Merging): Generator<void, WrittenCell[]> {
  const written: WrittenCell[] = [];
  for (const sheets of sharedSheets(merging)) {
    for (const block of changedBlocks(merging, sheets)) {
      for (const cell of writtenIn(block, merging)) written.push(cell);
      yield;
    }
  }
  return written;
}

function* writtenIn(block: ChangedBlock, merging: Merging): Generator<WrittenCell> {
  const { sheet, column, columnId } = block;
  for (const lane of unequalCells(block.theirs, block.base)) {
    const row = block.positions[lane] ?? -1;
    const place = placeOf(block.rows, lane, { sheetId: sheet.id, column: columnId });
    const side = { cell: laneAt(block.theirs, lane), state: merging.theirs };
    const base = { cell: laneAt(block.base, lane), state: merging.base };
    if (row < 0 || isLeft(merging, { kind: 'cell.input', place })) continue;
    if (!sameCell(base, side, place)) yield { sheet, place, at: { row, column }, base, side };
  }
}

/**
 * Returns a function that names the row, block, table or sheet of a cell; undefined for a cell in
 * no table.
 */
function partsOf(
  granularity: Exclude<Granularity, 'cell'>,
  cells: readonly WrittenCell[],
  state: BranchState,
): (cell: WrittenCell) => string | undefined {
  switch (granularity) {
    case 'row':
      return ({ place }) => `${place.sheetId} ${lineText(place.row)}`;
    case 'sheet':
      return ({ place }) => place.sheetId;
    case 'table': {
      const context = state.contextAt(state.structure);
      return ({ sheet, at }) => {
        const range = { row0: at.row, row1: at.row, column0: at.column, column1: at.column };
        return tableMeeting(sheet, range, context)?.table.id;
      };
    }
    case 'block': {
      const blocks = touching(cells);
      return ({ sheet, at }) => blocks(positionText(sheet, at));
    }
  }
}

function positionText({ id }: SheetOutline, { row, column }: WrittenCell['at']): string {
  return `${id} ${row} ${column}`;
}

/**
 * Groups cells that touch, also by a corner. Returns a function from the text of a position to its
 * group.
 */
function touching(cells: readonly WrittenCell[]): (position: string) => string {
  const parents = new Map(
    cells.map(({ sheet, at }) => {
      const text = positionText(sheet, at);
      return [text, text] as const;
    }),
  );
  const rootOf = (position: string): string => {
    let root = position;
    for (let at = parents.get(root); at !== undefined && at !== root; at = parents.get(root)) {
      root = at;
    }
    parents.set(position, root);
    return root;
  };
  for (const { sheet, at } of cells) {
    const own = positionText(sheet, at);
    for (const [down, across] of [
      [0, 1],
      [1, -1],
      [1, 0],
      [1, 1],
    ] as const) {
      const other = positionText(sheet, { row: at.row + down, column: at.column + across });
      if (parents.has(other)) parents.set(rootOf(other), rootOf(own));
    }
  }
  return rootOf;
}
