import type { PlanContext } from '../plan/plan.ts';
import type { TableDraft } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import type { RowLayout } from './table-layout.ts';
import type { Line } from '../plan/table-plan.ts';
import type { ReadRow } from './table-rows.ts';
import type { TableTarget } from './table-target.ts';

/** Members that the steps of one operation on the rows of a table share. */
export interface RowsParts {
  readonly target: TableTarget;
  readonly draft: TableDraft;
  readonly layout: RowLayout;
  readonly context: PlanContext;
}

/** A row of the payload at the place where it is written. */
export interface PlacedRow extends ReadRow {
  readonly line: Line;
}

/** A column of the table, by its place in it, as the draft has it. */
export function columnLine({ draft, target }: RowsParts, index: number): Line {
  const sheet = draft.sheetOf(target.table);
  return lineAt(sheet, 'column', target.range.column0 + index);
}
