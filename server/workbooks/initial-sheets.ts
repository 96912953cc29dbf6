import { cellName } from '../model/address.ts';
import { Failure } from '../model/failure.ts';
import { sheetOperations, type InitialSheet } from '../model/initial-sheets.ts';
import type { Operation } from '../model/operation.ts';
import { parseRange } from '../model/range.ts';
import type { RejectionError } from '../model/rejection.ts';
import type { Beginning } from './creation.ts';

const chunkOperations = 64;

/** The operations that make these sheets; one sheet called Sheet1 when there are none. */
export async function* beginWithSheets(sheets: readonly InitialSheet[]): Beginning {
  let chunk: Operation[] = [];
  for (const operation of sheetOperations(sheets)) {
    chunk.push(operation);
    if (chunk.length < chunkOperations) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
  return { dropped: [] };
}

/**
 * Fails at the first rejected operation, with the sheet or the cell: sheets in a request must be
 * valid.
 */
export function refuseRejected(
  sheets: readonly string[],
): (operation: Operation, error: RejectionError) => never {
  return (operation, error) => {
    const { code, message, hint } = error;
    const { pointer, place } = placeOf(operation, error, sheets);
    throw new Failure('submissionRejected', {
      detail: `${place}: ${message}`,
      hint,
      errors: [{ pointer, code, message }],
    });
  };
}

/**
 * Pointer to the place in the request that the rejected operation comes from, and that place in
 * words.
 */
function placeOf(
  { kind, payload }: Operation,
  { pointer = '' }: RejectionError,
  sheets: readonly string[],
): { pointer: string; place: string } {
  if (kind === 'sheet.add') {
    return { pointer: `/sheets/${payload.index ?? 0}/name`, place: `sheet ${payload.name}` };
  }
  if (kind !== 'range.set' || payload.sheet === undefined)
    return { pointer: '/sheets', place: kind };
  const { sheet, range } = payload;
  const rows = `/sheets/${sheets.indexOf(sheet)}/rows`;
  const [row, column] = pointer.split('/').slice(2).map(Number);
  const block = parseRange(range);
  const isCell = row !== undefined && column !== undefined && block !== undefined;
  if (!isCell) return { pointer: rows, place: `${sheet}!${range}` };
  const at = block.row0 + row;
  return { pointer: `${rows}/${at}/${column}`, place: `${sheet}!${cellName(at, column)}` };
}
