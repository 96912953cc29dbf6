import type { SheetProperties } from '../../model/sheet-properties.ts';

export interface SheetSummary {
  readonly id: string;
  readonly name: string;
  readonly index: number;
  /** Rows of the grid, the same on every sheet. */
  readonly rows: number;
  readonly columns: number;
  /** Smallest range around all filled cells; null for none. */
  readonly used: string | null;
  /** Properties set by sheet.props. */
  readonly properties: SheetProperties;
}

export interface NameSummary {
  readonly name: string;
  readonly scope: string | null;
  readonly formula: string;
  readonly comment?: string;
}
