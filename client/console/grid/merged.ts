import type { Address } from '../../../server/model/address.ts';
import { holdsCell, holdsRange, overlaps, type Range } from '../../../server/model/range.ts';
import { isSameRange, rangeOfSelection, type Selection } from './selection.ts';

type Areas = readonly Range[] | undefined;

/** Returns the merged area of a cell. */
export function areaAt(areas: Areas, cell: Address): Range | undefined {
  return (areas ?? []).find((area) => holdsCell(area, cell));
}

/** Returns the cell whose content a cell shows: the first of its merged area, or itself. */
export function shownCell(areas: Areas, cell: Address): Address {
  const area = areaAt(areas, cell);
  return area ? { row: area.row0, column: area.column0 } : cell;
}

/** Returns whether a selection is a single cell or a merged area. */
export function isOneCell(selection: Selection, areas: Areas): boolean {
  const range = rangeOfSelection(selection);
  const isPlain = range.row0 === range.row1 && range.column0 === range.column1;
  const area = areaAt(areas, selection.active);
  return isPlain || (area !== undefined && isSameRange(area, range));
}

/** Returns a range extended to the merged areas that it meets. */
export function wholeRange(areas: Areas, range: Range): Range {
  const cut = (areas ?? []).find((area) => overlaps(area, range) && !holdsRange(range, area));
  return cut ? wholeRange(areas, spanOf(range, cut)) : range;
}

/** Returns a selection extended to merged areas, with the first cell of one as the active one. */
export function wholeSelection(selection: Selection, areas: Areas): Selection {
  const { active, other, anchor, also = [] } = selection;
  if (!areas?.length) return selection;
  const range = rangeOfSelection(selection);
  const whole = wholeRange(areas, range);
  const shown = shownCell(areas, active);
  const others = also.map((one) => wholeRange(areas, one));
  if (isSameRange(whole, range) && shown === active) return { ...selection, also: others };
  const first = anchor ?? active;
  const [isUp, isLeft] = [other.row < first.row, other.column < first.column];
  return {
    ...selection,
    also: others,
    active: shown,
    anchor: {
      row: isUp ? whole.row1 : whole.row0,
      column: isLeft ? whole.column1 : whole.column0,
    },
    other: {
      row: isUp ? whole.row0 : whole.row1,
      column: isLeft ? whole.column0 : whole.column1,
    },
  };
}

/** Returns the cell of a merged area on the side where a step leaves it. */
export function edgeOfArea(areas: Areas, cell: Address, [down, right]: readonly [number, number]) {
  const area = areaAt(areas, cell);
  if (!area) return cell;
  const along = (by: number, [at, low, high]: readonly [number, number, number]) =>
    by === 0 ? at : by > 0 ? high : low;
  return {
    row: along(down, [cell.row, area.row0, area.row1]),
    column: along(right, [cell.column, area.column0, area.column1]),
  };
}

function spanOf(one: Range, other: Range): Range {
  return {
    row0: Math.min(one.row0, other.row0),
    row1: Math.max(one.row1, other.row1),
    column0: Math.min(one.column0, other.column0),
    column1: Math.max(one.column1, other.column1),
  };
}
