import { normalStyle, styleText, type CellStyle } from '../../server/model/cell-style.ts';
import type { Operation } from '../../server/model/operation.ts';
import { operationLimits } from '../../server/model/operation-limits.ts';
import { cellCount, rangeName, type Range } from '../../server/model/range.ts';
import { wireOf } from './look-operations.ts';
import type { SheetCells } from './sheet-cells.ts';

/** Characters of one range argument; operations take up to 2,048. */
const rangeCharacters = 2_000;
/** Pieces of one range argument; operations take up to 1,000. */
const areasMost = 1_000;

/** Yields the operations that format the cells of a sheet: one for many rectangles of a style. */
export function* formatOperations(
  sheet: string,
  content: SheetCells,
  hasLineStyles: boolean,
): Generator<Operation> {
  for (const [format, areas] of areasByFormat(content)) {
    const style = content.pool.styles[format] ?? {};
    for (const range of rangesOf(areas))
      yield formatOperation({ sheet, range }, style, hasLineStyles);
  }
}

/**
 * Returns the operation for some areas. Over a row or column with a style the whole style of the
 * cells is written, because a part of it would keep the rest of that of the line.
 */
function formatOperation(
  place: { sheet: string; range: string },
  style: CellStyle,
  replace: boolean,
): Operation {
  const { numberFormat, ...others } = style;
  const isNumberFormat = numberFormat !== undefined && Object.keys(others).length === 0;
  if (isNumberFormat && !replace) {
    return { kind: 'numfmt.set', payload: { ...place, pattern: numberFormat } };
  }
  const isPlain = styleText(style) === styleText({ named: normalStyle });
  const written = isPlain ? {} : wireOf(style);
  return {
    kind: 'format.set',
    payload: { ...place, style: written, ...(replace && { replace }) },
  };
}

function* rangesOf(areas: readonly Range[]): Generator<string> {
  let range = '';
  let cells = 0;
  let count = 0;
  for (const area of areas) {
    const name = rangeName(area);
    const isFull =
      count >= areasMost ||
      range.length + name.length > rangeCharacters ||
      cells + cellCount(area) > operationLimits.cellsPerFill;
    if (isFull && range !== '') {
      yield range;
      range = '';
      cells = 0;
      count = 0;
    }
    range += range === '' ? name : `,${name}`;
    cells += cellCount(area);
    count++;
  }
  if (range !== '') yield range;
}

/** Returns the rectangles of each style; equal runs of neighbouring columns become one. */
function areasByFormat(content: SheetCells): Map<number, Range[]> {
  const byFormat = new Map<number, Range[]>();
  let open = new Map<string, Range & { column1: number }>();
  let openColumn = -2;
  for (const { column, formats } of content.columns()) {
    const next = new Map<string, Range & { column1: number }>();
    for (const { row0, row1, format } of formats) {
      const key = `${row0}:${row1}:${format}`;
      let area = openColumn === column - 1 ? open.get(key) : undefined;
      if (area === undefined || cellCount(area) + row1 - row0 >= operationLimits.cellsPerFill) {
        area = { row0, row1, column0: column, column1: column };
        byFormat.set(format, listed(byFormat.get(format), area));
      }
      area.column1 = column;
      next.set(key, area);
    }
    open = next;
    openColumn = column;
  }
  return byFormat;
}

function listed(areas: Range[] | undefined, area: Range): Range[] {
  if (areas === undefined) return [area];
  areas.push(area);
  return areas;
}
