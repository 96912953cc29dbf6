import type { WrittenChartSheet } from './kept-source.ts';
import type { SheetSource, WorkbookSource } from './workbook-source.ts';

/** A worksheet by its index among worksheets, or a chart sheet. */
type Tab =
  | { readonly kind: 'sheet'; readonly index: number; readonly sheet: SheetSource }
  | { readonly kind: 'chart'; readonly index: number; readonly sheet: WrittenChartSheet };

/** Tabs of a workbook in the order of the file: worksheets and chart sheets. */
export class TabOrder {
  readonly tabs: readonly Tab[];

  constructor({ sheets, kept }: Pick<WorkbookSource, 'sheets' | 'kept'>) {
    const tabs: Tab[] = [];
    const charts = [...(kept?.chartSheets ?? []).entries()];
    const addCharts = (most: number): void => {
      for (let next = charts[0]; next && next[1].before <= most; next = charts[0]) {
        tabs.push({ kind: 'chart', index: next[0], sheet: next[1] });
        charts.shift();
      }
    };
    for (const [index, sheet] of sheets.entries()) {
      addCharts(index);
      tabs.push({ kind: 'sheet', index, sheet });
    }
    addCharts(Infinity);
    this.tabs = tabs;
  }

  /** Returns the index of a worksheet among all tabs; -1 if there is none. */
  placeOf(name: string): number {
    return this.tabs.findIndex(({ kind, sheet }) => kind === 'sheet' && sheet.name === name);
  }

  /** Index of the first tab that is shown: a chart sheet that says so, or the first visible one. */
  get selected(): number {
    const chart = this.tabs.findIndex(
      (tab) => tab.kind === 'chart' && tab.sheet.isSelected && tab.sheet.hidden === false,
    );
    if (chart !== -1) return chart;
    const isShown = (tab: Tab): boolean =>
      tab.kind === 'sheet' && (tab.sheet.look?.properties.hidden ?? false) === false;
    return Math.max(this.tabs.findIndex(isShown), 0);
  }

  /** Index among worksheets of the first one shown; undefined for a chart sheet. */
  get selectedSheet(): number | undefined {
    const tab = this.tabs[this.selected];
    return tab?.kind === 'sheet' ? tab.index : undefined;
  }
}
