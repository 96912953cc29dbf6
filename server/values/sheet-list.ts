import type { Mutation } from '../model/mutation.ts';
import { foldName } from '../model/names.ts';

/** A sheet of a model, and the bounds of its cells. */
export interface ModelSheet {
  readonly key: number;
  readonly name: string;
  /** Rows up to the last that ever had an input; arrays may spill further. */
  readonly rowCount: number;
  readonly columnCount: number;
}

type EntryMutation = Extract<Mutation, { kind: 'cell' | 'column' | 'block' | 'fill' }>;
type LineMutation = Extract<Mutation, { kind: 'insert' | 'delete' | 'move' }>;

type SheetMutation = Extract<
  Mutation,
  { kind: 'sheetAdd' | 'sheetDelete' | 'sheetRename' | 'sheetMove' }
>;

function isSheetMutation(mutation: Mutation): mutation is SheetMutation {
  return mutation.kind.startsWith('sheet');
}

/** The sheets of a model in tab order, updated by each mutation. */
export class SheetList {
  #sheets: ModelSheet[] = [];
  date1904 = false;

  get all(): readonly ModelSheet[] {
    return this.#sheets;
  }

  named(name: string): ModelSheet | undefined {
    const folded = foldName(name);
    return this.#sheets.find((sheet) => foldName(sheet.name) === folded);
  }

  withKey(key: number): ModelSheet | undefined {
    return this.#sheets.find((sheet) => sheet.key === key);
  }

  /** Cells of the rectangles from A1 to the end of each sheet's content. */
  get grid(): number {
    return this.#sheets.reduce((sum, { rowCount, columnCount }) => sum + rowCount * columnCount, 0);
  }

  apply(mutation: Mutation): void {
    switch (mutation.kind) {
      case 'cell':
      case 'column':
      case 'block':
      case 'fill':
        return this.#enter(mutation);
      case 'insert':
      case 'delete':
      case 'move':
        return this.#moveLines(mutation);
      case 'setting':
        if (mutation.name === 'date1904') this.date1904 = mutation.value;
        return;
      default:
        if (isSheetMutation(mutation)) this.#changeSheets(mutation);
    }
  }

  #enter(mutation: EntryMutation): void {
    switch (mutation.kind) {
      case 'column':
        return this.#reach(mutation, mutation.inputs.length, 1);
      case 'block':
        return this.#reach(mutation, mutation.inputs.length, widestOf(mutation.inputs));
      case 'fill':
        if (mutation.input !== null) this.#reach(mutation, mutation.rowCount, mutation.columnCount);
        return;
      default:
        if (mutation.input !== null) this.#reach(mutation, 1, 1);
    }
  }

  #changeSheets(mutation: SheetMutation): void {
    const { sheet: key } = mutation;
    const at = this.#sheets.findIndex((sheet) => sheet.key === key);
    const sheet = this.#sheets[at];
    if (mutation.kind === 'sheetAdd') {
      const added = { key, name: mutation.name, rowCount: 0, columnCount: 0 };
      this.#sheets.splice(mutation.index, 0, added);
    } else if (sheet !== undefined) {
      this.#sheets.splice(at, 1);
      if (mutation.kind === 'sheetRename') {
        this.#sheets.splice(at, 0, { ...sheet, name: mutation.name });
      } else if (mutation.kind === 'sheetMove') this.#sheets.splice(mutation.index, 0, sheet);
    }
  }

  #reach(
    { sheet, row, column }: { sheet: number; row: number; column: number },
    height: number,
    width: number,
  ): void {
    this.#replace(sheet, ({ rowCount, columnCount }) => ({
      rowCount: Math.max(rowCount, row + height),
      columnCount: Math.max(columnCount, column + width),
    }));
  }

  #moveLines(mutation: LineMutation): void {
    const { sheet, axis } = mutation;
    this.#replace(sheet, ({ rowCount, columnCount }) =>
      axis === 'row'
        ? { rowCount: reachAfter(rowCount, mutation), columnCount }
        : { rowCount, columnCount: reachAfter(columnCount, mutation) },
    );
  }

  #replace(
    key: number,
    change: (sheet: ModelSheet) => { rowCount: number; columnCount: number },
  ): void {
    const at = this.#sheets.findIndex((sheet) => sheet.key === key);
    const sheet = this.#sheets[at];
    if (sheet !== undefined) this.#sheets[at] = { ...sheet, ...change(sheet) };
  }
}

function reachAfter(reach: number, mutation: LineMutation): number {
  const { from, count } = mutation;
  // Lines moved toward the end may have content.
  if (mutation.kind === 'move') return from < reach ? Math.max(reach, mutation.before) : reach;
  if (mutation.kind === 'insert') return from < reach ? reach + count : reach;
  return reach - Math.max(0, Math.min(reach, from + count) - from);
}

function widestOf(rows: readonly (readonly unknown[])[]): number {
  let widest = 0;
  for (const row of rows) widest = Math.max(widest, row.length);
  return widest;
}
