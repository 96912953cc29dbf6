import type { SheetProperties } from '../../model/sheet-properties.ts';

export interface SheetSummary {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** Rows of the grid, which is as large on every sheet. */
  readonly rows: number;
  readonly columns: number;
  /** Tight range around all cells that are not blank; null when there is none. */
  readonly used: string | null;
  /** Properties that sheet.props set. */
  readonly properties: SheetProperties;
}

export interface NameSummary {
  readonly name: string;
  readonly scope: string | null;
  readonly formula: string;
  readonly comment?: string;
}
