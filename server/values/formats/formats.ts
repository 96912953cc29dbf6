import type { BranchState } from '../../state/branch-state.ts';
import { columnLimit, columnName, rowLimit } from '../../model/address.ts';
import { writeStyle, type CellStyle, type WireStyle } from '../../model/cell-style.ts';
import { Failure } from '../../model/failure.ts';
import { pages } from '../../model/limits.ts';
import {
  cellCount,
  columnCount,
  rangeName,
  rowCount,
  type Range,
  type SheetRange,
} from '../../model/range.ts';
import type { SheetProperties } from '../../model/sheet-properties.ts';
import { lastFormatted } from '../../state/cells/format-lanes.ts';
import type { LineValue } from '../../state/structure/line-value.ts';
import { formatsOf } from '../../state/plan/plan.ts';
import { readFormats, type SheetFormats } from '../../state/cells/sheet-formats.ts';
import { orderOf, type Axis, type SheetOutline } from '../../state/structure/structure.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';

/** Consecutive rows or columns with the same properties; missing ones have defaults. */
export interface LineSummary {
  readonly from: number | string;
  readonly count: number;
  readonly px?: number;
  readonly hidden?: true;
  readonly level?: number;
  readonly collapsed?: true;
  /** Index in `styles` of the style for their cells without an own one. */
  readonly style?: number;
}

export interface FormatSlice {
  readonly sheet: string;
  readonly range: string;
  readonly properties: SheetProperties;
  /** Index in `styles` of each cell's effective style, row by row. */
  readonly cells: readonly (readonly number[])[];
  readonly rows: readonly LineSummary[];
  readonly columns: readonly LineSummary[];
}

export interface FormatAnswer {
  readonly seq: number;
  /** Styles; the first is that of an unformatted cell. */
  readonly styles: readonly WireStyle[];
  readonly namedStyles: Readonly<Record<string, WireStyle>>;
  readonly themeColors: readonly string[];
  readonly slices: readonly FormatSlice[];
}

/** Reads the formats of ranges; whole rows and columns end at the last format. */
export function* readFormatSlices(
  state: BranchState,
  ranges: readonly SheetRange[],
): Generator<void, FormatAnswer> {
  const reader = new FormatReader(state);
  for (const { sheet, areas } of ranges) {
    for (const area of areas) yield* reader.read(sheet, area);
  }
  return reader.finish();
}

class FormatReader {
  readonly #state: BranchState;
  readonly #slices: FormatSlice[] = [];
  /** Index in the answer of each style, by index in the state. */
  readonly #places = new Map<number, number>([[0, 0]]);
  #cellsLeft: number = pages.sliceCellsMost;

  constructor(state: BranchState) {
    this.#state = state;
  }

  *read(name: string | undefined, asked: Range): Generator<void, void> {
    const sheet = this.#sheet(name);
    const formats = formatsOf(this.#state, sheet);
    const area = clipped(formats, asked);
    this.#cellsLeft -= cellCount(area);
    if (this.#cellsLeft < 0) {
      throw new Failure('rangeTooLarge', {
        detail: `An answer has at most ${pages.sliceCellsMost} cells, all its ranges together.`,
        hint: 'Ask for fewer rows at a time.',
      });
    }
    const found = readFormats(formats, area);
    yield;
    const width = columnCount(area);
    const cells = Array.from({ length: rowCount(area) }, (_, row) =>
      Array.from(found.subarray(row * width, (row + 1) * width), (index) => this.#placeOf(index)),
    );
    this.#slices.push({
      sheet: sheet.name,
      range: rangeName(area),
      properties: this.#state.looks.properties.of(sheet.id),
      cells,
      rows: this.#lines(sheet, 'row', asked),
      columns: this.#lines(sheet, 'column', asked),
    });
  }

  finish(): FormatAnswer {
    const { looks, settings, coding, head } = this.#state;
    const { styles } = coding.dictionary;
    const named = [...looks.styles.entries()].map(
      ([, { id, style }]) => [id, writeStyle(style)] as const,
    );
    return {
      seq: head,
      styles: [...this.#places.keys()].map((index) => writeStyle(shownStyle(styles.style(index)))),
      namedStyles: Object.fromEntries(named),
      themeColors: String(settings.get('theme.colors'))
        .split(' ')
        .map((hex) => `#${hex}`),
      slices: this.#slices,
    };
  }

  #sheet(name: string | undefined): SheetOutline {
    const { structure } = this.#state;
    const sheet = name === undefined ? structure.sheets[0] : structure.find(name);
    if (sheet) return sheet;
    throw sheetNotFound(name, structure.sheets);
  }

  #placeOf(index: number): number {
    let place = this.#places.get(index);
    if (place === undefined) {
      place = this.#places.size;
      this.#places.set(index, place);
    }
    return place;
  }

  /** Reads lines in runs, for the whole range, even beyond its cells. */
  #lines(sheet: SheetOutline, axis: Axis, { row0, row1, column0, column1 }: Range): LineSummary[] {
    const [from, to] = axis === 'row' ? [row0, row1] : [column0, column1];
    const spans = orderOf(sheet, axis).spansAt(from, to - from + 1);
    const found: LineSummary[] = [];
    let lastKey = '{}';
    for (const { value, length, skipped } of this.#state.looks.lines
      .of(sheet.id, axis)
      .stretches(spans)) {
      const summary = this.#summary(value);
      const key = JSON.stringify(summary);
      const last = found.at(-1);
      if (key !== '{}' && key === lastKey && last) {
        found[found.length - 1] = { ...last, count: last.count + length };
      } else if (key !== '{}') {
        const line = from + skipped;
        const name = axis === 'row' ? line + 1 : columnName(line);
        found.push({ from: name, count: length, ...summary });
      }
      lastKey = key;
    }
    return found;
  }

  #summary({ style, ...value }: LineValue): Omit<LineSummary, 'from' | 'count'> {
    if (style === undefined) return value;
    return { ...value, style: this.#placeOf(this.#state.coding.dictionary.styles.indexOf(style)) };
  }
}

/** Returns the style to answer: Normal only where it overrides a row or column. */
function shownStyle(style: CellStyle): CellStyle {
  const { named, ...rest } = style;
  return named === 'Normal' && Object.keys(rest).length === 0 ? rest : style;
}

/** Clips whole rows and columns after the last cell with an own format. */
function clipped({ sheet, cells }: SheetFormats, range: Range): Range {
  const hasAllRows = rowCount(range) === rowLimit;
  const hasAllColumns = columnCount(range) === columnLimit;
  if (!hasAllRows && !hasAllColumns) return range;
  const { row, column } = lastFormatted(cells, sheet);
  return {
    ...range,
    row1: hasAllRows ? Math.max(row, range.row0) : range.row1,
    column1: hasAllColumns ? Math.max(column, range.column0) : range.column1,
  };
}
