import { CELL_FORMULA } from '../../assembly/abi.ts';
import { Pace } from '../branches/pace.ts';
import { cellName, columnLimit, rowLimit } from '../model/address.ts';
import type { Value } from '../model/cell-value.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { WireInput } from '../model/input.ts';
import { pages } from '../model/limits.ts';
import {
  cellCount,
  columnCount,
  rangeName,
  rowCount,
  type Range,
  type SheetRange,
} from '../model/range.ts';
import { formulaForm, inputForm, valueForm, type CellForm } from '../../workers/decode.ts';
import type { Lens } from '../../workers/kernel.ts';
import { readExtents, type Extents } from './extent.ts';
import type { ModelView } from './model.ts';
import type { ModelSheet } from './sheet-list.ts';
import { sheetNotFound } from '../branches/sheet-not-found.ts';

/** The way a formula was entered, if its text does not imply it. */
export interface InputFlag {
  readonly cell: string;
  readonly array?: string;
  readonly legacy?: true;
}

export interface Slice {
  readonly sheet: string;
  readonly range: string;
  readonly rows: readonly (readonly WireInput[])[];
  /** Flags, with lens `input` and only if there are some. */
  readonly flags?: readonly InputFlag[];
}

/** Cells decoded at once: a few milliseconds. Formula texts are made for each read. */
const bandCells = { value: 8192, formula: 2048, input: 2048 } as const satisfies Record<
  Lens,
  number
>;
/** Cells of the first band, before the length of texts is known. */
const firstBandCells = 64;
/** Most characters decoded at once, if cells are as long as those before. */
const bandUnits = 1 << 19;

const forms = {
  value: valueForm,
  formula: formulaForm,
  input: inputForm,
} as const satisfies Record<Lens, CellForm<WireInput>>;

/** Reads ranges of a model; whole rows and columns end at the content of their sheet. */
export class SliceReader {
  readonly #view: ModelView;
  readonly #lens: Lens;
  readonly #pace: Pace;
  #extents: Extents | undefined;
  #cellsLeft: number = pages.sliceCellsMost;

  constructor(view: ModelView, lens: Lens, environment: Environment) {
    this.#view = view;
    this.#lens = lens;
    this.#pace = new Pace(environment);
  }

  async read(ranges: readonly SheetRange[]): Promise<Slice[]> {
    const slices: Slice[] = [];
    for (const { sheet: name, areas } of ranges) {
      const sheet = this.#sheet(name);
      for (const area of areas) slices.push(await this.#slice(sheet, area));
    }
    return slices;
  }

  #sheet(name: string | undefined): ModelSheet {
    const { sheets } = this.#view;
    const sheet = name === undefined ? sheets.all[0] : sheets.named(name);
    if (sheet !== undefined) return sheet;
    throw sheetNotFound(name, sheets.all);
  }

  async #slice(sheet: ModelSheet, asked: Range): Promise<Slice> {
    const range = this.#clip(sheet, asked);
    this.#cellsLeft -= cellCount(range);
    if (this.#cellsLeft < 0) {
      throw new Failure('rangeTooLarge', {
        detail: `A slice has at most ${pages.sliceCellsMost} cells, all its ranges together.`,
        hint: 'Ask for fewer rows at a time, or page through GET values.',
      });
    }
    const rows: WireInput[][] = [];
    const flags: InputFlag[] = [];
    const width = columnCount(range);
    let cells = firstBandCells;
    for (let row = range.row0; row <= range.row1;) {
      const bandRows = Math.max(1, Math.floor(cells / width));
      const row1 = Math.min(range.row1, row + bandRows - 1);
      this.#readBand(sheet, { ...range, row0: row, row1 }, { rows, flags });
      cells = this.#nextBandCells(cells, unitsIn(rows.slice(row - range.row0)));
      row = row1 + 1;
      if (this.#pace.isDue) await this.#pace.rest();
    }
    const slice = { sheet: sheet.name, range: rangeName(range), rows };
    return flags.length === 0 ? slice : { ...slice, flags };
  }

  #nextBandCells(cells: number, units: number): number {
    if (units > bandUnits) return Math.max(1, Math.floor((cells * bandUnits) / units));
    return Math.min(bandCells[this.#lens], cells * 4);
  }

  #readBand(
    sheet: ModelSheet,
    band: Range,
    { rows, flags }: { rows: WireInput[][]; flags: InputFlag[] },
  ): void {
    const formulaPlaces: number[] = [];
    let place = 0;
    const plain: CellForm<WireInput> = forms[this.#lens];
    const form = (value: Value, cellFlags: number): WireInput => {
      if ((cellFlags & CELL_FORMULA) !== 0) formulaPlaces.push(place);
      place++;
      return plain(value, cellFlags);
    };
    const lens = this.#lens;
    const read = this.#view.kernel.readRange<WireInput>(sheet.key, band, { lens, form });
    for (const row of read) rows.push(row);
    if (lens !== 'input') return;
    const width = columnCount(band);
    for (const at of formulaPlaces) {
      const flag = this.#flagOf(sheet.key, {
        row: band.row0 + Math.floor(at / width),
        column: band.column0 + (at % width),
      });
      if (flag !== undefined) flags.push(flag);
    }
  }

  #flagOf(sheet: number, { row, column }: { row: number; column: number }): InputFlag | undefined {
    const { kernel } = this.#view;
    const mode = kernel.formulaMode(sheet, row, column);
    const cell = cellName(row, column);
    if (mode === 'legacy') return { cell, legacy: true };
    if (mode !== 'array') return undefined;
    const area = kernel.readSpill(sheet, row, column);
    const row1 = row + (area?.rowCount ?? 1) - 1;
    const column1 = column + (area?.columnCount ?? 1) - 1;
    const array = rangeName({ row0: row, column0: column, row1, column1 });
    return { cell, array: array.includes(':') ? array : `${array}:${array}` };
  }

  #clip(sheet: ModelSheet, range: Range): Range {
    const hasAllRows = rowCount(range) === rowLimit;
    const hasAllColumns = columnCount(range) === columnLimit;
    if (!hasAllRows && !hasAllColumns) return range;
    this.#extents ??= readExtents(this.#view);
    const extent = this.#extents.get(sheet.key) ?? sheet;
    const row1 = hasAllRows ? Math.max(extent.rowCount - 1, 0) : range.row1;
    const column1 = hasAllColumns ? Math.max(extent.columnCount - 1, 0) : range.column1;
    return { ...range, row1, column1 };
  }
}

/** Counts the UTF-16 units of all texts. */
function unitsIn(rows: readonly (readonly WireInput[])[]): number {
  let units = 0;
  for (const row of rows)
    for (const cell of row) if (typeof cell === 'string') units += cell.length;
  return units;
}
