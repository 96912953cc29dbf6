import type { Color } from './cell-style.ts';

/** Properties of a sheet with their defaults. */
export const sheetPropertyDefaults = {
  colPx: null,
  fileSheet: null,
  freezeCols: 0,
  freezeRows: 0,
  gridlines: true,
  hidden: false,
  rowPx: null,
  rtl: false,
  summaryBelow: true,
  summaryRight: true,
  tabColor: null,
  zoom: 100,
} as const;

export type SheetPropertyKey = keyof typeof sheetPropertyDefaults;
export type SheetPropertyValue = number | boolean | Color | null;

export const sheetPropertyKeys = Object.keys(sheetPropertyDefaults) as readonly SheetPropertyKey[];

/** Properties that are set of a sheet; absent ones are default. */
export interface SheetProperties {
  readonly colPx?: number;
  /** Name of the sheet in the file it came from, by which its charts and pictures find it again. */
  readonly fileSheet?: string;
  readonly freezeCols?: number;
  readonly freezeRows?: number;
  readonly gridlines?: boolean;
  readonly hidden?: boolean | 'veryHidden';
  readonly rowPx?: number;
  readonly rtl?: boolean;
  readonly summaryBelow?: boolean;
  readonly summaryRight?: boolean;
  readonly tabColor?: Color;
  readonly zoom?: number;
}
