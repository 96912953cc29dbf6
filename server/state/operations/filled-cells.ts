import type { Range } from '../../model/range.ts';
import { cellTag, type Block } from '../cells/block.ts';
import { columnIds } from '../ids/id-span.ts';
import { spansOf } from '../plan/execute.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** Yields the cells of an area that are not blank. */
export function* filledCells(
  sheet: SheetOutline,
  area: Range,
  { cellsOf }: Pick<PlanContext, 'cellsOf'>,
): Generator<{ readonly row: number; readonly column: number }> {
  const { rows, columns } = spansOf(sheet, area);
  let { column0: column } = area;
  for (const id of columnIds(columns)) {
    for (const { block, from, to, skipped } of cellsOf(sheet).stretches(rows, id)) {
      const first = area.row0 + skipped - from;
      for (const lane of filledLanes(block, from, to)) yield { row: first + lane, column };
    }
    column++;
  }
}

function* filledLanes(block: Block, from: number, to: number): Generator<number> {
  for (let lane = from; lane < to; lane++) if (block.tagAt(lane) !== cellTag.blank) yield lane;
}
