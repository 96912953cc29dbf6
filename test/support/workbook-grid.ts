import { parseAddress } from '../../server/model/address.ts';
import { patchStyle, readStyle, type CellStyle } from '../../server/model/cell-style.ts';
import type { Input } from '../../server/model/cell-value.ts';
import { readInput, type WireInput } from '../../server/model/input.ts';
import type { Operation, Payload } from '../../server/model/operation.ts';
import { isRecordKind } from '../../server/model/payload-records.ts';
import { parseRange, parseSheetRange, rangeName, type Range } from '../../server/model/range.ts';
import { shiftFormula } from '../../workers/files/formula-shift.ts';
import type { ImportedName, ImportedTable } from '../../workers/files/imported-workbook.ts';
import type { SourceCell } from '../../workers/files/sheet-cells.ts';
import type { WorkbookSource } from '../../workers/files/workbook-source.ts';

interface GridCell {
  input: Input;
  numberFormat?: string;
  style?: CellStyle;
}

/** Kinds that describe formats, or properties of the workbook. */
const lookKinds = /^(rows|cols)\.(size|hide|group)$|^style\.define$|^sheet\.props$|^props\.set$/u;

type Rows = Map<number, Map<number, GridCell>>;

/** Applies the operations of an import in a simple way, for comparison with the file. */
export class WorkbookGrid {
  readonly sheets = new Map<string, Rows>();
  readonly names: ImportedName[] = [];
  readonly tables: ImportedTable[] = [];
  /** Operations on what lies on cells without being in them. */
  readonly recordOperations: Operation[] = [];
  date1904 = false;

  static from(operations: Iterable<Operation>): WorkbookGrid {
    const grid = new WorkbookGrid();
    for (const operation of operations) grid.#apply(operation);
    return grid;
  }

  /** The grid as the writers take it. */
  source(): WorkbookSource {
    const { names, tables, date1904 } = this;
    const sheets = [...this.sheets].map(([name, rows]) => ({ name, cells: () => cellsOf(rows) }));
    return { date1904, sheets, names, tables };
  }

  #apply(operation: Operation): void {
    switch (operation.kind) {
      case 'sheet.add':
        this.sheets.set(operation.payload.name, new Map());
        return;
      case 'name.set': {
        const { name, scope, formula = '', comment } = operation.payload;
        this.names.push({ name, scope, formula, ...(comment === undefined ? {} : { comment }) });
        return;
      }
      case 'range.fill':
        this.#fill(operation.payload);
        return;
      case 'range.set':
        this.#set(operation.payload);
        return;
      case 'cells.set':
        this.#setCells(operation.payload);
        return;
      case 'numfmt.set':
        this.#format(operation.payload);
        return;
      case 'settings.set':
        this.date1904 ||= operation.payload.value === 1904;
        return;
      case 'table.create':
        this.tables.push(tableOf(operation.payload));
        return;
      default:
        this.#applyLook(operation);
    }
  }

  #applyLook(operation: Operation): void {
    if (isRecordKind(operation.kind)) {
      this.recordOperations.push(operation);
      return;
    }
    if (operation.kind === 'format.set') this.#formatWhole(operation.payload);
    else if (!lookKinds.test(operation.kind)) {
      throw new Error(`an import does not make ${operation.kind}`);
    }
  }

  #fill(payload: Payload<'range.fill'>): void {
    const range = rangeOf(payload.range);
    const input = readInput(payload.input, payload);
    for (const [row, column] of positions(range)) {
      const by = { rows: row - range.row0, columns: column - range.column0 };
      const isFormula = typeof input === 'object' && input !== null && 'formula' in input;
      const moved = isFormula ? { ...input, formula: shiftFormula(input.formula, by) } : input;
      this.#cell(payload.sheet, row, column).input = moved;
    }
  }

  #set(payload: Payload<'range.set'>): void {
    const range = rangeOf(payload.range);
    for (const [row, column] of positions(range)) {
      const wire = payload.inputs[row - range.row0]?.[column - range.column0] ?? null;
      if (wire === null) continue;
      this.#cell(payload.sheet, row, column).input = readInput(wire, payload);
    }
  }

  #setCells(payload: Payload<'cells.set'>): void {
    for (const { a1, input, array, legacy } of payload.cells) {
      const address = parseAddress(a1);
      if (address === undefined) throw new Error(`${a1} is not an address`);
      const wire: WireInput = input ?? null;
      const read = readInput(wire, { legacy });
      const isFormula = typeof read === 'object' && read !== null && 'formula' in read;
      const entered = isFormula && array !== undefined ? { ...read, array } : read;
      this.#cell(payload.sheet, address.row, address.column).input = entered;
    }
  }

  #format(payload: Payload<'numfmt.set'>): void {
    for (const area of parseSheetRange(payload.range)?.areas ?? []) {
      for (const [row, column] of positions(area)) {
        const cell = this.#cell(payload.sheet, row, column);
        cell.numberFormat = payload.pattern;
        cell.style = { numberFormat: payload.pattern };
      }
    }
  }

  /** Formats whole rows and columns; a cell without a style overrides them by being Normal. */
  #formatWhole({ sheet, range, style, replace }: Payload<'format.set'>): void {
    for (const area of parseSheetRange(range)?.areas ?? []) {
      if (area.row1 - area.row0 === 1_048_575 || area.column1 - area.column0 === 16_383) continue;
      for (const [row, column] of positions(area)) {
        const cell = this.#cell(sheet, row, column);
        const written = patchStyle({}, readStyle(style), true);
        const isPlain = replace === true && Object.keys(written).length === 0;
        cell.style = isPlain ? { named: 'Normal' } : written;
        if (written.numberFormat !== undefined) cell.numberFormat = written.numberFormat;
      }
    }
  }

  #cell(sheet: string | undefined, row: number, column: number): GridCell {
    const rows = this.sheets.get(sheet ?? '');
    if (rows === undefined) throw new Error(`there is no sheet ${sheet}`);
    let columns = rows.get(row);
    if (columns === undefined) rows.set(row, (columns = new Map<number, GridCell>()));
    let cell = columns.get(column);
    if (cell === undefined) columns.set(column, (cell = { input: null }));
    return cell;
  }
}

function tableOf(payload: Payload<'table.create'>): ImportedTable {
  const { name, sheetRange = '', schema, headerRow = true, totalsRow = false } = payload;
  const place = parseSheetRange(sheetRange);
  const [area] = place?.areas ?? [];
  if (area === undefined) throw new Error(`${sheetRange} is not a range`);
  const columns = schema?.columns.map((column) => column.name) ?? [];
  return { name, sheet: place?.sheet ?? '', range: rangeName(area), columns, headerRow, totalsRow };
}

function rangeOf(text: string): Range {
  const range = parseRange(text);
  if (range === undefined) throw new Error(`${text} is not a range`);
  return range;
}

function* positions(range: Range): Generator<readonly [row: number, column: number]> {
  for (let row = range.row0; row <= range.row1; row++) {
    for (let column = range.column0; column <= range.column1; column++) yield [row, column];
  }
}

function* cellsOf(rows: Rows): Generator<SourceCell> {
  for (const row of [...rows.keys()].sort((left, right) => left - right)) {
    const columns = rows.get(row) ?? new Map<number, GridCell>();
    for (const column of [...columns.keys()].sort((left, right) => left - right)) {
      const cell = columns.get(column);
      if (cell !== undefined) yield { row, column, ...cell };
    }
  }
}
