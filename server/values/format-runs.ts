import type { BranchState } from '../state/branch-state.ts';
import { limitOf, type SheetOutline } from '../state/structure/structure.ts';
import type { StyleList } from '../state/cells/style-list.ts';
import { rowLimit } from '../model/address.ts';
import { sameLine } from '../state/structure/line-value.ts';
import { orderOf, type Axis } from '../state/structure/structure.ts';
import type { FormatRun } from '../../workers/format-runs.ts';
import type { LineRun, SheetLook, WorkbookLook } from '../../workers/files/sheet-look.ts';
import { settingDefaults, sameSetting, type SettingPath } from '../model/settings.ts';

/** Reads the cells' own styles, by sheet key; yields where the thread may do other work. */
export function* readFormatRuns(state: BranchState): Generator<void, Map<number, FormatRun[]>> {
  const formats = new Map<number, FormatRun[]>();
  for (const sheet of state.structure.sheets) {
    formats.set(sheet.key, yield* sheetRuns(state, sheet));
  }
  return formats;
}

function* sheetRuns(state: BranchState, sheet: SheetOutline): Generator<void, FormatRun[]> {
  const runs: FormatRun[] = [];
  const cells = state.cellsOf(sheet);
  const rows = sheet.rows.spansAt(0, rowLimit);
  for (const id of cells.columnIds()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined) continue;
    const builder = new RunBuilder(column, state.coding.dictionary.styles);
    for (const { block, from, to, skipped } of cells.stretches(rows, id)) {
      for (let lane = from; lane < to; lane++) {
        builder.add(skipped + lane - from, block.formatAt(lane));
      }
    }
    for (const run of builder.end()) runs.push(run);
    yield;
  }
  return runs;
}

/** Reads the formats of rows, columns and sheet, in current addresses. */
export function readSheetLook(state: BranchState, sheet: SheetOutline): SheetLook {
  return {
    rows: lineRuns(state, sheet, 'row'),
    columns: lineRuns(state, sheet, 'column'),
    properties: state.looks.properties.of(sheet.id),
  };
}

function lineRuns({ looks }: BranchState, sheet: SheetOutline, axis: Axis): LineRun[] {
  const limit = limitOf(axis);
  const runs: LineRun[] = [];
  for (const { value, ...span } of looks.lines.of(sheet.id, axis).intervals()) {
    for (const { position, length } of orderOf(sheet, axis).piecesOf(span)) {
      const to = Math.min(position + length, limit) - 1;
      if (position <= to) runs.push({ from: position, to, value });
    }
  }
  return joined(runs.sort((left, right) => left.from - right.from));
}

/** Joins equal neighbours into one run, regardless of their ids. */
function joined(runs: readonly LineRun[]): LineRun[] {
  const result: LineRun[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    const isNext = last?.to === run.from - 1 && sameLine(last.value, run.value);
    if (isNext) result[result.length - 1] = { ...last, to: run.to };
    else result.push(run);
  }
  return result;
}

export function readWorkbookLook({ looks, settings }: BranchState): WorkbookLook {
  const changed = Object.entries(settings.all()).filter(
    ([path, value]) => !sameSetting(value, settingDefaults[path as SettingPath]),
  );
  const styles = [...looks.styles.entries()].map(([, style]) => style);
  return { styles, settings: Object.fromEntries(changed) };
}

/** Joins the formats of a column from top to bottom. */
class RunBuilder {
  readonly #column: number;
  readonly #styles: StyleList;
  readonly #runs: FormatRun[] = [];
  #format = 0;
  #row0 = 0;
  #row1 = -1;

  constructor(column: number, styles: StyleList) {
    this.#column = column;
    this.#styles = styles;
  }

  add(row: number, format: number): void {
    if (format === 0) return;
    if (format !== this.#format || row !== this.#row1 + 1) {
      this.#close();
      this.#format = format;
      this.#row0 = row;
    }
    this.#row1 = row;
  }

  end(): FormatRun[] {
    this.#close();
    return this.#runs;
  }

  #close(): void {
    if (this.#format === 0) return;
    const style = this.#styles.style(this.#format);
    this.#runs.push({ column: this.#column, row0: this.#row0, row1: this.#row1, style });
  }
}
