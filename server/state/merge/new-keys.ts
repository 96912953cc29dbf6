import type { WireInput } from '../../model/input.ts';
import { Rejection } from '../../model/rejection.ts';
import { readColumnValue } from '../../model/table-column.ts';
import type { BranchState } from '../branch-state.ts';
import { isKey } from '../cells/key-index.ts';
import { findRow } from '../tables/table-rows.ts';
import { dataRange, keyColumnOf, rangeOf, sheetOfTable } from '../structure/tables.ts';
import type { OperationParts } from './parts.ts';
import { tableIn } from './relocation.ts';

/**
 * Rejects new keys that do not fit the key column, that a row of either side has, or that occur
 * twice.
 */
export function* checkNewKeys(
  sides: { readonly ours: OperationParts; readonly theirs: OperationParts },
  tableId: string,
  keys: readonly WireInput[],
): Generator<void, void> {
  const known = new Set<string>();
  for (const { state } of [sides.ours, sides.theirs]) {
    const isTaken = yield* takenKeys(state, tableId);
    for (const key of keys) if (isTaken(key)) known.add(JSON.stringify(key));
  }
  for (const key of keys) {
    const text = JSON.stringify(key);
    if (known.has(text)) throw refused(`the table has a row ${text} already`);
    known.add(text);
  }
}

/** Returns a function that tells whether a row of the table has a key. */
function* takenKeys(
  state: BranchState,
  tableId: string,
): Generator<void, (key: WireInput) => boolean> {
  const table = tableIn(state, tableId);
  const column = keyColumnOf(table);
  if (!column) return () => false;
  const context = state.contextAt(state.structure);
  const sheet = sheetOfTable(table, state.structure);
  const data = dataRange(table, rangeOf(table, state.structure));
  const rowsWith = yield* context.keys.of(sheet, column.line, context.cellsOf(sheet));
  const reading = { raw: false, date1904: context.settings.get('dateSystem') === 1904 };
  return (key) => {
    const read = readColumnValue(key, column, reading);
    if (typeof read === 'string') throw refused(`${column.name}: ${read}`);
    const cell = context.coding.encode(read.input, { row: 0, column: 0 }, context.head);
    if (!isKey(cell)) throw refused(`${column.name}: a key is a text, a number or a date`);
    return findRow(rowsWith(cell), { sheet, data }) !== undefined;
  };
}

function refused(message: string): Rejection {
  return new Rejection('row_invalid', message);
}
