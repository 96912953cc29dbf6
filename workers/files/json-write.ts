import { cellName } from '../../server/model/address.ts';
import { isFormulaInput, type FormulaInput, type Input } from '../../server/model/cell-value.ts';
import { writeInput, type WireInput } from '../../server/model/input.ts';
import type { ImportedName } from './imported-workbook.ts';
import type { ShowCell, SourceCell } from './sheet-cells.ts';
import type { SheetSource, WorkbookSource } from './workbook-source.ts';

/** Workbook and position of an export. */
export interface ExportHeader {
  readonly workbook: string;
  readonly ref: { readonly branch: string; readonly seq: number };
}

const pieceCharacters = 64 * 1024;

/**
 * Writes one document: `{workbook, ref, date1904, sheets:[{name, cells, records}], names, tables}`.
 */
export function writeJson(
  header: ExportHeader,
  source: WorkbookSource,
  emit: (text: string) => void,
  show?: ShowCell,
): void {
  const { date1904, names, tables } = source;
  emit(`${JSON.stringify({ ...header, date1904 }).slice(0, -1)},"sheets":[`);
  for (const [index, sheet] of source.sheets.entries()) {
    emit(`${index === 0 ? '' : ','}{"name":${JSON.stringify(sheet.name)},"cells":[`);
    writePieces(jsonCells(sheet, show), emit);
    emit(`],"records":${JSON.stringify(sheet.records ?? [])}}`);
  }
  const rest = { names: names.map(nameRecord), tables };
  emit(`],${JSON.stringify(rest).slice(1)}\n`);
}

/**
 * Writes a line for each thing: a header, the cells, and a trailer, without which the file is
 * incomplete.
 */
export function writeNdjson(
  header: ExportHeader,
  source: WorkbookSource,
  emit: (text: string) => void,
  show?: ShowCell,
): void {
  const { date1904, tables } = source;
  const sheets = source.sheets.map(({ name }) => name);
  const records = source.sheets.flatMap(({ name, records: own = [] }) => {
    return own.map((record) => ({ sheet: name, ...record }));
  });
  const names = source.names.map(nameRecord);
  emit(`${JSON.stringify({ ...header, date1904, sheets, names, tables, records })}\n`);
  let count = 0;
  for (const sheet of source.sheets) {
    const lines = function* (): Generator<string> {
      for (const cell of sheet.cells()) {
        count++;
        yield `${JSON.stringify({ sheet: sheet.name, ...cellRecord(cell, show) })}\n`;
      }
    };
    writePieces(lines(), emit);
  }
  emit(`${JSON.stringify({ end: true, count })}\n`);
}

function* jsonCells(sheet: SheetSource, show?: ShowCell): Generator<string> {
  let separator = '';
  for (const cell of sheet.cells()) {
    yield separator + JSON.stringify(cellRecord(cell, show));
    separator = ',';
  }
}

function writePieces(texts: Iterable<string>, emit: (text: string) => void): void {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < pieceCharacters) continue;
    emit(piece);
    piece = '';
  }
  if (piece !== '') emit(piece);
}

/** Returns a cell as cells.set takes it, with its value if that differs from the input. */
function cellRecord(cell: SourceCell, show?: ShowCell) {
  const { input, value, numberFormat } = cell;
  const formula = formulaOf(input);
  const wire: WireInput = writeInput(input);
  return {
    cell: cellName(cell.row, cell.column),
    input: wire,
    value: value ?? (formula === undefined ? input : null),
    ...(formula?.array === undefined ? {} : { array: formula.array }),
    ...(formula?.legacy === undefined ? {} : { legacy: true }),
    ...(numberFormat === undefined ? {} : { numberFormat }),
    ...(show && { shown: show(cell) }),
  };
}

function formulaOf(input: Input): FormulaInput | undefined {
  return isFormulaInput(input) ? input : undefined;
}

function nameRecord({ name, scope, formula, comment }: ImportedName) {
  return { name, scope, formula, comment };
}
