import { columnLimit, rowLimit } from '../model/address.ts';
import { Failure } from '../model/failure.ts';
import type { WireInput } from '../model/input.ts';
import type { Operation } from '../model/operation.ts';
import { rangeName } from '../model/range.ts';
import type { RejectionError } from '../model/rejection.ts';
import type { Beginning } from './creation.ts';

/** A sheet as POST /v1/workbooks takes it: rows from A1 on, of any lengths. */
export interface InitialSheet {
  readonly name: string;
  readonly rows?: readonly (readonly WireInput[])[] | undefined;
}

/** Cells of one range.set; a sheet with more becomes several. */
const blockCells = 16_384;
const chunkOperations = 64;

const emptyWorkbook: readonly InitialSheet[] = [{ name: 'Sheet1' }];

/** The operations that make these sheets; one sheet called Sheet1 when there are none. */
export async function* beginWithSheets(sheets: readonly InitialSheet[]): Beginning {
  const wanted = sheets.length === 0 ? emptyWorkbook : sheets;
  const additions: Operation[] = wanted.map(({ name }, index) => ({
    kind: 'sheet.add',
    payload: { name, index },
  }));
  yield additions;
  let chunk: Operation[] = [];
  for (const sheet of wanted) {
    for (const operation of blocksOf(sheet)) {
      chunk.push(operation);
      if (chunk.length < chunkOperations) continue;
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
  return [];
}

/** Of sheets that somebody wrote down, each one has to be right. */
export function refuseRejected({ kind, payload }: Operation, error: RejectionError): never {
  const where = 'range' in payload ? payload.range : 'name' in payload ? payload.name : '';
  const sheet = 'sheet' in payload && payload.sheet !== undefined ? `${payload.sheet}!` : '';
  const place = kind === 'sheet.add' ? `sheet ${where}` : `${sheet}${where}`;
  throw new Failure('submissionRejected', {
    detail: `${place}: ${error.message}.`,
    hint: error.hint,
    errors: [{ pointer: '/sheets', code: error.code, message: error.message }],
  });
}

function* blocksOf({ name, rows = [] }: InitialSheet): Generator<Operation> {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return;
  checkSize(name, rows.length, width);
  const height = Math.max(1, Math.floor(blockCells / width));
  for (let row0 = 0; row0 < rows.length; row0 += height) {
    const inputs = rows.slice(row0, row0 + height).map((row) => padded(row, width));
    if (inputs.every((row) => row.every((input) => input === null))) continue;
    const row1 = row0 + inputs.length - 1;
    const range = rangeName({ row0, row1, column0: 0, column1: width - 1 });
    yield { kind: 'range.set', payload: { sheet: name, range, inputs } };
  }
}

function padded(row: readonly WireInput[], width: number): WireInput[] {
  return Array.from({ length: width }, (_, column) => row[column] ?? null);
}

function checkSize(name: string, height: number, width: number): void {
  if (height <= rowLimit && width <= columnLimit) return;
  throw new Failure('invalidRequest', {
    detail: `The rows of ${name} do not fit a sheet of ${rowLimit} rows and ${columnLimit} columns.`,
    errors: [{ pointer: '/sheets', code: 'outside_grid', message: 'too many rows or columns' }],
  });
}
