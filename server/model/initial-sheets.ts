import { columnLimit, rowLimit } from './address.ts';
import { Failure } from './failure.ts';
import type { WireInput } from './input.ts';
import type { Operation } from './operation.ts';
import { rangeName } from './range.ts';

/** A sheet as POST /v1/workbooks takes it: rows from A1 on, of any lengths. */
export interface InitialSheet {
  readonly name: string;
  readonly rows?: Iterable<readonly WireInput[]> | undefined;
  /** Strings are text, whatever they start with. */
  readonly raw?: boolean | undefined;
  /** Strings are read as a person types them. */
  readonly parse?: boolean | undefined;
}

/** Cells of one range.set; a sheet with more becomes several. */
const blockCells = 16_384;

const emptyWorkbook: readonly InitialSheet[] = [{ name: 'Sheet1' }];

/** The operations that make these sheets, one at a time; of Sheet1 alone when there are none. */
export function* sheetOperations(sheets: readonly InitialSheet[]): Generator<Operation, void> {
  const wanted = sheets.length === 0 ? emptyWorkbook : sheets;
  for (const [index, { name }] of wanted.entries()) {
    yield { kind: 'sheet.add', payload: { name, index } };
  }
  for (const sheet of wanted) yield* blocksOf(sheet);
}

/** A block is as wide as the longest of its rows, so rows may come one at a time. */
function* blocksOf(sheet: InitialSheet): Generator<Operation, void> {
  const { name, rows = [] } = sheet;
  let block: (readonly WireInput[])[] = [];
  let row0 = 0;
  let width = 0;
  for (const row of rows) {
    const widest = Math.max(width, row.length);
    checkSize(name, row0 + block.length + 1, widest);
    if (block.length > 0 && (block.length + 1) * widest > blockCells) {
      yield* operationOf(sheet, { block, row0, width });
      row0 += block.length;
      [block, width] = [[row], row.length];
    } else {
      block.push(row);
      width = widest;
    }
  }
  yield* operationOf(sheet, { block, row0, width });
}

interface Block {
  readonly block: readonly (readonly WireInput[])[];
  readonly row0: number;
  readonly width: number;
}

function* operationOf(
  { name, raw, parse }: InitialSheet,
  { block, row0, width }: Block,
): Generator<Operation, void> {
  if (block.every((row) => row.every((input) => input === null))) return;
  const inputs = block.map((row) => padded(row, width));
  const range = rangeName({
    row0,
    row1: row0 + block.length - 1,
    column0: 0,
    column1: width - 1,
  });
  const reading = { ...(raw === true && { raw }), ...(parse === true && { parse }) };
  yield { kind: 'range.set', payload: { sheet: name, range, inputs, ...reading } };
}

function padded(row: readonly WireInput[], width: number): WireInput[] {
  return Array.from({ length: width }, (_, column) => row[column] ?? null);
}

function checkSize(name: string, height: number, width: number): void {
  if (height <= rowLimit && width <= columnLimit) return;
  throw new Failure('invalidRequest', {
    detail: `The rows of ${name} do not fit a sheet of ${rowLimit} rows and ${columnLimit} columns.`,
    hint: 'Spread them over several sheets.',
    errors: [
      { pointer: '/sheets', code: 'outside_grid', message: 'There are too many rows or columns.' },
    ],
  });
}
