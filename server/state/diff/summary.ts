import type { SheetDiff, StateDiff } from './diff.ts';
import type { StructureChange } from './structure-changes.ts';

/** Counts of differences, of the whole diff whatever page is read. */
export interface DiffSummary {
  readonly cells: number;
  readonly cellsAdded: number;
  readonly cellsModified: number;
  readonly cellsRemoved: number;
  readonly rowsInserted: number;
  readonly rowsDeleted: number;
  readonly rowsMoved: number;
  readonly colsInserted: number;
  readonly colsDeleted: number;
  readonly colsMoved: number;
  readonly sheets: number;
  readonly formats: number;
  readonly names: number;
  readonly tables: number;
  readonly records: number;
  readonly properties: number;
  readonly settings: number;
}

export function summaryOf(diff: StateDiff): DiffSummary {
  const { sheets } = diff;
  const sum = (count: (sheet: SheetDiff) => number) =>
    sheets.reduce((total, sheet) => total + count(sheet), 0);
  const cells = { added: 0, modified: 0, removed: 0 };
  for (const sheet of sheets) {
    const alone = sheet.cells.countChanges();
    for (const change of ['added', 'modified', 'removed'] as const) cells[change] += alone[change];
    for (const { change, count } of sheet.collapsed) cells[change] += count;
  }
  const changes = sheets.flatMap(({ structure }) => structure);
  return {
    cells: cells.added + cells.modified + cells.removed,
    cellsAdded: cells.added,
    cellsModified: cells.modified,
    cellsRemoved: cells.removed,
    rowsInserted: lineCount(changes, 'row', 'insert'),
    rowsDeleted: lineCount(changes, 'row', 'delete'),
    rowsMoved: lineCount(changes, 'row', 'move'),
    colsInserted: lineCount(changes, 'column', 'insert'),
    colsDeleted: lineCount(changes, 'column', 'delete'),
    colsMoved: lineCount(changes, 'column', 'move'),
    sheets: changes.filter((change) => !('axis' in change)).length,
    formats: sum(({ formats }) => formats.length),
    names: diff.names.length + sum(({ names }) => names.length),
    tables: sum(({ tables }) => tables.length),
    records: sum(({ records, orders }) => records.length + orders.length),
    properties: sum(({ lines, properties }) => lines.length + properties.length),
    settings: diff.settings.length + diff.styles.length + diff.policy.length,
  };
}

function lineCount(
  changes: readonly StructureChange[],
  axis: 'row' | 'column',
  op: 'insert' | 'delete' | 'move',
): number {
  let total = 0;
  for (const change of changes) {
    if (!('axis' in change) || change.axis !== axis) continue;
    if (change.op === op) total += change.count;
    else if (op === 'move' && change.op === 'reorder') total += change.movedCount;
  }
  return total;
}
