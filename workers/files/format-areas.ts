import type { Operation } from '../../server/model/operation.ts';
import { operationLimits } from '../../server/model/operation-limits.ts';
import { cellCount, rangeName, type Range } from '../../server/model/range.ts';
import type { SheetCells } from './sheet-cells.ts';

/** Characters of one range argument; operations take up to 2,048. */
const rangeCharacters = 2_000;

/** The number formats of a sheet as numfmt.set: one operation for many rectangles of one format. */
export function* formatOperations(sheet: string, content: SheetCells): Generator<Operation> {
  for (const [format, areas] of areasByFormat(content)) {
    const pattern = content.pool.formats[format] ?? 'General';
    let range = '';
    let cells = 0;
    for (const area of areas) {
      const name = rangeName(area);
      const isFull =
        range.length + name.length > rangeCharacters ||
        cells + cellCount(area) > operationLimits.cellsPerFill;
      if (isFull && range !== '') {
        yield { kind: 'numfmt.set', payload: { sheet, range, pattern } };
        range = '';
        cells = 0;
      }
      range += range === '' ? name : `,${name}`;
      cells += cellCount(area);
    }
    if (range !== '') yield { kind: 'numfmt.set', payload: { sheet, range, pattern } };
  }
}

/** Rectangles by format: equal runs of neighbouring columns are one. */
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
