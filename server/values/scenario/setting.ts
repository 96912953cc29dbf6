import { Failure } from '../../model/failure.ts';
import type { WireInput } from '../../model/input.ts';
import type { Operation } from '../../model/operation.ts';
import { rangeName } from '../../model/range.ts';
import { readRange } from '../http.ts';

/** Makes the operation that writes a cell; `pointer` is its place in the request. */
export function settingOf(cell: string, input: WireInput, pointer: string): Operation {
  const { sheet, areas } = readRange(cell, pointer);
  const [area] = areas;
  const isCell =
    areas.length === 1 && area && area.row0 === area.row1 && area.column0 === area.column1;
  if (!isCell) {
    const message = 'This must be one cell, such as B2 or Plan!B2.';
    const errors = [{ pointer, code: 'invalid_value', message }];
    throw new Failure('invalidRequest', { detail: `${pointer}: ${message}`, errors });
  }
  const named = sheet === undefined ? {} : { sheet };
  // An empty text makes the cell blank; null would leave it as it is.
  const written = input ?? '';
  return {
    kind: 'cells.set',
    payload: { ...named, cells: [{ a1: rangeName(area), input: written }] },
  };
}
