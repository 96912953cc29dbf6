import type { Pace } from '../branches/pace.ts';
import { columnLimit } from '../model/address.ts';
import type { Value } from '../model/cell-value.ts';
import { Failure } from '../model/failure.ts';
import type { SheetOutline } from '../state/structure/structure.ts';
import type { ModelView } from '../values/model.ts';

/** Values that the cells of a sheet show, by row and column as one number. */
export type SheetValues = ReadonlyMap<number, Value>;

const readCells = 4_096;
/** Values of a diff at most; both sides are in memory while they are compared. */
const valuesMost = 3_000_000;

/** All cells of the sheets that are not blank, by the id of their sheet. */
export async function readSheetValues(
  { kernel, sheets: list }: ModelView,
  sheets: readonly (SheetOutline | undefined)[],
  pace: Pace,
): Promise<Map<string, SheetValues>> {
  const found = new Map<string, Map<number, Value>>();
  const byKey = new Map<number, Map<number, Value>>();
  for (const sheet of sheets) {
    const key = sheet && list.named(sheet.name)?.key;
    if (!sheet || key === undefined) continue;
    const values = new Map<number, Value>();
    found.set(sheet.id, values);
    byKey.set(key, values);
  }
  const total = kernel.valueCount;
  if (total > valuesMost) throw tooMany(total);
  for (let at = 0; at < total;) {
    at += kernel.readValues(
      at,
      Math.min(readCells, total - at),
      ({ sheet, row, column, value }) => {
        byKey.get(sheet)?.set(row * columnLimit + column, value);
      },
    );
    if (pace.isDue) await pace.rest();
  }
  return found;
}

function tooMany(total: number): Failure {
  return new Failure('rangeTooLarge', {
    detail: `The workbook shows ${total} values; up to ${valuesMost} are compared.`,
    hint: 'Leave values=true out, or read the values of both sides with GET values.',
  });
}
