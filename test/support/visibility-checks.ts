import type { Mutation } from '../../server/model/mutation.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { valueForm } from '../../workers/decode.ts';
import type { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const rowCount = 40;
/** Column right of all that histories write. */
const probeColumn = 60;

type Sheet = BranchState['structure']['sheets'][number];

/** Returns for each row whether it is hidden, and whether by a filter, from the state. */
function heldVisibility({ looks, records }: BranchState, sheet: Sheet): string[] {
  const lines = looks.lines.of(sheet.id, 'row');
  const [filter] = records.on('filter', sheet);
  const [range] = filter ? records.rangesOf(filter, sheet) : [];
  const leavesOut = JSON.stringify(filter?.value ?? {}).includes('"values"');
  return Array.from({ length: rowCount }, (_, row) => {
    if (lines.at(sheet.rows.idAt(row)).hidden !== true) return 'shown';
    const isBelow = range !== undefined && row > range.row0 && row <= range.row1;
    return leavesOut && isBelow ? 'filter' : 'hand';
  });
}

/** Returns the visibility of rows from formulas in each row, which change the kernel. */
function seenVisibility(kernel: Kernel, { key }: Sheet): string[] {
  const rows = { row: 0, rowCount };
  const probe = (column: number, input: number | string): Mutation => ({
    kind: 'fill',
    sheet: key,
    ...rows,
    column,
    columnCount: 1,
    input: typeof input === 'string' ? { formula: input } : input,
  });
  kernel.apply([
    probe(probeColumn, 1),
    probe(probeColumn + 1, '=SUBTOTAL(3,BI1)'),
    probe(probeColumn + 2, '=SUBTOTAL(103,BI1)'),
  ]);
  while (!kernel.recalculate(now, 1e8)) continue;
  const area = {
    row0: 0,
    column0: probeColumn + 1,
    row1: rowCount - 1,
    column1: probeColumn + 2,
  };
  const read = kernel.readRange(key, area, { lens: 'value', form: valueForm });
  return read.map(([filtered, any]) => (filtered === 0 ? 'filter' : any === 0 ? 'hand' : 'shown'));
}

/** Returns the first row whose visibility differs; the kernel must not be used afterwards. */
export function visibilityDifference(state: BranchState, kernel: Kernel): string | undefined {
  for (const sheet of state.structure.sheets) {
    const held = heldVisibility(state, sheet);
    const seen = seenVisibility(kernel, sheet);
    const at = held.findIndex((visibility, row) => visibility !== seen[row]);
    if (at < 0) continue;
    return `row ${at + 1} of ${sheet.name}: ${held[at]} in the state, ${seen[at]} in the kernel`;
  }
  return undefined;
}
